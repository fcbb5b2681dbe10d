"""Python's own opinion of every number of a report, by scikit-learn.

ARCHITECTURE.md ("Numbers") lists the rows of a report and the words of every reason.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pyside.errors import list_names

if TYPE_CHECKING:
    from pyside.predictions import Predictions

NAN = math.nan
PER_CLASS = "one_vs_rest"

# What is said of one class, and of several.
_ABSENT = ("does not occur in the truth", "do not occur in the truth")
_NEVER_PREDICTED = ("is never predicted", "are never predicted")
_NEITHER = (
    "neither occurs in the truth nor is predicted",
    "neither occur in the truth nor are predicted",
)


@dataclass(frozen=True)
class Opinion:
    """One number of a report, by one language.

    Attributes:
        metric: the metric's name in the registry.
        estimator: "binary", "multiclass", "macro", "macro_weighted", "hand_till" or
            "one_vs_rest".
        class_name: the class of a "one_vs_rest" row.
        estimate: the number; NaN where undefined.
        lower: the lower end of its interval; NaN where it has none.
        upper: the upper end.
        reason: why something is undefined or left out.
        registry_estimate: the number under the registry's definition, where the library's default
            in `estimate` follows another one.
    """

    metric: str
    estimator: str
    class_name: str | None
    estimate: float
    lower: float = NAN
    upper: float = NAN
    reason: str | None = None
    registry_estimate: float | None = None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What the number is: metric, estimator, class."""
        return (self.metric, self.estimator, self.class_name)


def opinions(predictions: Predictions, *, conf_level: float = 0.95) -> list[Opinion]:
    """Python's numbers for a prediction table, in the order of a report.

    Args:
        predictions: the table; case weights are not used, every row counts once.
        conf_level: the level of the intervals.
    """
    table = _Table.of(predictions, conf_level)
    with warnings.catch_warnings():
        # scikit-learn warns where a value is undefined; each opinion says so in its reason.
        warnings.filterwarnings("ignore", module="sklearn")
        rows = _binary(table) if predictions.positive is not None else _multiclass(table)
        return list(rows)


@dataclass(frozen=True)
class _Table:
    """What scikit-learn needs, as integer codes: it is 60 times slower on text labels."""

    classes: tuple[str, ...]
    positive: int | None
    truth: npt.NDArray[np.intp]
    decisions: npt.NDArray[np.intp]
    probabilities: npt.NDArray[np.float64]
    confusion: npt.NDArray[np.int64]
    conf_level: float

    @classmethod
    def of(cls, predictions: Predictions, conf_level: float) -> _Table:
        from sklearn.metrics import confusion_matrix

        truth, decisions = predictions.truth, predictions.decisions
        k = len(predictions.classes)
        positive = predictions.positive
        return cls(
            classes=predictions.classes,
            positive=None if positive is None else predictions.classes.index(positive),
            truth=truth,
            decisions=decisions,
            probabilities=predictions.probabilities,
            confusion=confusion_matrix(truth, decisions, labels=np.arange(k)),
            conf_level=conf_level,
        )

    @property
    def n(self) -> int:
        return len(self.truth)

    @property
    def true_counts(self) -> npt.NDArray[np.int64]:
        return np.asarray(self.confusion.sum(axis=1))

    @property
    def predicted_counts(self) -> npt.NDArray[np.int64]:
        return np.asarray(self.confusion.sum(axis=0))

    @property
    def present(self) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.true_counts)]


def _binary(table: _Table) -> Iterator[Opinion]:
    assert table.positive is not None
    positive, negative = table.positive, 1 - table.positive
    yield from _overall(table, "binary")
    yield _named(_recall(table, positive), "sensitivity", "binary")
    yield _named(_recall(table, negative), "specificity", "binary")
    yield _named(_precision(table, positive), "precision", "binary")
    yield _named(_precision(table, negative), "npv", "binary")
    yield _named(_f1(table, positive), "f1", "binary")
    yield _named(_auc(table, positive), "roc_auc", "binary")
    yield from _probability_scores(table, "binary")


def _multiclass(table: _Table) -> Iterator[Opinion]:
    yield from _overall(table, "multiclass")
    for metric, average in (("sensitivity", "recall"), ("precision", "precision"), ("f1", "f1")):
        yield _macro(table, metric, average)
    yield _hand_till(table)
    yield from _one_vs_rest_means(table)
    yield from _probability_scores(table, "multiclass")
    for i, name in enumerate(table.classes):
        for metric, one in (
            ("sensitivity", _recall),
            ("precision", _precision),
            ("f1", _f1),
            ("roc_auc", _auc),
        ):
            yield replace(_named(one(table, i), metric, PER_CLASS), class_name=name)


def _named(opinion: Opinion, metric: str, estimator: str) -> Opinion:
    return replace(opinion, metric=metric, estimator=estimator)


