"""Python's own opinion of every number of a report, by scikit-learn.

ARCHITECTURE.md ("Numbers") lists the rows of a report and the words of every reason. Estimates are
scikit-learn's; intervals are written here, by other routes than R's.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyside.opinions.opinion import PER_CLASS, Opinion

if TYPE_CHECKING:
    from pyside.opinions.sample import Sample
    from pyside.predictions import Predictions

__all__ = ["PER_CLASS", "Opinion", "opinions"]


def opinions(predictions: Predictions, *, conf_level: float = 0.95) -> list[Opinion]:
    """Python's numbers for a prediction table, in the order of a report.

    Args:
        predictions: the table; where it has case weights, rows count by them.
        conf_level: the level of the intervals.
    """
    from pyside.opinions.sample import Sample

    sample = Sample.of(predictions, conf_level)
    with warnings.catch_warnings():
        # scikit-learn warns where a value is undefined; each opinion says so in its reason.
        warnings.filterwarnings("ignore", module="sklearn")
        return list(_multiclass(sample) if sample.positive is None else _binary(sample))


def _binary(sample: Sample) -> Iterator[Opinion]:
    from pyside.opinions import by_class, overall, probabilities, ranking

    yield from overall.agreement(sample)
    yield from by_class.of_positive(sample)
    yield ranking.binary_auc(sample)
    yield ranking.average_precision(sample)
    yield from probabilities.scores(sample)


def _multiclass(sample: Sample) -> Iterator[Opinion]:
    from pyside.opinions import averages, by_class, overall, probabilities, ranking

    yield from overall.agreement(sample)
    yield from averages.averages(sample)
    yield from ranking.mean_aucs(sample)
    yield from probabilities.scores(sample)
    for i, of_class in enumerate(by_class.of_each(sample)):
        yield from of_class
        yield ranking.one_vs_rest_auc(sample, i)
