"""Proportions in a confusion matrix: sums over its cells, so that nothing cancels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from pyside.checks import Floats
from pyside.opinions.intervals import Interval, Share, clopper_pearson
from pyside.opinions.opinion import NAN, Key, Opinion
from pyside.opinions.sample import Sample

Number = TypeVar("Number", float, Floats)


def share_of(
    sample: Sample, hits: Callable[[Floats], Floats], misses: Callable[[Floats], Floats]
) -> Share:
    """What hits and what misses, each a sum over the cells of a confusion matrix."""
    counts, squares, rows = sample.confusion, sample.squares, sample.row_counts
    return Share(
        hits(counts), misses(counts), hits(squares), misses(squares), hits(rows) + misses(rows)
    )


def accuracy(sample: Sample) -> Share:
    """Of all rows, those that are correct."""
    return share_of(sample, lambda counts: np.trace(counts), lambda counts: _wrong(counts).sum())


def recall(sample: Sample) -> Share:
    """Of each class, the rows that are predicted as it."""
    return share_of(sample, np.diag, _missed)


def precision(sample: Sample) -> Share:
    """Of the rows that are predicted as each class, those of it."""
    return share_of(sample, np.diag, _false_alarms)


def jaccard(sample: Sample) -> Share:
    """Of the rows that are of a class or predicted as it, those that are both."""
    return share_of(sample, np.diag, lambda counts: _missed(counts) + _false_alarms(counts))


def specificity(sample: Sample) -> Share:
    """Of the rows of other classes, those that are not predicted as this one."""
    return share_of(sample, _elsewhere, _false_alarms)


def npv(sample: Sample) -> Share:
    """Of the rows that are not predicted as a class, those of others."""
    return share_of(sample, _elsewhere, _missed)


def _wrong(counts: Floats) -> Floats:
    return counts - np.diag(np.diag(counts))


def _missed(counts: Floats) -> Floats:
    return np.asarray(_wrong(counts).sum(axis=1))


def _false_alarms(counts: Floats) -> Floats:
    return np.asarray(_wrong(counts).sum(axis=0))


def _elsewhere(counts: Floats) -> Floats:
    """Rows that neither are of a class nor are predicted as it."""
    none = np.zeros((len(counts), 1))
    before = np.hstack([none, counts.cumsum(axis=1)[:, :-1]])
    after = np.hstack([counts[:, ::-1].cumsum(axis=1)[:, -2::-1], none])
    return _false_alarms(before + after)


def f1(jaccard: Number) -> Number:
    """F1 = 2 TP / (2 TP + FP + FN) as a function of TP / (TP + FP + FN), which is a share."""
    return 2 * jaccard / (1 + jaccard)


def f1_interval(share: Share, conf_level: float) -> Interval:
    """That of the share of which F1 is a monotone function."""
    lower, upper, method = clopper_pearson(share, conf_level)
    return Interval(f1(lower), f1(upper), method)


def f1_correlation(sample: Sample) -> Floats:
    """How the F1 of two classes vary together, to first order.

    An error between two classes lowers both; F1 = 2 c / s, s = true + predicted, has the
    derivatives 2 / s by c and -F1 / s by s. A class without variance is correlated with none.
    """
    share, squares = jaccard(sample), sample.squares
    size = 2 * share.hits + share.misses
    with np.errstate(invalid="ignore", divide="ignore"):
        value = 2 * share.hits / size
        fall, rise = value / size, (2 - 2 * value) / size
        error = np.sqrt(share.hit_squares * rise**2 + share.miss_squares * fall**2)
        slopes = np.where(error > 0, fall / error, 0)
    correlation = np.asarray((squares + squares.T) * np.outer(slopes, slopes))
    np.fill_diagonal(correlation, 1)
    return correlation


def share_opinion(
    key: Key,
    estimate: float,
    share: Share,
    conf_level: float,
    undefined: str | None = None,
    interval: Callable[[Share, float], Interval] = clopper_pearson,
) -> Opinion:
    """An opinion of a proportion.

    Args:
        key: metric, estimator, class.
        estimate: scikit-learn's.
        share: the proportion.
        conf_level: the level of the interval.
        undefined: why it is undefined where it is a share of nothing.
        interval: the kind of interval.
    """
    if share.hits + share.misses == 0:
        return Opinion(*key, float(estimate), reason=undefined, registry_estimate=NAN)
    return Opinion(*key, float(estimate), *interval(share, conf_level))
