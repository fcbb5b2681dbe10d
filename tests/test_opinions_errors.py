"""Every standard error against finite differences of scikit-learn's own metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics
from tables import by_name, frame_of, one

from pyside.opinions import Opinion
from pyside.predictions import Predictions

Z = float(norm.ppf(0.975))
LABELS = np.arange(3)

Number = Callable[[np.ndarray], float]


def slopes(number: Number, weights: np.ndarray) -> np.ndarray:
    """The derivative of a number by each weight, by central differences."""
    found = np.empty(len(weights))
    for i in range(len(weights)):
        step = 1e-5 * weights[i]
        up, down = weights.copy(), weights.copy()
        up[i] += step
        down[i] -= step
        found[i] = (number(up) - number(down)) / (2 * step)
    return found


def spread(number: Number, weights: np.ndarray, factors: np.ndarray | float = 1.0) -> float:
    """The standard error: the rows are the sample."""
    return float(np.linalg.norm(weights * slopes(number, weights) * factors))


def agrees(opinion: Opinion, estimate: float, error: float, scale: str) -> None:
    """Whether the interval is that of the standard error on the scale."""
    there, back, slope = {
        "log": (math.log, math.exp, estimate),
        "logit": (lambda p: math.log(p / (1 - p)), lambda x: 1 / (1 + math.exp(-x)), None),
        "Fisher z": (math.atanh, math.tanh, 1 - estimate**2),
    }[scale]
    half = Z * error / (slope or estimate * (1 - estimate))
    ends = (back(there(estimate) - half), back(there(estimate) + half))
    assert (opinion.lower, opinion.upper) == pytest.approx(ends, abs=1e-7), opinion


WEIGHTINGS = ["none", "some"]


def sampled(k: int, n: int, weighting: str, seed: int) -> tuple[Predictions, np.ndarray]:
    """A table of an informative classifier, tied scores included, and its weights."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), np.arange(k), rng.integers(0, k, n - 2 * k)])
    raw = rng.integers(1, 9, (n, k)) + 6 * np.eye(k)[truth] * rng.integers(0, 2, (n, 1))
    weights = rng.uniform(0.2, 3, n) if weighting == "some" else None
    frame = frame_of(truth.tolist(), raw / raw.sum(axis=1, keepdims=True), weights)
    return Predictions.from_frame(frame), np.ones(n) if weights is None else weights


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_errors_of_two_classes_are_those_of_finite_differences(weighting: str, seed: int) -> None:
    predictions, weights = sampled(2, 40, weighting, seed)
    truth, decisions = predictions.truth, predictions.decisions
    scores = predictions.probabilities[:, 1]

    def of(function: Callable[..., float], predicted: np.ndarray) -> Number:
        return lambda w: function(truth, predicted, sample_weight=w)

    for metric, number, scale in (
        ("cohen_kappa", of(metrics.cohen_kappa_score, decisions), "Fisher z"),
        ("mcc", of(metrics.matthews_corrcoef, decisions), "Fisher z"),
        ("log_loss", of(metrics.log_loss, scores), "log"),
        ("brier_score", of(metrics.brier_score_loss, scores), "logit"),
    ):
        opinion = one(predictions, metric)
        assert opinion.method == f"delta ({scale})"
        assert opinion.estimate == pytest.approx(number(weights), abs=1e-12)
        agrees(opinion, opinion.estimate, spread(number, weights), scale)

    opinion = one(predictions, "roc_auc")
    assert opinion.method == "DeLong"
    sizes = np.bincount(truth)[truth]
    error = spread(of(metrics.roc_auc_score, scores), weights, np.sqrt(sizes / (sizes - 1)))
    assert opinion.upper == pytest.approx(min(opinion.estimate + Z * error, 1), abs=1e-7)
    assert opinion.lower == pytest.approx(max(opinion.estimate - Z * error, 0), abs=1e-7)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_errors_of_several_classes_are_those_of_finite_differences(
    weighting: str, seed: int
) -> None:
    predictions, weights = sampled(3, 45, weighting, seed)
    numbers = by_name(predictions)
    truth, decisions = predictions.truth, predictions.decisions
    scores = predictions.probabilities

    def averaged(function: Callable[..., float], average: str) -> Number:
        return lambda w: function(
            truth, decisions, sample_weight=w, average=average, labels=LABELS, zero_division=0
        )

    for metric, estimator, number, scale in (
        (
            "cohen_kappa",
            "multiclass",
            lambda w: metrics.cohen_kappa_score(truth, decisions, sample_weight=w),
            "Fisher z",
        ),
        (
            "mcc",
            "multiclass",
            lambda w: metrics.matthews_corrcoef(truth, decisions, sample_weight=w),
            "Fisher z",
        ),
        ("precision", "macro_weighted", averaged(metrics.precision_score, "weighted"), "logit"),
        ("f1", "macro_weighted", averaged(metrics.f1_score, "weighted"), "logit"),
        (
            "log_loss",
            "multiclass",
            lambda w: metrics.log_loss(truth, scores, sample_weight=w),
            "log",
        ),
        (
            "brier_score",
            "multiclass",
            lambda w: metrics.brier_score_loss(truth, scores, sample_weight=w, scale_by_half=True),
            "logit",
        ),
    ):
        opinion = numbers[metric, estimator, None]
        assert opinion.method == f"delta ({scale})"
        agrees(opinion, number(weights), spread(number, weights), scale)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_macro_f1_has_movers_interval_with_the_correlation_of_finite_differences(
    weighting: str, seed: int
) -> None:
    """Zou, Huang and Zhang (2009), from Wilson's interval of each class's TP / (TP + FP + FN)."""
    predictions, weights = sampled(3, 45, weighting, seed)
    truth, decisions = predictions.truth, predictions.decisions

    def f1(w: np.ndarray) -> np.ndarray:
        return metrics.f1_score(truth, decisions, sample_weight=w, average=None, labels=LABELS)

    moved = np.array([slopes(lambda w, i=i: f1(w)[i], weights) for i in range(3)]) * weights
    covariance = moved @ moved.T
    errors = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(errors, errors)

    distances = {"lower": [], "upper": []}
    for i in range(3):
        hit = (truth == i) & (decisions == i)
        among = (truth == i) | (decisions == i)
        share = np.average(hit[among], weights=weights[among])
        variance = (weights[among] ** 2 * (hit[among] - share) ** 2).sum()
        trials = share * (1 - share) * weights[among].sum() ** 2 / variance
        trials = min(trials, among.sum())
        middle = (share + Z**2 / 2 / trials) / (1 + Z**2 / trials)
        half = Z * math.sqrt(share * (1 - share) / trials + (Z / 2 / trials) ** 2)
        half /= 1 + Z**2 / trials
        for end, sign in (("lower", -1), ("upper", 1)):
            jaccard = middle + sign * half
            distances[end].append(abs(2 * jaccard / (1 + jaccard) - f1(weights)[i]))
    opinion = by_name(predictions)["f1", "macro", None]
    assert opinion.method == "MOVER (Wilson)"
    for end, sign in (("lower", -1), ("upper", 1)):
        d = np.array(distances[end])
        expected = f1(weights).mean() + sign * math.sqrt(d @ correlation @ d) / 3
        assert getattr(opinion, end) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_average_precision_has_the_error_of_as_many_trials_as_positives(weighting: str) -> None:
    """Boyd, Eng and Page (2013) <doi:10.1007/978-3-642-40994-3_29>."""
    predictions, weights = sampled(2, 40, weighting, 1)
    positive = predictions.truth == 1
    opinion = one(predictions, "average_precision")
    estimate = metrics.average_precision_score(
        positive, predictions.probabilities[:, 1], sample_weight=weights
    )
    kish = weights[positive].sum() ** 2 / (weights[positive] ** 2).sum()
    if weighting == "none":
        assert kish == positive.sum()
    assert opinion.method == "Boyd (logit)"
    agrees(opinion, estimate, math.sqrt(estimate * (1 - estimate) / kish), "logit")


