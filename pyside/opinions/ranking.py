"""The numbers of a ranking by score: areas under curves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from pyside.checks import Floats, Mask
from pyside.errors import list_names
from pyside.opinions import reasons
from pyside.opinions.influence import (
    auc_derivatives,
    error_of,
    placements,
)
from pyside.opinions.intervals import (
    BOYD,
    DELONG,
    DELONG_LOGIT,
    LOGIT,
    OBUCHOWSKI,
    delta_opinion,
    newcombe,
    normal_quantile,
)
from pyside.opinions.opinion import NAN, PER_CLASS, Key, Opinion
from pyside.opinions.sample import Sample

_MEANS = ("hand_till", "macro", "macro_weighted", "micro")

# --- of one class --------------------------------------------------------------------------------


def binary_auc(sample: Sample) -> Opinion:
    """The AUC of the positive class of two."""
    assert sample.positive is not None
    name, other = sample.classes[sample.positive], sample.classes[1 - sample.positive]
    return _auc(
        sample,
        sample.positive,
        ("roc_auc", "binary", None),
        absent=(reasons.only_in_truth(name), reasons.only_in_truth(other)),
        groups=(f"class '{other}'", f"class '{name}'"),
    )


def one_vs_rest_auc(sample: Sample, i: int) -> Opinion:
    """The AUC of a class against the rest."""
    name = sample.classes[i]
    return _auc(
        sample,
        i,
        ("roc_auc", PER_CLASS, name),
        absent=(reasons.only_in_truth(name), reasons.lacks(name, reasons.ABSENT)),
        groups=(f"classes other than '{name}'", f"class '{name}'"),
    )


def _auc(
    sample: Sample,
    i: int,
    key: Key,
    *,
    absent: tuple[str, str],
    groups: tuple[str, str],
) -> Opinion:
    """One AUC, with DeLong's interval, or Newcombe's where that is undefined.

    Args:
        sample: the rows.
        i: the positive class.
        key: metric, estimator, class.
        absent: why there is no AUC without negatives, and without positives.
        groups: what negatives and positives are called.
    """
    from sklearn.metrics import roc_auc_score

    positive, scores, weights = sample.truth == i, sample.probabilities[:, i], sample.weights
    sizes = [int((~positive).sum()), int(positive.sum())]
    if 0 in sizes:
        return Opinion(*key, NAN, reason=absent[sizes.index(0)])
    auc = float(roc_auc_score(positive, scores, sample_weight=sample.sample_weight))

    if min(sizes) < 2:
        small = [group for group, size in zip(groups, sizes, strict=True) if size < 2]
        why = reasons.too_few(small[0])
    elif _is_constant(placements(scores, positive, weights), positive):
        why = "DeLong's variance is 0"
    else:
        error = error_of(auc_derivatives(scores, positive, weights), weights)
        half = normal_quantile(sample.conf_level) * error
        return Opinion(*key, auc, max(auc - half, 0.0), min(auc + half, 1.0), DELONG)
    interval = newcombe(
        auc,
        _effective_rows(weights[positive]),
        _effective_rows(weights[~positive]),
        sample.conf_level,
    )
    return Opinion(*key, auc, *interval, f"{why}: Newcombe's interval instead of DeLong's")


def _is_constant(placed: Floats, positive: Mask) -> bool:
    """Whether the rows of a class cannot be told apart; exact, where a variance is rounded."""
    return all(np.ptp(placed[one]) == 0 for one in (positive, ~positive))


def _effective_rows(weights: Floats) -> float:
    """How many rows of equal weight would be as many: Kish (1965)."""
    return float(weights.sum() ** 2 / (weights @ weights))


def average_precision(sample: Sample) -> Opinion:
    """The average precision of the positive class of two."""
    from sklearn.metrics import average_precision_score

    assert sample.positive is not None
    positive = sample.truth == sample.positive
    scores = sample.probabilities[:, sample.positive]
    key = ("average_precision", "binary", None)
    estimate = float(average_precision_score(positive, scores, sample_weight=sample.sample_weight))
    if not positive.any():
        reason = reasons.only_in_truth(sample.classes[1 - sample.positive])
        return Opinion(*key, estimate, reason=reason, registry_estimate=NAN)
    # Boyd et al. (2013) <doi:10.1007/978-3-642-40994-3_29>: as if the positives were that many
    # trials. Rounding leads beyond 1, and leaves a trace of what is lacking to it.
    spread = estimate * (1 - estimate) if estimate < 1 - 1e-12 else 0.0
    error = np.sqrt(spread / _effective_rows(sample.weights[positive]))
    return delta_opinion(key, estimate, error, LOGIT, sample.conf_level, method=BOYD)


# --- means over pairs and classes ----------------------------------------------------------------


def mean_aucs(sample: Sample) -> Iterator[Opinion]:
    """Hand and Till's mean over the pairs of classes, and the means over one-vs-rest."""
    present = sample.present
    if len(present) == 1:
        only = reasons.only_in_truth(sample.classes[present[0]])
        yield from (Opinion("roc_auc", mean, None, NAN, reason=only) for mean in _MEANS)
        return
    left = reasons.left_out(sample.classes, sample.rows_of_class == 0, reasons.ABSENT)
    few = [sample.classes[i] for i in present if sample.rows_of_class[i] < 2]
    estimates = zip(_MEANS, _estimates(sample), strict=True)
    if few:
        why = f"no interval: {reasons.too_few(list_names('class', few))}"
        for mean, estimate in estimates:
            yield Opinion("roc_auc", mean, None, estimate, reason=reasons.joined(left, why))
        return
    derivatives = mean_auc_derivatives(sample)
    for mean, estimate in estimates:
        yield delta_opinion(
            ("roc_auc", mean, None),
            estimate,
            error_of(derivatives[mean], sample.weights),
            LOGIT,
            sample.conf_level,
            method=OBUCHOWSKI if mean == "micro" else DELONG_LOGIT,
            reason=left,
        )


