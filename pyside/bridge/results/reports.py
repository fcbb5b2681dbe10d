"""Reports on a whole table, on its groups, and on two tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from pyside.bridge.choices import Binning, DifferenceInterval, Matched
from pyside.bridge.results.base import Note, RResult
from pyside.bridge.results.curves import RocCurve
from pyside.opinions import Opinion


@dataclass(frozen=True, eq=False)
class RValidation(RResult):
    """What `rside::validate()` gives.

    Attributes:
        metrics: R's numbers, in the order of a report.
        confusion: the confusion matrix: `predicted`, `truth`, `n`, one row per cell; `n` is a sum
            of weights where there are case weights.
        roc: the ROC curve of two classes.
        classes: the classes, in their order.
        positive: the positive class of two.
        threshold: from which probability on it is predicted.
        n: the rows that count.
        dropped: how many rows were left out for a missing label or probability.
        conf_level: the level of the intervals.
        source: the `path` and the `sha256` of the file that the table was read from, if any.
        notes: what must be known beside the numbers.
        versions: of R and its packages.
    """

    metrics: list[Opinion]
    confusion: pd.DataFrame
    roc: RocCurve | None
    classes: list[str]
    positive: str | None
    threshold: float | None
    n: int
    dropped: int
    conf_level: float
    source: Mapping[str, str] | None
    notes: list[Note]
    versions: dict[str, str]


@dataclass(frozen=True, eq=False)
class Calibration(RResult):
    """What `rside::calibration()` gives.

    Attributes:
        values: scores, the terms of the Brier score, intercept and slope, calibration errors.
        curve: the reliability curve, one row per event and bin that is not empty: `estimator`,
            `class`, `bin`, `from`, `to`, `n`, `share`, `predicted`, `observed`, `lower`, `upper`.
        empty_bins: `estimator`, `class`, `empty`: how many bins of an event are empty.
        expected_if_calibrated: per calibration error `metric`, `estimator`, `class`, `estimate`,
            and its mean (`expected`) and central range (`lower`, `upper`) had the truth been drawn
            from these very probabilities.
        tests: `test`, `statistic`, `df`, `p_value`, `reason`.
        histogram: how many scores lie in each fortieth of 0 to 1: `estimator`, `class`, `from`,
            `to`, `n`.
        bins: how many bins.
        binning: "quantile" or "width".
        counts: the rows of each class in the truth.
        classes: the classes, in their order.
        positive: the positive class of two.
        n: the rows that count.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn.
        seed: that of the bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    values: list[Opinion]
    curve: pd.DataFrame
    empty_bins: pd.DataFrame
    expected_if_calibrated: pd.DataFrame
    tests: pd.DataFrame
    histogram: pd.DataFrame
    bins: int
    binning: Binning
    counts: dict[str, int]
    classes: list[str]
    positive: str | None
    n: int
    conf_level: float
    replicates: int
    seed: int
    warning: list[str]


@dataclass(frozen=True, eq=False)
class Comparison(RResult):
    """What `rside::compare_models()` gives.

    Attributes:
        differences: `metric`, `estimator`, the estimates `a` and `b`, `difference` (a - b),
            `std_error`, `lower`, `upper`, `statistic`, `df` (missing where the statistic is
            normal), `p_value`, `method`, `reason`.
        tests: whether both models are right equally often: `test`, `statistic`, `df`, `p_value`,
            `reason`.
        roc: of two classes, the curves of the models "a" and "b".
        matched: by what the rows were matched: "id", "position" or "none".
        n: the rows of "a" and "b".
        paired: whether both models judged the same rows.
        names: how the two models are called.
        classes: the classes, in their order.
        positive: the positive class of two.
        conf_level: the level of the intervals.
        interval: "delta" or "bootstrap".
        notes: what must be known beside the numbers.
        replicates: how many bootstrap samples were drawn; None where there was no bootstrap.
        seed: that of the bootstrap; None where there was no bootstrap.
    """

    differences: pd.DataFrame
    tests: pd.DataFrame
    roc: dict[str, RocCurve] | None
    matched: Matched
    n: dict[str, int]
    paired: bool
    names: list[str]
    classes: list[str]
    positive: str | None
    conf_level: float
    interval: DifferenceInterval
    notes: list[Note]
    replicates: int | None
    seed: int | None


@dataclass(frozen=True, eq=False)
class Slices(RResult):
    """What `rside::slices()` gives.

    Attributes:
        values: one row per number and slice: `group`, `level` (missing where the group is), `n`
            (rows), then `metric`, `estimator`, `class`, `estimate`, `std_error`, `lower`, `upper`,
            `method`, `reason`.
        overall: the same numbers of the whole table.
        worst: per group and number the worst slice: `group`, `metric`, `estimator`, `class`,
            `level`, `n`, `estimate`, `lower`, `upper`, `overall`, `difference`.
        homogeneity: per group and number a test that all slices share one value: `group`, `metric`,
            `estimator`, `class`, `slices`, `statistic`, `df`, `p_value`, `p_adjusted` (Holm's),
            `method`, `reason`.
        small: `group`, `level` and `n` of the slices below `minimum`.
        weighted: whether rows count by their weight.
        by: the columns of each group, by its name.
        n: the rows that count.
        classes: the classes, in their order.
        positive: the positive class of two.
        minimum: how many rows a slice needs to be ranked and tested.
        conf_level: the level of the intervals.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    values: pd.DataFrame
    overall: list[Opinion]
    worst: pd.DataFrame
    homogeneity: pd.DataFrame
    small: pd.DataFrame
    weighted: bool
    by: dict[str, list[str]]
    n: int
    classes: list[str]
    positive: str | None
    minimum: float
    conf_level: float
    warning: list[str]
