"""Every error that pyside raises on purpose.

An error says three things: what must hold, what was found, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

ROWS_SHOWN = 5


class PysideError(Exception):
    """The root of all errors of pyside.

    Args:
        must: what must hold.
        found: what was found instead, with names, counts and the first rows.
        fix: what to do about it.
    """

    def __init__(self, must: str, *, found: str | None = None, fix: str | None = None) -> None:
        self.must = must
        self.found = found
        self.fix = fix
        super().__init__(must, found, fix)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by state, not by arguments: errors cross from one process to another."""
        return _restored, (type(self), self.args, vars(self))

    def __str__(self) -> str:
        lines = [self.must]
        if self.found:
            lines.append(f"  found: {self.found}")
        if self.fix:
            lines.append(f"  to do: {self.fix}")
        return "\n".join(lines)


def _restored(
    kind: type[PysideError], arguments: tuple[Any, ...], state: dict[str, Any]
) -> PysideError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class PredictionTableError(PysideError):
    """A prediction table, or its sidecar, breaks the contract.

    Attributes:
        check: the name of the check that failed; the same in both languages.
    """

    def __init__(
        self, check: str, must: str, *, found: str | None = None, fix: str | None = None
    ) -> None:
        super().__init__(must, found=found, fix=fix)
        self.check = check


class ImageDataError(PysideError):
    """A folder or archive of images cannot be used."""


class TrainingError(PysideError):
    """Training or prediction cannot go on."""


class InterruptedWorkError(PysideError):
    """The work stopped before its end, as it was asked to; all is saved, and it can go on.

    Attributes:
        reason: why: a signal, or the time budget.
    """

    def __init__(self, reason: str, *, found: str, fix: str) -> None:
        super().__init__(f"The work stopped for {reason}; nothing is lost.", found=found, fix=fix)
        self.reason = reason


class RunError(PysideError):
    """A run folder is missing, incomplete or already taken."""


class BridgeError(PysideError):
    """The way to R is not open, or a value cannot cross it."""


class RNotFoundError(BridgeError):
    """No R was found, or the one that was found does not start."""


class RVersionError(BridgeError):
    """The R that was found is too old."""


class RPackageError(BridgeError):
    """An R package that `rside` needs is missing or too old, or `rside` cannot be installed."""


class Rpy2MismatchError(BridgeError):
    """rpy2 is missing, or its version does not fit the R that was found."""


class ConversionError(BridgeError):
    """A value has no exact counterpart in the other language."""


class RConditionError(BridgeError):
    """An R function stopped with an error.

    Attributes:
        condition: the classes of the R condition, the most specific first.
        call: the R call that failed, as text.
        traceback: the R calls that led to it, the outermost first.
    """

    def __init__(
        self,
        message: str,
        *,
        condition: Sequence[str] = (),
        call: str | None = None,
        traceback: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.condition = tuple(condition)
        self.call = call
        self.traceback = tuple(traceback)


def list_rows(rows: Iterable[int]) -> str:
    """Name rows in a message: `row 3`, or `rows 3, 5, 8 and 12 more`.

    Args:
        rows: row numbers, counted from 1, the header not counted.
    """
    return _enumerate("row", [str(row) for row in rows])


def list_names(kind: str, names: Iterable[str]) -> str:
    """Name things in a message: `column 'a'`, or `columns 'a', 'b'`."""
    return _enumerate(kind, [f"'{name}'" for name in names])


def _enumerate(kind: str, items: list[str]) -> str:
    shown = ", ".join(items[:ROWS_SHOWN])
    more = len(items) - ROWS_SHOWN
    plural = "" if len(items) == 1 else ("es" if kind.endswith("s") else "s")
    return f"{kind}{plural} {shown}" + (f" and {more} more" if more > 0 else "")
