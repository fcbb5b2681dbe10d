"""Python's opinion against R's, number by number: difference, tolerance, verdict, named cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pyside.errors import BridgeError
from pyside.metrics import registry
from pyside.opinions import Opinion


class Verdict(StrEnum):
    """What two opinions of one number come to."""

    AGREE = "agree"
    BY_DEFINITION = "differ by definition"
    DISAGREE = "DISAGREE"


@dataclass(frozen=True)
class Agreement:
    """Two opinions of one number.

    Attributes:
        python: scikit-learn's, as the library gives it by default.
        r: R's.
        difference: the greatest absolute difference of estimate, lower and upper end; infinite
            where one is defined and the other is not.
        tolerance: up to which difference they agree.
        verdict: `AGREE` within the tolerance; `BY_DEFINITION` where scikit-learn's default follows
            another definition, and agrees with R once it is asked for the registry's; else
            `DISAGREE`.
        cause: why they differ, or why a number is undefined.
    """

    python: Opinion
    r: Opinion
    difference: float
    tolerance: float
    verdict: Verdict
    cause: str | None

    @property
    def metric(self) -> str:
        """The metric's name in the registry."""
        return self.r.metric

    @property
    def estimator(self) -> str:
        """Which form of the metric it is."""
        return self.r.estimator

    @property
    def class_name(self) -> str | None:
        """The class of a one-vs-rest row."""
        return self.r.class_name


def compare(python: Sequence[Opinion], r: Sequence[Opinion]) -> list[Agreement]:
    """Set Python's opinions against R's.

    Raises:
        BridgeError: if they are not opinions of the same numbers.
    """
    keys_python, keys_r = [o.key for o in python], [o.key for o in r]
    if keys_python != keys_r:
        odd = sorted(set(keys_python) ^ set(keys_r), key=str)
        raise BridgeError(
            "Both languages must report the same numbers.",
            found=f"only one of them reports {odd[:5]}",
            fix="install pyside-rside again, so that both parts are of one version",
        )
    return [_agreement(one, other) for one, other in zip(python, r, strict=True)]


def _agreement(python: Opinion, r: Opinion) -> Agreement:
    metric = registry()[r.metric]
    difference = _difference(python, r)
    by_registry = python
    if python.registry_estimate is not None:
        by_registry = replace(python, estimate=python.registry_estimate)
    reason = r.reason or python.reason
    if difference <= metric.tolerance:
        verdict, cause = Verdict.AGREE, reason
    elif _difference(by_registry, r) <= metric.tolerance:
        verdict = Verdict.BY_DEFINITION
        cause = "; ".join(text for text in (reason, metric.differs) if text)
    else:
        verdict, cause = Verdict.DISAGREE, _disagreement(python, r)
    return Agreement(python, r, difference, metric.tolerance, verdict, cause)


def _difference(one: Opinion, other: Opinion) -> float:
    pairs = (
        (one.estimate, other.estimate),
        (one.lower, other.lower),
        (one.upper, other.upper),
    )
    return max(_distance(a, b) for a, b in pairs)


def _distance(a: float, b: float) -> float:
    if math.isnan(a) and math.isnan(b):
        return 0.0
    return math.inf if math.isnan(a) or math.isnan(b) else abs(a - b)


def _disagreement(python: Opinion, r: Opinion) -> str:
    said = [f"{who}: {text}" for who, text in (("R", r.reason), ("Python", python.reason)) if text]
    if python.method != r.method:
        said.append(f"the intervals are of two methods, R: {r.method}, Python: {python.method}")
    return "; ".join(
        [
            *said,
            "no difference of definition is known: one of the two is wrong, do not publish it",
        ]
    )
