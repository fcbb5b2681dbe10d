"""Python's opinions against references that share no code with them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import GOOD, PREDICTIONS
from hypothesis import given, settings
from hypothesis import strategies as st

from pyside.metrics import registry
from pyside.opinions import Opinion, opinions
from pyside.predictions import Predictions, read_predictions


def table(truth: list[int], scores: list[float], **stated: Any) -> Predictions:
    return Predictions.from_frame(
        pd.DataFrame(
            {
                "true_label": ["dog" if t else "cat" for t in truth],
                "pred_prob_cat": [1 - s for s in scores],
                "pred_prob_dog": scores,
            }
        ),
        **stated,
    )


def by_name(predictions: Predictions) -> dict[tuple[str, str, str | None], Opinion]:
    return {opinion.key: opinion for opinion in opinions(predictions)}


def one(predictions: Predictions, metric: str) -> Opinion:
    return by_name(predictions)[metric, "binary", None]


def counted(tp: int, fn: int, fp: int, tn: int) -> Predictions:
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    scores = [0.9] * tp + [0.1] * fn + [0.8] * fp + [0.2] * tn
    return table(truth, scores)


@pytest.mark.parametrize(
    ("successes", "n", "lower", "upper"),
    # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E>,
    # table I, method 5 (Clopper-Pearson).
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0000, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_exact_interval_is_newcombes(successes: int, n: int, lower: float, upper: float) -> None:
    sensitivity = one(counted(tp=successes, fn=n - successes, fp=1, tn=1), "sensitivity")
    assert sensitivity.lower == pytest.approx(lower, abs=5e-5)
    assert sensitivity.upper == pytest.approx(upper, abs=5e-5)


def test_confusion_numbers_follow_their_formulas() -> None:
    tp, fn, fp, tn = 30, 10, 5, 55
    predictions = counted(tp, fn, fp, tn)
    n = tp + fn + fp + tn
    chance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    expected = {
        "accuracy": (tp + tn) / n,
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "cohen_kappa": ((tp + tn) / n - chance) / (1 - chance),
        "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "sensitivity": tp / (tp + fn),
        "specificity": tn / (tn + fp),
        "precision": tp / (tp + fp),
        "npv": tn / (tn + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    for metric, value in expected.items():
        assert one(predictions, metric).estimate == pytest.approx(value, abs=1e-12), metric


def delong_by_definition(cases: list[float], controls: list[float]) -> tuple[float, float]:
    """AUC and standard error from DeLong's structural components, pair by pair."""

    def wins(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    v10 = [sum(wins(x, y) for y in controls) / len(controls) for x in cases]
    v01 = [sum(wins(x, y) for x in cases) / len(cases) for y in controls]
    auc = sum(v10) / len(cases)
    s10 = sum((v - auc) ** 2 for v in v10) / (len(cases) - 1)
    s01 = sum((v - auc) ** 2 for v in v01) / (len(controls) - 1)
    return auc, math.sqrt(s10 / len(cases) + s01 / len(controls))


scores_in_steps = st.integers(0, 8).map(lambda i: i / 8)


@settings(max_examples=60, deadline=None)
@given(
    cases=st.lists(scores_in_steps, min_size=2, max_size=12),
    controls=st.lists(scores_in_steps, min_size=2, max_size=12),
)
def test_auc_and_interval_are_delongs_by_definition(
    cases: list[float], controls: list[float]
) -> None:
    auc, error = delong_by_definition(cases, controls)
    opinion = one(table([1] * len(cases) + [0] * len(controls), cases + controls), "roc_auc")
    assert opinion.estimate == pytest.approx(auc, abs=1e-12)
    if error < 1e-9:
        assert math.isnan(opinion.lower)
        assert opinion.reason == "no interval: DeLong's variance is 0"
    else:
        assert opinion.lower == pytest.approx(max(auc - 1.959963984540054 * error, 0), abs=1e-9)
        assert opinion.upper == pytest.approx(min(auc + 1.959963984540054 * error, 1), abs=1e-9)


def hand_till_by_definition(truth: np.ndarray, probabilities: np.ndarray) -> float:
    """Hand and Till (2001) <doi:10.1023/A:1010920819831>, equation 7, pair by pair."""

    def a(i: int, j: int) -> float:
        ours, theirs = probabilities[truth == i, i], probabilities[truth == j, i]
        return float(
            np.mean([1.0 if x > y else 0.5 if x == y else 0.0 for x in ours for y in theirs])
        )

    classes = sorted(set(truth))
    pairs = [(a(i, j) + a(j, i)) / 2 for i, j in itertools.combinations(classes, 2)]
    return float(np.mean(pairs))


@pytest.mark.parametrize("name", ["ok_multiclass", "ok_absent_class", "ok_odd_names"])
def test_hand_till_is_the_mean_over_pairs(name: str) -> None:
    predictions = read_predictions(PREDICTIONS / f"{name}.csv")
    expected = hand_till_by_definition(predictions.truth, predictions.probabilities)
    assert by_name(predictions)["roc_auc", "hand_till", None].estimate == pytest.approx(
        expected, abs=1e-12
    )


def test_probability_scores_follow_their_formulas() -> None:
    predictions = read_predictions(PREDICTIONS / "ok_multiclass.csv")
    p, truth = predictions.probabilities, predictions.truth
    one_hot = np.eye(3)[truth]
    numbers = by_name(predictions)
    loss = -np.mean([math.log(row[t]) for row, t in zip(p, truth, strict=True)])
    assert numbers["log_loss", "multiclass", None].estimate == pytest.approx(loss, abs=1e-12)
    brier = numbers["brier_score", "multiclass", None]
    total = float(np.mean(((p - one_hot) ** 2).sum(axis=1)))
    assert brier.estimate == pytest.approx(total, abs=1e-12)
    assert brier.registry_estimate == pytest.approx(total / 2, abs=1e-12)


def test_log_loss_of_a_certain_error_is_clipped_at_float64_eps() -> None:
    loss = one(table([1, 0], [0.0, 0.0]), "log_loss")
    assert loss.estimate == pytest.approx(-math.log(2**-52) / 2, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "auc", "reason"),
    [
        ("ok_binary", 0.78125, None),
        ("ok_label_swapped", 1 - 0.78125, None),
        ("ok_perfect", 1.0, "no interval: DeLong's variance is 0"),
        ("ok_constant", 0.5, "no interval: DeLong's variance is 0"),
        ("ok_one_class_truth", math.nan, "only class 'cat' occurs in the truth"),
        ("ok_one_case", 3 / 14, "no interval: fewer than two examples of class 'dog'"),
    ],
)
def test_auc_of_special_tables(name: str, auc: float, reason: str | None) -> None:
    opinion = one(read_predictions(PREDICTIONS / f"{name}.csv"), "roc_auc")
    assert opinion.estimate == pytest.approx(auc, nan_ok=True)
    assert opinion.reason == reason


