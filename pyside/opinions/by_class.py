"""The numbers of one class of a confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyside.checks import Floats
from pyside.opinions import shares
from pyside.opinions.intervals import clopper_pearson
from pyside.opinions.opinion import PER_CLASS, Opinion
from pyside.opinions.reasons import (
    ABSENT,
    ALONE_IN_TRUTH,
    ALONE_PREDICTED,
    NEITHER,
    NEVER_PREDICTED,
    lacks,
)
from pyside.opinions.sample import Sample


def of_positive(sample: Sample) -> Iterator[Opinion]:
    """The numbers of the positive class of two."""
    assert sample.positive is not None
    positive, negative = sample.positive, 1 - sample.positive
    recall, precision, f1 = _scores(sample)
    recalls, precisions = shares.recall(sample), shares.precision(sample)
    for metric, estimates, proportions, i, says in (
        ("sensitivity", recall, recalls, positive, ABSENT),
        ("specificity", recall, recalls, negative, ABSENT),
        ("precision", precision, precisions, positive, NEVER_PREDICTED),
        ("npv", precision, precisions, negative, NEVER_PREDICTED),
    ):
        yield shares.share_opinion(
            (metric, "binary", None),
            estimates[i],
            proportions.of(i),
            sample.conf_level,
            lacks(sample.classes[i], says),
        )
    yield shares.share_opinion(
        ("f1", "binary", None),
        f1[positive],
        shares.jaccard(sample).of(positive),
        sample.conf_level,
        lacks(sample.classes[positive], NEITHER),
        shares.f1_interval,
    )


def of_each(sample: Sample) -> Iterator[list[Opinion]]:
    """The numbers of each class against the rest, class by class."""
    recall, precision, f1 = _scores(sample)
    proportions = {
        "sensitivity": shares.recall(sample),
        "specificity": shares.specificity(sample),
        "precision": shares.precision(sample),
        "npv": shares.npv(sample),
        "f1": shares.jaccard(sample),
    }
    says = (ABSENT, ALONE_IN_TRUTH, NEVER_PREDICTED, ALONE_PREDICTED, NEITHER)
    for i, name in enumerate(sample.classes):
        specificity, npv = _scores_of_the_rest(sample, i)
        estimates = (recall[i], specificity, precision[i], npv, f1[i])
        yield [
            shares.share_opinion(
                (metric, PER_CLASS, name),
                estimate,
                share.of(i),
                sample.conf_level,
                lacks(name, absence),
                shares.f1_interval if metric == "f1" else clopper_pearson,
            )
            for (metric, share), estimate, absence in zip(
                proportions.items(), estimates, says, strict=True
            )
        ]


def _scores(sample: Sample) -> tuple[Floats, Floats, Floats]:
    """scikit-learn's recall, precision and F1 of every class; 0 where undefined."""
    from sklearn.metrics import precision_recall_fscore_support

    precision, recall, f1, _ = precision_recall_fscore_support(
        sample.truth,
        sample.decisions,
        labels=np.arange(len(sample.classes)),
        sample_weight=sample.sample_weight,
    )
    return recall, precision, f1


def _scores_of_the_rest(sample: Sample, i: int) -> tuple[float, float]:
    """scikit-learn's recall and precision of "not this class"; 0 where undefined."""
    from sklearn.metrics import precision_recall_fscore_support

    (precision,), (recall,), _, _ = precision_recall_fscore_support(
        sample.truth == i,
        sample.decisions == i,
        labels=[False],
        sample_weight=sample.sample_weight,
    )
    return float(recall), float(precision)
