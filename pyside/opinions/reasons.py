"""Why a number or its interval is undefined, in the words of both languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyside.errors import list_names

# What is said of one class, and of several.
ABSENT = ("does not occur in the truth", "do not occur in the truth")
NEVER_PREDICTED = ("is never predicted", "are never predicted")
NEITHER = (
    "neither occurs in the truth nor is predicted",
    "neither occur in the truth nor are predicted",
)
# Of one class against the rest, the rest is empty.
ALONE_IN_TRUTH = ("alone occurs in the truth",)
ALONE_PREDICTED = ("alone is predicted",)

NO_VARIANCE = "no interval: the estimated variance is 0"


def lacks(name: str, says: Sequence[str]) -> str:
    """What a class lacks."""
    return f"class '{name}' {says[0]}"


def only_in_truth(name: str) -> str:
    """The truth holds one class."""
    return f"only class '{name}' occurs in the truth"


def only_predicted(name: str) -> str:
    """One class is predicted."""
    return f"only class '{name}' is predicted"


def too_few(group: str) -> str:
    """A group is too small for a variance."""
    return f"fewer than two examples of {group}"


def left_out(classes: Sequence[str], marked: Iterable[bool], says: tuple[str, str]) -> str | None:
    """Which classes a mean leaves out, or None."""
    names = [name for name, out in zip(classes, marked, strict=True) if out]
    if not names:
        return None
    return f"left out: {list_names('class', names)} {says[min(len(names), 2) - 1]}"


def joined(*reasons: str | None) -> str | None:
    """Several reasons as one, or None."""
    return "; ".join(reason for reason in reasons if reason) or None
