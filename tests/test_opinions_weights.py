"""Case weights: what they count, and what they must not change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from tables import by_name, frame_of, random_frames

from pyside.opinions import Opinion, opinions
from pyside.opinions.opinion import Key
from pyside.predictions import Predictions

POSITIVE = st.sampled_from([0.1, 0.3, 0.5, 1.0, 1.7, 3.0])


def of(frame: pd.DataFrame) -> list[Opinion]:
    return opinions(Predictions.from_frame(frame))


def said(found: list[Opinion]) -> list[tuple[object, ...]]:
    return [(*opinion.key, opinion.method, opinion.reason) for opinion in found]


def same_numbers(one: list[Opinion], other: list[Opinion], *names: str, tolerance: float) -> None:
    for a, b in zip(one, other, strict=True):
        for name in names:
            x, y = getattr(a, name), getattr(b, name)
            assert x == y or x == pytest.approx(y, abs=tolerance, nan_ok=True), (name, a, b)


@settings(max_examples=30, deadline=None)
@given(frame=random_frames(), weight=POSITIVE)
def test_equal_weights_are_no_weights(frame: pd.DataFrame, weight: float) -> None:
    weighted = of(frame.assign(weight=weight))
    assert said(weighted) == said(of(frame))
    same_numbers(weighted, of(frame), "estimate", "lower", "upper", tolerance=0)


@settings(max_examples=30, deadline=None)
@given(frame=random_frames(weights=st.integers(0, 4).map(float)))
def test_weight_of_k_counts_as_k_copies(frame: pd.DataFrame) -> None:
    copies = frame.loc[frame.index.repeat(frame["weight"].astype(int))].drop(columns="weight")
    names = ("estimate", "registry_estimate")
    same_numbers(of(frame), of(copies), *names, tolerance=1e-12)


@settings(max_examples=30, deadline=None)
@given(frame=random_frames(weights=POSITIVE), factor=st.sampled_from([3.0, 1e-200, 1e200, 0.7]))
def test_only_the_ratios_of_weights_count(frame: pd.DataFrame, factor: float) -> None:
    scaled = frame.assign(weight=frame["weight"] * factor)
    assert said(of(scaled)) == said(of(frame))
    same_numbers(of(scaled), of(frame), "estimate", "lower", "upper", tolerance=1e-9)


@settings(max_examples=25, deadline=None)
@given(frame=random_frames(weights=st.sampled_from([0.0, 0.5, 2.0])))
def test_rows_of_weight_0_count_nothing(frame: pd.DataFrame) -> None:
    without = frame[frame["weight"] > 0].reset_index(drop=True)
    assert said(of(frame)) == said(of(without))
    same_numbers(of(frame), of(without), "estimate", "lower", "upper", tolerance=0)


def exact_with_effective_trials(hits: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Korn and Graubard (1998), row by row; the rows are the most that there are."""
    share = float(np.average(hits, weights=weights))
    variance = float((weights**2 * (hits - share) ** 2).sum() / weights.sum() ** 2)
    kish = weights.sum() ** 2 / (weights**2).sum()
    trials = share * (1 - share) / variance if variance else kish
    trials = min(trials, len(hits))
    x = share * trials
    lower = beta.ppf(0.025, x, trials - x + 1) if x else 0.0
    upper = beta.ppf(0.975, x + 1, trials - x) if share < 1 else 1.0
    return float(lower), float(upper)


@pytest.mark.parametrize("seed", range(4))
def test_proportions_rest_on_the_effective_number_of_trials(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 40, 3
    truth, weights = rng.integers(0, k, n), rng.uniform(0.1, 4, n)
    frame = frame_of(truth.tolist(), rng.dirichlet(np.ones(k), n), weights.tolist())
    predictions = Predictions.from_frame(frame)
    decisions, numbers = predictions.decisions, by_name(predictions)

    def check(key: Key, hits: np.ndarray, among: np.ndarray) -> None:
        ends = exact_with_effective_trials(hits[among].astype(float), weights[among])
        if key[0] == "f1":
            ends = tuple(2 * end / (1 + end) for end in ends)
        opinion = numbers[key]
        assert (opinion.lower, opinion.upper) == pytest.approx(ends, abs=1e-10), opinion

    everything = np.ones(n, dtype=bool)
    check(("accuracy", "multiclass", None), truth == decisions, everything)
    largest = np.bincount(truth, weights).argmax()
    check(("no_information_rate", "multiclass", None), truth == largest, everything)
    for i in range(k):
        true, predicted = truth == i, decisions == i
        for metric, hits, among in (
            ("sensitivity", predicted, true),
            ("specificity", ~predicted, ~true),
            ("precision", true, predicted),
            ("npv", ~true, ~predicted),
            ("f1", true & predicted, true | predicted),
        ):
            if among.any():
                check((metric, "one_vs_rest", f"c{i}"), hits, among)


def test_sums_of_weights_that_only_rounding_tells_apart_are_a_tie() -> None:
    """0.1 + 0.2 is not 0.3; the first of equally frequent classes is taken all the same."""
    frame = frame_of([0, 1, 1], np.full((3, 2), 0.5), [0.3, 0.1, 0.2])
    rate = by_name(Predictions.from_frame(frame))["no_information_rate", "binary", None]
    hits, weights = np.array([1.0, 0, 0]), np.array([0.3, 0.1, 0.2])
    ends = exact_with_effective_trials(hits, weights)
    assert (rate.lower, rate.upper) == pytest.approx(ends, abs=1e-10)
