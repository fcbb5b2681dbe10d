"""Python's opinions against references that share no code with them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from cases import GOOD, PREDICTIONS
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import by_name, counted, one, table

from pyside.metrics import registry
from pyside.opinions import opinions
from pyside.predictions import Predictions, read_predictions


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


NO_DELONG = "DeLong's variance is 0: Newcombe's interval instead of DeLong's"


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
        assert opinion.method == "Newcombe"
        assert opinion.reason == NO_DELONG
    else:
        assert opinion.method == "DeLong"
        assert opinion.reason is None
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
        ("ok_perfect", 1.0, NO_DELONG),
        ("ok_constant", 0.5, NO_DELONG),
        ("ok_one_class_truth", math.nan, "only class 'cat' occurs in the truth"),
        (
            "ok_one_case",
            3 / 14,
            "fewer than two examples of class 'dog': Newcombe's interval instead of DeLong's",
        ),
    ],
)
def test_auc_of_special_tables(name: str, auc: float, reason: str | None) -> None:
    opinion = one(read_predictions(PREDICTIONS / f"{name}.csv"), "roc_auc")
    assert opinion.estimate == pytest.approx(auc, nan_ok=True)
    assert opinion.reason == reason
    assert math.isnan(opinion.lower) == math.isnan(auc)


def test_the_rows_of_a_report_and_their_order() -> None:
    binary = opinions(read_predictions(PREDICTIONS / "ok_binary.csv"))
    assert {(o.estimator, o.class_name) for o in binary} == {("binary", None)}
    assert [o.metric for o in binary] == [
        *("accuracy", "no_information_rate", "balanced_accuracy", "cohen_kappa", "mcc"),
        *("sensitivity", "specificity", "precision", "npv", "f1"),
        *("roc_auc", "average_precision", "log_loss", "brier_score"),
    ]
    predictions = read_predictions(PREDICTIONS / "ok_multiclass.csv")
    multiclass = [f"{o.metric} {o.estimator} {o.class_name}" for o in opinions(predictions)]
    means = ("macro", "macro_weighted", "micro")
    whole = ("accuracy", "no_information_rate", "balanced_accuracy", "cohen_kappa", "mcc")
    of_class = ("sensitivity", "specificity", "precision", "npv", "f1", "roc_auc")
    assert multiclass == [
        *(f"{metric} multiclass None" for metric in whole),
        *(f"{m} {mean} None" for m in ("sensitivity", "precision", "f1") for mean in means),
        *(f"roc_auc {mean} None" for mean in ("hand_till", *means)),
        *(f"{metric} multiclass None" for metric in ("log_loss", "brier_score")),
        *(f"{m} one_vs_rest {name}" for name in predictions.classes for m in of_class),
    ]


def test_average_precision_by_definition() -> None:
    """The mean over the positives of the precision at their scores."""
    truth, scores = [1, 0, 1, 1, 0, 0, 1], [0.9, 0.8, 0.8, 0.5, 0.4, 0.4, 0.1]
    at = [
        sum(t for t, s in zip(truth, scores, strict=True) if s >= own)
        / sum(s >= own for s in scores)
        for t, own in zip(truth, scores, strict=True)
        if t
    ]
    opinion = one(table(truth, scores), "average_precision")
    assert opinion.estimate == pytest.approx(np.mean(at), abs=1e-12)


def test_average_precision_without_positives_is_undefined_here_and_0_there() -> None:
    opinion = one(read_predictions(PREDICTIONS / "ok_one_class_truth.csv"), "average_precision")
    assert opinion.reason == "only class 'cat' occurs in the truth"
    assert opinion.estimate == 0
    assert opinion.registry_estimate is not None
    assert math.isnan(opinion.registry_estimate)


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
        if math.isnan(opinion.lower):
            assert opinion.reason, opinion
            assert opinion.method is None
            continue
        assert opinion.lower <= value + 1e-12
        assert value - 1e-12 <= opinion.upper
        assert opinion.method
        assert metric.interval


def test_registry_is_complete() -> None:
    for name, metric in registry().items():
        assert name == metric.name
        for text in (metric.title, metric.formula, metric.undefined, metric.source):
            assert text.strip()
        assert metric.direction
        assert set(metric.tasks) <= {"binary", "multiclass"}
        assert metric.tolerance > 0


def test_every_number_of_a_report_is_in_the_registry() -> None:
    for name, task in (("ok_binary", "binary"), ("ok_multiclass", "multiclass")):
        for opinion in opinions(read_predictions(PREDICTIONS / f"{name}.csv")):
            metric = registry()[opinion.metric]
            assert task in metric.tasks
            assert "scikit-learn" in metric.aliases
            assert metric.interval
