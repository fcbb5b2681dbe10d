"""How far truth and predictions agree, over all classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyside.opinions import reasons, shares
from pyside.opinions.influence import Complex, Statistic, error_of_counts
from pyside.opinions.intervals import FISHER, delta_opinion, mover
from pyside.opinions.opinion import NAN, Opinion
from pyside.opinions.sample import Sample


def agreement(sample: Sample) -> Iterator[Opinion]:
    """From the accuracy to Matthews' coefficient."""
    yield accuracy(sample, "accuracy", sample.task)
    yield _no_information_rate(sample)
    yield _balanced_accuracy(sample)
    yield from _coefficients(sample)


def accuracy(sample: Sample, metric: str, estimator: str) -> Opinion:
    """The share of correct rows, under the name of what equals it."""
    from sklearn.metrics import accuracy_score

    estimate = accuracy_score(sample.truth, sample.decisions, sample_weight=sample.sample_weight)
    share = shares.accuracy(sample)
    return shares.share_opinion((metric, estimator, None), estimate, share, sample.conf_level)


def _no_information_rate(sample: Sample) -> Opinion:
    """The share of the most frequent class: what always guessing it would reach."""
    from sklearn.dummy import DummyClassifier

    nothing, truth, weights = np.zeros((len(sample), 1)), sample.truth, sample.sample_weight
    guess = DummyClassifier(strategy="most_frequent").fit(nothing, truth, weights)
    counts = sample.confusion.sum(axis=1)
    # The first of equals, whatever rounding does to their sums.
    largest = int(np.flatnonzero(counts >= counts.max() * (1 - 1e-12))[0])
    share = shares.share_of(
        sample,
        lambda counts: counts[largest].sum(),
        lambda counts: np.delete(counts, largest, axis=0).sum(),
    )
    key = ("no_information_rate", sample.task, None)
    return shares.share_opinion(key, guess.score(nothing, truth, weights), share, sample.conf_level)


def _balanced_accuracy(sample: Sample) -> Opinion:
    from sklearn.metrics import balanced_accuracy_score

    estimate = balanced_accuracy_score(
        sample.truth, sample.decisions, sample_weight=sample.sample_weight
    )
    absent = sample.rows_of_class == 0
    return Opinion(
        "balanced_accuracy",
        sample.task,
        None,
        float(estimate),
        *mover(shares.recall(sample).of(~absent), sample.conf_level),
        reason=reasons.left_out(sample.classes, absent, reasons.ABSENT),
    )


def _coefficients(sample: Sample) -> Iterator[Opinion]:
    """Cohen's kappa and Matthews' coefficient."""
    from sklearn import metrics

    truth, decisions, weights = sample.truth, sample.decisions, sample.sample_weight
    present, predicted = sample.present, sample.predicted
    reason = None
    if len(present) == 1:
        reason = reasons.only_in_truth(sample.classes[present[0]])
    elif len(predicted) == 1:
        reason = reasons.only_predicted(sample.classes[predicted[0]])

    if len(present) == 1 and present == predicted:
        yield Opinion("cohen_kappa", sample.task, None, NAN, reason=reason)
    else:
        estimate = metrics.cohen_kappa_score(truth, decisions, sample_weight=weights)
        yield _coefficient(sample, "cohen_kappa", estimate, kappa)

    estimate = metrics.matthews_corrcoef(truth, decisions, sample_weight=weights)
    if reason is None:
        yield _coefficient(sample, "mcc", estimate, mcc)
    else:
        yield Opinion(
            "mcc", sample.task, None, float(estimate), reason=reason, registry_estimate=NAN
        )


def _coefficient(sample: Sample, metric: str, estimate: float, statistic: Statistic) -> Opinion:
    error = error_of_counts(statistic, sample.confusion, sample.squares)
    key = (metric, sample.task, None)
    return delta_opinion(key, float(estimate), error, FISHER, sample.conf_level)


def kappa(correct: Complex, true: Complex, predicted: Complex) -> np.complex128:
    """Cohen (1960) <doi:10.1177/001316446002000104>."""
    rows = true.sum()
    expected = true @ predicted / rows**2
    return np.complex128((correct.sum() / rows - expected) / (1 - expected))


def mcc(correct: Complex, true: Complex, predicted: Complex) -> np.complex128:
    """Gorodkin (2004) <doi:10.1016/j.compbiolchem.2004.09.006>."""
    rows = true.sum()
    covariance = correct.sum() * rows - true @ predicted
    spread = (rows**2 - true @ true) * (rows**2 - predicted @ predicted)
    return np.complex128(covariance / np.sqrt(spread))