def _estimates(sample: Sample) -> list[float]:
    from sklearn.metrics import roc_auc_score

    one_hot, scores = _one_hot(sample)
    by_average = (
        roc_auc_score(one_hot, scores, average=average, sample_weight=sample.sample_weight)
        for average in ("macro", "weighted", "micro")
    )
    return [_hand_till(sample), *map(float, by_average)]


def _one_hot(sample: Sample) -> tuple[Mask, Floats]:
    """Of every class that occurs in the truth: which rows are of it, and its scores."""
    present = np.array(sample.present)
    return sample.truth[:, None] == present, sample.probabilities[:, present]


def _hand_till(sample: Sample) -> float:
    """Hand and Till's M; classes that do not occur in the truth are left out."""
    from sklearn.metrics import roc_auc_score

    truth, scores = sample.truth, sample.probabilities
    # scikit-learn's own takes neither weights, nor absent classes, nor sums other than 1.
    plain = sample.sample_weight is None and len(sample.present) == len(sample.classes)
    if plain and np.allclose(scores.sum(axis=1), 1):
        return float(roc_auc_score(truth, scores, multi_class="ovo", average="macro"))
    areas = []
    for rows, i in _pairs(sample):
        weights = None if sample.sample_weight is None else sample.sample_weight[rows]
        areas.append(roc_auc_score(truth[rows] == i, scores[rows, i], sample_weight=weights))
    return float(np.mean(areas))


def _pairs(sample: Sample) -> Iterator[tuple[Mask, int]]:
    """The rows of every two classes, once with either of them as the positive one."""
    for pair in combinations(sample.present, 2):
        rows = np.isin(sample.truth, pair)
        yield from ((rows, i) for i in pair)


def mean_auc_derivatives(sample: Sample) -> dict[str, Floats]:
    """The derivatives of each mean by the weights of the rows."""
    from sklearn.metrics import roc_auc_score

    weights, (one_hot, scores) = sample.weights, _one_hot(sample)
    n, k = one_hot.shape
    each = np.column_stack(
        [auc_derivatives(scores[:, j], one_hot[:, j], weights) for j in range(k)]
    )
    # The prevalences, by which a mean is weighted, move as well.
    areas = roc_auc_score(one_hot, scores, average=None, sample_weight=sample.sample_weight)
    prevalence = weights @ one_hot / weights.sum()
    moved = (one_hot @ areas - prevalence @ areas) / weights.sum()
    # The scores of a row are a cluster: Obuchowski (1997) <doi:10.2307/2533958>.
    pooled = auc_derivatives(scores.ravel(), one_hot.ravel(), np.repeat(weights, k), sizes=(n, n))
    return {
        "hand_till": _hand_till_derivatives(sample),
        "macro": each.mean(axis=1),
        "macro_weighted": each @ prevalence + moved,
        "micro": pooled.reshape(n, k).sum(axis=1),
    }


def _hand_till_derivatives(sample: Sample) -> Floats:
    total, pairs = np.zeros(len(sample)), 0
    for rows, i in _pairs(sample):
        scores, positive = sample.probabilities[rows, i], sample.truth[rows] == i
        total[rows] += auc_derivatives(scores, positive, sample.weights[rows])
        pairs += 1
    return np.asarray(total / pairs)
