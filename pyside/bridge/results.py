"""What R's functions give, as frozen Python types."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from pyside.opinions import Opinion


@dataclass(frozen=True)
class Confusion:
    """What `rside::confusion()` gives.

    Attributes:
        counts: `predicted`, `truth`, `n`, one row per cell; `n` is a sum of weights where there
            are case weights.
        overall: the numbers of the whole table.
        by_class: the numbers of each class against the rest.
        positive: the positive class of two.
    """

    counts: pd.DataFrame
    overall: list[Opinion]
    by_class: list[Opinion]
    positive: str | None


@dataclass(frozen=True)
class RocCurve:
    """What `rside::roc_curve()` gives.

    Attributes:
        curve: `threshold`, `sensitivity`, `specificity`; a row is positive where its score is
            `>= threshold`. At most 1,000 points cross the bridge, corners first.
        auc: the area; NaN where undefined.
        lower: the lower end of its interval.
        upper: the upper end.
        std_error: its standard error; NaN where it has none.
        method: the name of the interval.
        reason: why something is undefined.
        auto: the area that pROC's `direction = "auto"` would have reported; NaN with case weights.
        positive: the positive class.
    """

    curve: pd.DataFrame
    auc: float
    lower: float
    upper: float
    std_error: float
    method: str | None
    reason: str | None
    auto: float
    positive: str


@dataclass(frozen=True)
class AucInterval:
    """What `rside::auc_ci()` gives.

    Attributes:
        estimate: the area under the ROC curve; NaN where undefined.
        lower: the lower end of its interval.
        upper: the upper end.
        std_error: its standard error; NaN where it has none.
        method: the name of the interval.
        reason: why something is undefined.
        auto: the area that pROC's `direction = "auto"` would have reported; NaN with case weights.
        positive: the positive class.
    """

    estimate: float
    lower: float
    upper: float
    std_error: float
    method: str | None
    reason: str | None
    auto: float
    positive: str


@dataclass(frozen=True)
class Note:
    """What a reader of the numbers must know: an assumption, an omission, a suspicion."""

    code: str
    text: str


@dataclass(frozen=True)
class RValidation:
    """What `rside::validate()` gives.

    Attributes:
        opinions: R's numbers, in the order of a report.
        counts: the confusion matrix: `predicted`, `truth`, `n`, one row per cell; `n` is a sum of
            weights where there are case weights.
        roc: the ROC curve of two classes.
        n: the rows that count.
        notes: what must be known beside the numbers.
        versions: of R and its packages.
    """

    opinions: list[Opinion]
    counts: pd.DataFrame
    roc: RocCurve | None
    n: int
    notes: list[Note]
    versions: dict[str, str]