def one_vs_rest(truth: np.ndarray, scores: np.ndarray, i: int) -> Number:
    return lambda w: metrics.roc_auc_score(truth == i, scores[:, i], sample_weight=w)


def correction(size: np.ndarray) -> np.ndarray:
    """DeLong's division by one less than the size of a row's group."""
    return np.sqrt(size / (size - 1))


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_errors_of_mean_aucs_are_those_of_finite_differences(weighting: str, seed: int) -> None:
    predictions, weights = sampled(3, 45, weighting, seed)
    numbers = by_name(predictions)
    truth, scores = predictions.truth, predictions.probabilities
    sizes = np.bincount(truth)
    own = correction(sizes[truth])

    def pair(i: int, j: int) -> Number:
        rows = np.isin(truth, (i, j))
        return lambda w: metrics.roc_auc_score(
            truth[rows] == i, scores[rows, i], sample_weight=w[rows]
        )

    pairs = [pair(*p) for i, j in combinations(range(3), 2) for p in ((i, j), (j, i))]
    hand_till = spread(lambda w: np.mean([p(w) for p in pairs]), weights, own)

    moved = []
    for i in range(3):
        group = np.where(truth == i, sizes[i], len(truth) - sizes[i])
        moved.append(slopes(one_vs_rest(truth, scores, i), weights) * correction(group))
    areas = np.array([one_vs_rest(truth, scores, i)(weights) for i in range(3)])
    shares_of = np.bincount(truth, weights) / weights.sum()
    by_prevalence = slopes(lambda w: np.bincount(truth, w) @ areas / w.sum(), weights)
    weighted = shares_of @ np.array(moved) + by_prevalence

    def micro(w: np.ndarray) -> float:
        return float(
            metrics.roc_auc_score(np.eye(3)[truth], scores, average="micro", sample_weight=w)
        )

    for estimator, error in (
        ("hand_till", hand_till),
        ("macro", float(np.linalg.norm(weights * np.mean(moved, axis=0)))),
        ("macro_weighted", float(np.linalg.norm(weights * weighted))),
        ("micro", spread(micro, weights, correction(np.array(len(truth))))),
    ):
        opinion = numbers["roc_auc", estimator, None]
        named = "Obuchowski (logit)" if estimator == "micro" else "DeLong (logit)"
        assert opinion.method == named
        agrees(opinion, opinion.estimate, error, "logit")


