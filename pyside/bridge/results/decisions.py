"""Decisions, and the thresholds that they follow from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from pyside.bridge.choices import ShareInterval
from pyside.bridge.results.base import RResult
from pyside.opinions import Opinion


@dataclass(frozen=True, eq=False)
class Confusion(RResult):
    """What `rside::confusion()` gives.

    Attributes:
        table: `predicted`, `truth`, `n`, one row per cell; `n` is a sum of weights where there
            are case weights.
        overall: the numbers of the positive class of two, or the means over more classes.
        by_class: the numbers of each class against the rest.
        tests: `test`, `statistic`, `df`, `p_value`, `reason`.
        positive: the positive class of two.
        n: the rows that count.
        conf_level: the level of the intervals.
        interval: that of proportions, "exact" or "wilson".
        prevalence: the one for which predictive values were asked, if any.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    table: pd.DataFrame
    overall: list[Opinion]
    by_class: list[Opinion]
    tests: pd.DataFrame
    positive: str | None
    n: int
    conf_level: float
    interval: ShareInterval
    prevalence: float | None
    warning: list[str]


@dataclass(frozen=True, eq=False)
class OperatingPoints(RResult):
    """What `rside::operating_points()` gives.

    Attributes:
        points: `rule`, `target`, `threshold`, `lower`, `upper`, `method` (of the threshold's
            interval), `reason`. A threshold of infinity calls nothing positive.
        values: per rule `metric`, `estimator`, `class`, `estimate`, `std_error`, `lower`, `upper`,
            `method`, `reason`, for the threshold as it stands. Ratios may be infinite.
        optimism: by how much a threshold chosen on these rows looks better than it is: `rule`,
            `metric`, `apparent`, `optimism`, `corrected`, and `std_error`, `lower`, `upper`,
            `method`, `reason` of the corrected rate; None where nothing was searched for.
        curve: `threshold`, `sensitivity`, `specificity`, at most 1,000 points, corners first; None
            where the truth has one class only.
        counts: the rows of the negative and the positive class.
        positive: the positive class.
        prevalence: that of `cost_ratio`, if there is one.
        conf_level: the level of the intervals.
        replicates: how many bootstrap samples were drawn.
        seed: that of the bootstrap.
        warning: how often such intervals failed in simulated tables with as few rows of a class;
            empty where they did not.
    """

    points: pd.DataFrame
    values: pd.DataFrame
    optimism: pd.DataFrame | None
    curve: pd.DataFrame | None
    counts: dict[str, int]
    positive: str
    prevalence: float | None
    conf_level: float
    replicates: int
    seed: int
    warning: list[str]
