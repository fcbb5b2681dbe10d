"""Scores of the probabilities themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyside.checks import Floats
from pyside.opinions.influence import error_of
from pyside.opinions.intervals import LOG, LOGIT, delta_opinion
from pyside.opinions.opinion import Opinion
from pyside.opinions.sample import Sample


def scores(sample: Sample) -> Iterator[Opinion]:
    """Log-loss and Brier score."""
    from sklearn import metrics

    labels, weights = np.arange(len(sample.classes)), sample.sample_weight
    is_true = sample.truth[:, None] == labels
    loss = metrics.log_loss(
        sample.truth, sample.probabilities, labels=labels, sample_weight=weights
    )
    eps = np.finfo(np.float64).eps
    losses = -np.log(np.clip(sample.probabilities[is_true], eps, 1 - eps))
    yield _mean(sample, "log_loss", loss, losses, LOG)

    if sample.positive is not None:
        is_positive = is_true[:, sample.positive]
        probability = np.clip(sample.probabilities[:, sample.positive], 0, 1)
        brier = metrics.brier_score_loss(
            is_positive, probability, pos_label=True, sample_weight=weights
        )
        yield _mean(sample, "brier_score", brier, (probability - is_positive) ** 2, LOGIT)
        return
    brier, halved = (
        metrics.brier_score_loss(
            sample.truth,
            sample.probabilities,
            labels=labels,
            sample_weight=weights,
            scale_by_half=half,
        )
        for half in ("auto", True)
    )
    distances = ((sample.probabilities - is_true) ** 2).sum(axis=1) / 2
    yield _mean(sample, "brier_score", brier, distances, LOGIT, float(halved))


def _mean(
    sample: Sample,
    metric: str,
    estimate: float,
    losses: Floats,
    scale: str,
    registry_estimate: float | None = None,
) -> Opinion:
    """The mean of what each row loses."""
    mean = np.average(losses, weights=sample.weights)
    error = error_of((losses - mean) / sample.weights.sum(), sample.weights)
    return delta_opinion(
        (metric, sample.task, None),
        float(estimate),
        error,
        scale,
        sample.conf_level,
        registry_estimate=registry_estimate,
    )