def test_micro_interval_is_obuchowskis_by_definition() -> None:
    """Obuchowski (1997) <doi:10.2307/2533958>, pair by pair: each row is a cluster."""
    predictions, _ = sampled(3, 30, "none", 4)
    truth, scores = predictions.truth, predictions.probabilities
    n = len(truth)
    hits = [scores[i, truth[i]] for i in range(n)]
    misses = [[scores[i, j] for j in range(3) if j != truth[i]] for i in range(n)]
    flat = [x for row in misses for x in row]

    def wins(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    v10 = [np.mean([wins(x, y) for y in flat]) for x in hits]
    v01 = [[np.mean([wins(x, y) for x in hits]) for y in row] for row in misses]
    auc = float(np.mean(v10))
    tops = np.array([v - auc for v in v10])
    bottoms = np.array([sum(v - auc for v in row) for row in v01])
    # One positive, two negatives in each of n clusters.
    s10, s01, s11 = (
        n / (n - 1) * sum(x) for x in (tops**2 / n, bottoms**2 / (2 * n), tops * bottoms / n)
    )
    variance = s10 / n + s01 / (2 * n) + 2 * s11 / (n * 2)
    opinion = by_name(predictions)["roc_auc", "micro", None]
    assert opinion.estimate == pytest.approx(auc, abs=1e-12)
    agrees(opinion, auc, math.sqrt(variance), "logit")
