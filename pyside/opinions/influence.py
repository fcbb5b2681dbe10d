"""How much a number moves with the weight of each row, which gives its standard error.

A number that only the ratios of the weights decide has, to first order, the variance
sum(weight^2 derivative^2): Hampel (1974). The rows, not their copies, are the sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pyside.checks import Floats, Mask

Complex: TypeAlias = npt.NDArray[np.complex128]
Statistic: TypeAlias = Callable[[Complex, Complex, Complex], np.complex128]
"""A number from the correct, true and predicted counts of every class."""

_STEP = 1e-50


def error_of(derivatives: Floats, weights: Floats) -> float:
    """The standard error of a number from its derivatives by the weights."""
    return float(np.linalg.norm(weights * derivatives))


def error_of_counts(statistic: Statistic, confusion: Floats, squares: Floats) -> float:
    """The standard error of a number that follows from a confusion matrix.

    Args:
        statistic: the number, written without comparisons, so that it takes complex counts.
        confusion: the counts, truth in rows.
        squares: the sums of squared weights in the same cells.
    """
    return float(np.sqrt((squares * cell_derivatives(statistic, confusion) ** 2).sum()))


def cell_derivatives(statistic: Statistic, confusion: Floats) -> Floats:
    """The derivative of a number by the count of each cell.

    By complex steps: Squire and Trapp (1998) <doi:10.1137/S003614459631241X>. They are exact,
    since nothing is subtracted.
    """
    counts = np.array(
        [np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)], dtype=np.complex128
    )
    slopes = np.empty(counts.shape)
    for place in np.ndindex(counts.shape):
        stepped = counts.copy()
        stepped[place] += _STEP * 1j
        slopes[place] = statistic(*stepped).imag / _STEP
    correct, true, predicted = slopes
    return np.asarray(true[:, None] + predicted[None, :] + np.diag(correct))


def placements(scores: Floats, positive: Mask, weights: Floats) -> Floats:
    """Of each positive the share of negatives below it, of each negative that of positives above.

    Equal scores count half. The mean over either class is the AUC.
    """
    placed = np.empty(len(scores))
    for one in (positive, ~positive):
        others = np.argsort(scores[~one], kind="stable")
        weight = np.concatenate([[0.0], np.cumsum(weights[~one][others])])
        ranked = scores[~one][others]
        below = weight[np.searchsorted(ranked, scores[one], side="left")]
        not_above = weight[np.searchsorted(ranked, scores[one], side="right")]
        placed[one] = (below / weight[-1] + not_above / weight[-1]) / 2
    return np.where(positive, placed, 1 - placed)


def auc_derivatives(
    scores: Floats, positive: Mask, weights: Floats, sizes: tuple[int, int] | None = None
) -> Floats:
    """Of the AUC, such that the standard error is DeLong's where the weights are equal.

    DeLong et al. (1988) <doi:10.2307/2531595>.

    Args:
        scores: the score of each row.
        positive: which rows are positive.
        weights: the case weights.
        sizes: how many positives and negatives are independent of each other; all unless stated.
    """
    placed = placements(scores, positive, weights)
    derivatives = np.empty(len(scores))
    independent = sizes or (int(positive.sum()), int((~positive).sum()))
    for one, size in zip((positive, ~positive), independent, strict=True):
        total = weights[one].sum()
        centred = placed[one] - placed[one] @ weights[one] / total
        derivatives[one] = centred / total * np.sqrt(size / (size - 1))
    return derivatives