truths_and_scores = st.integers(2, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 1), min_size=n, max_size=n),
        st.lists(scores_in_steps, min_size=n, max_size=n),
    )
)


def same(one: float, other: float) -> bool:
    return one == pytest.approx(other, abs=1e-9, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(data=truths_and_scores, seed=st.integers(0, 1000))
def test_row_order_changes_nothing(data: tuple[list[int], list[float]], seed: int) -> None:
    truth, scores = data
    order = np.random.default_rng(seed).permutation(len(truth))
    shuffled = table([truth[i] for i in order], [scores[i] for i in order])
    for before, after in zip(opinions(table(truth, scores)), opinions(shuffled), strict=True):
        assert same(before.estimate, after.estimate), before.metric
        assert before.reason == after.reason


@settings(max_examples=40, deadline=None)
@given(data=truths_and_scores)
def test_other_positive_class_mirrors_the_numbers(data: tuple[list[int], list[float]]) -> None:
    """With the decisions held fixed, sensitivity and specificity change places."""
    truth, scores = data
    decided = ["dog" if s >= 0.5 else "cat" for s in scores]
    frame = table(truth, scores).table.assign(pred_label=decided)
    dog = by_name(Predictions.from_frame(frame, positive="dog"))
    cat = by_name(Predictions.from_frame(frame, positive="cat"))
    for metric, mirror in (
        ("sensitivity", "specificity"),
        ("precision", "npv"),
        ("accuracy", "accuracy"),
        ("mcc", "mcc"),
        ("cohen_kappa", "cohen_kappa"),
        ("roc_auc", "roc_auc"),
        ("brier_score", "brier_score"),
    ):
        key, mirrored = (metric, "binary", None), (mirror, "binary", None)
        assert same(dog[key].estimate, cat[mirrored].estimate), metric


@settings(max_examples=40, deadline=None)
@given(data=truths_and_scores)
def test_monotone_transform_keeps_the_auc(data: tuple[list[int], list[float]]) -> None:
    truth, scores = data
    before = one(table(truth, scores), "roc_auc")
    after = one(table(truth, [s**3 for s in scores]), "roc_auc")
    assert same(before.estimate, after.estimate)
    assert same(before.lower, after.lower)


@settings(max_examples=40, deadline=None)
@given(data=truths_and_scores)
def test_swapped_labels_give_one_minus_auc(data: tuple[list[int], list[float]]) -> None:
    truth, scores = data
    before = one(table(truth, scores), "roc_auc")
    after = one(table([1 - t for t in truth], scores), "roc_auc")
    assert same(before.estimate, 1 - after.estimate)


@pytest.mark.parametrize("case", GOOD)
def test_every_number_lies_in_the_registrys_range(case: dict[str, Any]) -> None:
    for opinion in opinions(read_predictions(PREDICTIONS / case["file"])):
        metric = registry()[opinion.metric]
        low, high = metric.range
        value = opinion.estimate
        if opinion.registry_estimate is not None:
            value = opinion.registry_estimate
        if math.isnan(value):
            assert opinion.reason
            continue
        assert low is None or value >= low - 1e-12
        assert high is None or value <= high + 1e-12
        if not math.isnan(opinion.lower):
            assert opinion.lower <= value + 1e-12
            assert value - 1e-12 <= opinion.upper
            assert metric.interval


def test_registry_is_complete() -> None:
    for name, metric in registry().items():
        assert name == metric.name
        for text in (metric.title, metric.formula, metric.undefined, metric.source):
            assert text.strip()
        assert metric.direction in ("higher", "lower")
        assert "scikit-learn" in metric.aliases
