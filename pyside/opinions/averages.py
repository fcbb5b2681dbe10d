"""Means over the classes of sensitivity, precision and F1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyside.checks import Mask
from pyside.opinions import reasons, shares
from pyside.opinions.influence import Complex, Statistic, error_of_counts
from pyside.opinions.intervals import LOGIT, Interval, Share, delta_opinion, mover, mover_of, wilson
from pyside.opinions.opinion import NAN, Opinion
from pyside.opinions.overall import accuracy
from pyside.opinions.sample import Sample


def averages(sample: Sample) -> Iterator[Opinion]:
    """Of each metric the macro, macro_weighted and micro mean."""
    never_true = sample.rows_of_class == 0
    never_predicted = np.bincount(sample.decisions, minlength=len(sample.classes)) == 0

    yield _mean_of_shares(
        sample, "sensitivity", "recall", shares.recall(sample), never_true, reasons.ABSENT
    )
    # A row counts in the class that is its truth: the weighted mean is the accuracy.
    yield accuracy(sample, "sensitivity", "macro_weighted")
    yield accuracy(sample, "sensitivity", "micro")

    says = reasons.NEVER_PREDICTED
    yield _mean_of_shares(
        sample, "precision", "precision", shares.precision(sample), never_predicted, says
    )
    yield _weighted_precision(sample, never_true, never_predicted)
    yield accuracy(sample, "precision", "micro")

    neither = never_true & never_predicted
    reason = reasons.left_out(sample.classes, neither, reasons.NEITHER)
    default, defined = _by_library(sample, "f1", "macro")
    yield Opinion(
        "f1",
        "macro",
        None,
        default,
        *_macro_f1_interval(sample, ~neither),
        reason=reason,
        registry_estimate=None if reason is None else defined,
    )
    # A class that does not occur in the truth has no weight, whatever its F1.
    default, _ = _by_library(sample, "f1", "weighted")
    yield _by_delta(sample, "f1", "macro_weighted", default, weighted_f1(~never_true), reason)
    yield accuracy(sample, "f1", "micro")


def _macro_f1_interval(sample: Sample, of: Mask) -> Interval:
    """MOVER's, from Wilson's of each F1."""
    jaccard = shares.jaccard(sample).of(of)
    lower, upper = (shares.f1(end) for end in wilson(jaccard, sample.conf_level))
    correlation = shares.f1_correlation(sample)[np.ix_(of, of)]
    return mover_of(shares.f1(jaccard.estimate), lower, upper, correlation)


def weighted_f1(of: Mask) -> Statistic:
    """The mean over some of the classes, weighted by how often they are true."""

    def statistic(correct: Complex, true: Complex, predicted: Complex) -> np.complex128:
        f1 = 2 * correct[of] / (true[of] + predicted[of])
        return np.complex128(true[of] @ f1 / true[of].sum())

    return statistic


def weighted_precision(of: Mask) -> Statistic:
    """The mean over some of the classes, weighted by how often they are true."""

    def statistic(correct: Complex, true: Complex, predicted: Complex) -> np.complex128:
        return np.complex128(true[of] @ (correct[of] / predicted[of]) / true[of].sum())

    return statistic


def _mean_of_shares(
    sample: Sample,
    metric: str,
    score: str,
    proportions: Share,
    undefined: Mask,
    says: tuple[str, str],
) -> Opinion:
    default, defined = _by_library(sample, score, "macro")
    reason = reasons.left_out(sample.classes, undefined, says)
    return Opinion(
        metric,
        "macro",
        None,
        default,
        *mover(proportions.of(~undefined), sample.conf_level),
        reason=reason,
        registry_estimate=None if reason is None else defined,
    )


def _weighted_precision(sample: Sample, never_true: Mask, never_predicted: Mask) -> Opinion:
    default, defined = _by_library(sample, "precision", "weighted")
    reason = reasons.left_out(sample.classes, never_predicted, reasons.NEVER_PREDICTED)
    of = ~never_true & ~never_predicted
    if not of.any():
        return Opinion(
            "precision", "macro_weighted", None, default, reason=reason, registry_estimate=NAN
        )
    registry = None if reason is None else defined
    statistic = weighted_precision(of)
    return _by_delta(sample, "precision", "macro_weighted", default, statistic, reason, registry)


def _by_delta(
    sample: Sample,
    metric: str,
    estimator: str,
    estimate: float,
    statistic: Statistic,
    reason: str | None,
    registry_estimate: float | None = None,
) -> Opinion:
    error = error_of_counts(statistic, sample.confusion, sample.squares)
    return delta_opinion(
        (metric, estimator, None),
        estimate,
        error,
        LOGIT,
        sample.conf_level,
        reason=reason,
        registry_estimate=registry_estimate,
    )


def _by_library(sample: Sample, score: str, average: str) -> tuple[float, float]:
    """scikit-learn's mean over the classes: by default, and with undefined ones left out."""
    from sklearn import metrics

    function = getattr(metrics, f"{score}_score")
    default, defined = (
        function(
            sample.truth,
            sample.decisions,
            labels=np.arange(len(sample.classes)),
            average=average,
            sample_weight=sample.sample_weight,
            zero_division=rule,
        )
        for rule in ("warn", NAN)
    )
    return float(default), float(defined)
