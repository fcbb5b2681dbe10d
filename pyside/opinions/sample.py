"""The rows of a prediction table that count, as scikit-learn takes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pyside.checks import Codes, Floats

if TYPE_CHECKING:
    from pyside.predictions import Predictions


@dataclass(frozen=True)
class Sample:
    """The rows that count, as integer codes: scikit-learn is 60 times slower on text labels.

    Attributes:
        classes: the K class names, in class order.
        positive: the position of the positive class of two.
        truth: the true classes, `(n,)`.
        decisions: the predicted classes, `(n,)`.
        probabilities: `(n, K)`.
        sample_weight: the case weights, `(n,)`; None where all are equal.
        conf_level: the level of the intervals.
    """

    classes: tuple[str, ...]
    positive: int | None
    truth: Codes
    decisions: Codes
    probabilities: Floats
    sample_weight: Floats | None
    conf_level: float

    @classmethod
    def of(cls, predictions: Predictions, conf_level: float) -> Sample:
        """The rows of a table whose weight is not 0."""
        weights = predictions.weights
        counts = np.ones(len(predictions), dtype=np.bool_) if weights is None else weights > 0
        weighted = weights is not None and np.ptp(weights[counts]) > 0
        positive = predictions.positive
        return cls(
            classes=predictions.classes,
            positive=None if positive is None else predictions.classes.index(positive),
            truth=predictions.truth[counts],
            decisions=predictions.decisions[counts],
            probabilities=predictions.probabilities[counts],
            sample_weight=_scaled(weights[counts]) if weights is not None and weighted else None,
            conf_level=conf_level,
        )

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def task(self) -> str:
        """The estimator of what is no mean over classes."""
        return "multiclass" if self.positive is None else "binary"

    @cached_property
    def weights(self) -> Floats:
        """The case weights, 1 where there are none."""
        return np.ones(len(self)) if self.sample_weight is None else self.sample_weight

    @cached_property
    def confusion(self) -> Floats:
        """The confusion matrix, truth in rows, in sums of weights."""
        return self._confusion(self.sample_weight)

    @cached_property
    def squares(self) -> Floats:
        """The confusion matrix in sums of squared weights."""
        weights = self.sample_weight
        return self.confusion if weights is None else self._confusion(weights**2)

    @cached_property
    def row_counts(self) -> Floats:
        """The confusion matrix in rows."""
        return self.confusion if self.sample_weight is None else self._confusion(None)

    def _confusion(self, weights: Floats | None) -> Floats:
        from sklearn.metrics import confusion_matrix

        labels = np.arange(len(self.classes))
        matrix = confusion_matrix(self.truth, self.decisions, labels=labels, sample_weight=weights)
        return np.asarray(matrix, dtype=np.float64)

    @cached_property
    def rows_of_class(self) -> Codes:
        """How many rows have each class as their truth."""
        return np.bincount(self.truth, minlength=len(self.classes))

    @cached_property
    def present(self) -> list[int]:
        """The classes that occur in the truth."""
        return [int(i) for i in np.flatnonzero(self.rows_of_class)]

    @cached_property
    def predicted(self) -> list[int]:
        """The classes that are predicted."""
        return [int(i) for i in np.unique(self.decisions)]


def _scaled(weights: Floats) -> Floats:
    """Only ratios count; a power of 2 changes none, and keeps squares in reach."""
    return np.asarray(np.ldexp(weights, -np.frexp(weights.max())[1]))