def _overall(table: _Table, estimator: str) -> Iterator[Opinion]:
    from sklearn import metrics

    truth, decisions = table.truth, table.decisions
    lower, upper = _clopper_pearson(int(np.trace(table.confusion)), table.n, table.conf_level)
    accuracy = metrics.accuracy_score(truth, decisions)
    yield Opinion("accuracy", estimator, None, float(accuracy), lower, upper)

    balanced = metrics.balanced_accuracy_score(truth, decisions)
    yield Opinion(
        "balanced_accuracy",
        estimator,
        None,
        float(balanced),
        reason=_left_out(table, table.true_counts == 0, _ABSENT),
    )

    one_class = len(table.present) == 1
    one_predicted = np.count_nonzero(table.predicted_counts) == 1
    only_true = f"only class '{table.classes[table.present[0]]}' occurs in the truth"
    only_predicted = f"only class '{table.classes[int(table.decisions[0])]}' is predicted"

    same_class = one_class and one_predicted and table.truth[0] == table.decisions[0]
    kappa = NAN if same_class else float(metrics.cohen_kappa_score(truth, decisions))
    yield Opinion("cohen_kappa", estimator, None, kappa, reason=only_true if same_class else None)

    undefined = one_class or one_predicted
    yield Opinion(
        "mcc",
        estimator,
        None,
        float(metrics.matthews_corrcoef(truth, decisions)),
        reason=(only_true if one_class else only_predicted) if undefined else None,
        registry_estimate=NAN if undefined else None,
    )


def _probability_scores(table: _Table, estimator: str) -> Iterator[Opinion]:
    from sklearn import metrics

    labels = np.arange(len(table.classes))
    loss = metrics.log_loss(table.truth, table.probabilities, labels=labels)
    yield Opinion("log_loss", estimator, None, float(loss))

    if table.positive is not None:
        scores = table.probabilities[:, table.positive]
        brier = metrics.brier_score_loss(
            table.truth == table.positive, np.clip(scores, 0, 1), pos_label=True
        )
        yield Opinion("brier_score", estimator, None, float(brier))
        return
    brier = metrics.brier_score_loss(table.truth, table.probabilities, labels=labels)
    halved = metrics.brier_score_loss(
        table.truth, table.probabilities, labels=labels, scale_by_half=True
    )
    yield Opinion("brier_score", estimator, None, float(brier), registry_estimate=float(halved))


def _recall(table: _Table, i: int) -> Opinion:
    undefined = f"class '{table.classes[i]}' {_ABSENT[0]}"
    return _proportion(table, i, "recall", int(table.true_counts[i]), undefined)


def _precision(table: _Table, i: int) -> Opinion:
    undefined = f"class '{table.classes[i]}' {_NEVER_PREDICTED[0]}"
    return _proportion(table, i, "precision", int(table.predicted_counts[i]), undefined)


def _proportion(table: _Table, i: int, score: str, n: int, undefined: str) -> Opinion:
    """One class's share of correct rows among `n`, exact interval, by scikit-learn and scipy."""
    estimate = _class_score(table, i, score)
    if n == 0:
        return Opinion("", "", None, estimate, reason=undefined, registry_estimate=NAN)
    lower, upper = _clopper_pearson(int(table.confusion[i, i]), n, table.conf_level)
    return Opinion("", "", None, estimate, lower, upper)


def _f1(table: _Table, i: int) -> Opinion:
    estimate = _class_score(table, i, "f1")
    if table.true_counts[i] + table.predicted_counts[i] == 0:
        reason = f"class '{table.classes[i]}' {_NEITHER[0]}"
        return Opinion("", "", None, estimate, reason=reason, registry_estimate=NAN)
    return Opinion("", "", None, estimate)


def _class_score(table: _Table, i: int, score: str) -> float:
    from sklearn import metrics

    function = getattr(metrics, f"{score}_score")
    return float(function(table.truth, table.decisions, labels=[i], average=None)[0])


def _macro(table: _Table, metric: str, score: str) -> Opinion:
    from sklearn import metrics

    function = getattr(metrics, f"{score}_score")
    labels = np.arange(len(table.classes))
    default, defined = (
        float(
            function(
                table.truth, table.decisions, labels=labels, average="macro", zero_division=rule
            )
        )
        for rule in ("warn", NAN)
    )
    never_true, never_predicted = table.true_counts == 0, table.predicted_counts == 0
    reason = {
        "recall": _left_out(table, never_true, _ABSENT),
        "precision": _left_out(table, never_predicted, _NEVER_PREDICTED),
        "f1": _left_out(table, never_true & never_predicted, _NEITHER),
    }[score]
    return Opinion(
        metric,
        "macro",
        None,
        default,
        reason=reason,
        registry_estimate=None if reason is None else defined,
    )


