"""Curves of two classes, and the areas under them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from pyside.bridge.choices import RangeOf, Rate
from pyside.bridge.results.base import RResult
from pyside.opinions import Opinion


@dataclass(frozen=True, eq=False)
class RocCurve(RResult):
    """What `rside::roc_curve()` gives.

    Attributes:
        curve: `threshold`, `sensitivity`, `specificity`; a row is positive where its score is
            `>= threshold`. At most 1,000 points cross the bridge, corners first.
        auc: the area; NaN where undefined.
        std_error: its standard error; NaN where it has none.
        lower: the lower end of its interval.
        upper: the upper end.
        method: the name of the interval.
        reason: why something is undefined.
        auto: the area that pROC's `direction = "auto"` would have reported; NaN with case weights.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        conf_level: the level of the interval.
        replicates: how many bootstrap samples were drawn; None where there was no bootstrap.
        seed: that of the bootstrap; None where there was no bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    curve: pd.DataFrame
    auc: float
    std_error: float
    lower: float
    upper: float
    method: str | None
    reason: str | None
    auto: float
    counts: dict[str, int]
    positive: str
    conf_level: float
    replicates: int | None
    seed: int | None
    warning: list[str]


@dataclass(frozen=True, eq=False)
class AucInterval(RResult):
    """What `rside::auc_ci()` gives.

    Attributes:
        estimate: the area under the ROC curve; NaN where undefined.
        std_error: its standard error; NaN where it has none.
        lower: the lower end of its interval.
        upper: the upper end.
        method: the name of the interval.
        reason: why something is undefined.
        auto: the area that pROC's `direction = "auto"` would have reported; NaN with case weights.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        conf_level: the level of the interval.
        replicates: how many bootstrap samples were drawn; None where there was no bootstrap.
        seed: that of the bootstrap; None where there was no bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    estimate: float
    std_error: float
    lower: float
    upper: float
    method: str | None
    reason: str | None
    auto: float
    counts: dict[str, int]
    positive: str
    conf_level: float
    replicates: int | None
    seed: int | None
    warning: list[str]


@dataclass(frozen=True, eq=False)
class MulticlassAuc(RResult):
    """What `rside::multiclass_auc()` gives.

    Attributes:
        values: the areas `hand_till`, `macro`, `macro_weighted` and `micro`, and that of each class
            against the rest (`one_vs_rest`).
        counts: the rows of each class in the truth.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn; None where there was no bootstrap.
        seed: that of the bootstrap; None where there was no bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    values: list[Opinion]
    counts: dict[str, int]
    conf_level: float
    replicates: int | None
    seed: int | None
    warning: list[str]


@dataclass(frozen=True, eq=False)
class PartialAuc(RResult):
    """What `rside::partial_auc()` gives.

    Attributes:
        values: `partial_auc`, and `partial_auc_corrected` by McClish.
        bounds: what `partial_auc` can be: the `minimum` (0), `chance` (the area below the
            diagonal), the `maximum` (the width of the range).
        range: the ends of the range, in increasing order.
        focus: what the range is one of: "specificity" or "sensitivity".
        curve: `sensitivity` and `specificity`, the greatest threshold first. At most 1,000 points
            cross the bridge, corners first.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn.
        seed: that of the bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    values: list[Opinion]
    bounds: dict[str, float]
    range: list[float]
    focus: RangeOf
    curve: pd.DataFrame
    counts: dict[str, int]
    positive: str
    conf_level: float
    replicates: int
    seed: int
    warning: list[str]


@dataclass(frozen=True, eq=False)
class PrCurve(RResult):
    """What `rside::pr_curve()` gives.

    Attributes:
        curve: `threshold`, `recall`, `precision`, the greatest threshold first; a row is positive
            where its score is `>= threshold`. At most 1,000 points cross the bridge, corners first.
        values: `average_precision` and `pr_auc_trapezoid`.
        prevalence: the share of positives, by weight: the precision of guessing.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn.
        seed: that of the bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    curve: pd.DataFrame
    values: list[Opinion]
    prevalence: float
    counts: dict[str, int]
    positive: str
    conf_level: float
    replicates: int
    seed: int
    warning: list[str]


@dataclass(frozen=True, eq=False)
class RocBand(RResult):
    """What `rside::roc_band()` gives.

    Attributes:
        values: first the fixed value, `specificity` (or `sensitivity`), then `metric` (the value of
            `of`), `estimator`, `class`, `estimate`, `std_error`, `lower`, `upper`, `method` and
            `reason`. The intervals hold pointwise.
        of: what the band is one of: "sensitivity" or "specificity".
        curve: `sensitivity` and `specificity`, the greatest threshold first. At most 1,000 points
            cross the bridge, corners first.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn.
        seed: that of the bootstrap.
    """

    values: pd.DataFrame
    of: Rate
    curve: pd.DataFrame
    counts: dict[str, int]
    positive: str
    conf_level: float
    replicates: int
    seed: int