def _left_out(table: _Table, marked: npt.NDArray[np.bool_], says: tuple[str, str]) -> str | None:
    """Which classes a mean leaves out, or None."""
    names = [name for name, out in zip(table.classes, marked, strict=True) if out]
    if not names:
        return None
    return f"left out: {list_names('class', names)} {says[min(len(names), 2) - 1]}"


def _auc(table: _Table, i: int) -> Opinion:
    """The AUC of one class against the rest, with DeLong's interval."""
    from sklearn.metrics import roc_auc_score

    one = table.truth == i
    if len(table.present) == 1 and (one.all() or table.positive is not None):
        only = table.classes[table.present[0]]
        return Opinion("", "", None, NAN, reason=f"only class '{only}' occurs in the truth")
    if not one.any():
        absent = f"class '{table.classes[i]}' {_ABSENT[0]}"
        return Opinion("", "", None, NAN, reason=absent)
    scores = table.probabilities[:, i]
    estimate = float(roc_auc_score(one, scores))
    own = f"class '{table.classes[i]}'"
    rest = f"classes other than '{table.classes[i]}'"
    if table.positive is not None:
        rest = f"class '{table.classes[1 - i]}'"
    for count, group in ((np.count_nonzero(~one), rest), (np.count_nonzero(one), own)):
        if count < 2:
            reason = f"no interval: fewer than two examples of {group}"
            return Opinion("", "", None, estimate, reason=reason)
    error = _delong_standard_error(one, scores)
    if error == 0:
        return Opinion("", "", None, estimate, reason="no interval: DeLong's variance is 0")
    half = _normal_quantile(table.conf_level) * error
    return Opinion("", "", None, estimate, max(estimate - half, 0.0), min(estimate + half, 1.0))


def _delong_standard_error(
    positive: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]
) -> float:
    """DeLong's standard error of an AUC, by mid-ranks.

    DeLong et al. (1988) <doi:10.2307/2531595>; by mid-ranks after Sun and Xu (2014)
    <doi:10.1109/LSP.2014.2337313>.
    """
    from scipy.stats import rankdata

    cases, controls = scores[positive], scores[~positive]
    m, n = len(cases), len(controls)
    ranks = rankdata(np.concatenate([cases, controls]))
    above_controls = (ranks[:m] - rankdata(cases)) / n
    below_cases = 1 - (ranks[m:] - rankdata(controls)) / m
    if np.ptp(above_controls) == 0 and np.ptp(below_cases) == 0:
        return 0.0  # exactly, where rounding in the mean would leave a trace
    variance = above_controls.var(ddof=1) / m + below_cases.var(ddof=1) / n
    return math.sqrt(variance)


def _hand_till(table: _Table) -> Opinion:
    """Hand and Till's M; classes that do not occur in the truth are left out."""
    from sklearn.metrics import roc_auc_score

    if len(table.present) == 1:
        only = table.classes[table.present[0]]
        return Opinion(
            "roc_auc", "hand_till", None, NAN, reason=f"only class '{only}' occurs in the truth"
        )
    reason = _left_out(table, table.true_counts == 0, _ABSENT)
    if reason is None and np.allclose(table.probabilities.sum(axis=1), 1):
        estimate = float(
            roc_auc_score(table.truth, table.probabilities, multi_class="ovo", average="macro")
        )
        return Opinion("roc_auc", "hand_till", None, estimate)
    pairs = []
    for a, b in combinations(table.present, 2):
        rows = np.isin(table.truth, (a, b))
        for i in (a, b):
            pairs.append(roc_auc_score(table.truth[rows] == i, table.probabilities[rows, i]))
    return Opinion("roc_auc", "hand_till", None, float(np.mean(pairs)), reason=reason)


def _one_vs_rest_means(table: _Table) -> Iterator[Opinion]:
    from sklearn.metrics import roc_auc_score

    present = table.present
    if len(present) == 1:
        only = f"only class '{table.classes[present[0]]}' occurs in the truth"
        for estimator in ("macro", "macro_weighted"):
            yield Opinion("roc_auc", estimator, None, NAN, reason=only)
        return
    one_hot = table.truth[:, None] == np.array(present)
    scores = table.probabilities[:, present]
    reason = _left_out(table, table.true_counts == 0, _ABSENT)
    for estimator, average in (("macro", "macro"), ("macro_weighted", "weighted")):
        estimate = float(roc_auc_score(one_hot, scores, average=average))
        yield Opinion("roc_auc", estimator, None, estimate, reason=reason)


def _clopper_pearson(successes: int, n: int, conf_level: float) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(conf_level, method="exact")
    return float(interval.low), float(interval.high)


def _normal_quantile(conf_level: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(0.5 + conf_level / 2))
