"""The numbers that `RSide` brings over, against other libraries and counts by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from cases import PREDICTIONS
from scipy.stats import beta, binomtest
from sklearn.metrics import (
    auc,
    average_precision_score,
    brier_score_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from pyside.bridge import RSide
from pyside.errors import PredictionTableError, PysideError, RConditionError
from pyside.metrics import registry
from pyside.opinions import Opinion
from pyside.predictions import Predictions, read_predictions

FEW = {"replicates": 50}


@pytest.fixture(scope="module")
def rside() -> RSide:
    return RSide("embedded")


@pytest.fixture(scope="module")
def table() -> Predictions:
    return read_predictions(PREDICTIONS / "ok_ties_200.csv")


@pytest.fixture(scope="module")
def truth(table: Predictions) -> Any:
    return (table.table["true_label"] == "dog").to_numpy()


@pytest.fixture(scope="module")
def score(table: Predictions) -> Any:
    return table.table["pred_prob_dog"].to_numpy()


def one(opinions: list[Opinion], metric: str, estimator: str = "binary") -> Opinion:
    (found,) = [o for o in opinions if (o.metric, o.estimator) == (metric, estimator)]
    return found


def test_standard_errors_arrive(rside: RSide, table: Predictions) -> None:
    accuracy = one(rside.validate(table).metrics, "accuracy")
    variance = accuracy.estimate * (1 - accuracy.estimate) / len(table)
    assert accuracy.std_error == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_a_threshold_and_a_positive_class_can_be_restated(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    report = rside.validate(table, threshold=0.3)
    assert report.threshold == 0.3
    assert one(report.metrics, "accuracy").estimate == np.mean((score >= 0.3) == truth)
    turned = rside.auc_ci(table, positive="cat")
    assert turned.positive == "cat"
    assert turned.estimate == pytest.approx(roc_auc_score(~truth, 1 - score), abs=1e-12)
    assert turned.counts == {"dog": truth.sum(), "cat": (~truth).sum()}


def test_confusion_takes_interval_level_and_prevalence(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    found = rside.confusion(table, interval="wilson", conf_level=0.9, prevalence=0.1)
    called = score >= 0.5
    right = int((called == truth).sum())
    expected = binomtest(right, len(truth)).proportion_ci(0.9, "wilson")
    accuracy = one(found.overall, "accuracy")
    assert (accuracy.lower, accuracy.upper) == pytest.approx((expected.low, expected.high))
    sensitivity, specificity = called[truth].mean(), (~called)[~truth].mean()
    ppv = 0.1 * sensitivity / (0.1 * sensitivity + 0.9 * (1 - specificity))
    assert one(found.overall, "ppv_at_prevalence").estimate == pytest.approx(ppv)
    off = int((called & ~truth).sum()), int((~called & truth).sum())
    mcnemar = found.tests.set_index("test").loc["mcnemar"]
    assert mcnemar["statistic"] == pytest.approx((off[0] - off[1]) ** 2 / sum(off))
    assert found.n == 200


def test_intervals_of_an_auc_differ_by_their_names(rside: RSide, table: Predictions) -> None:
    methods = [
        rside.auc_ci(table, interval=name, **FEW).method
        for name in ("delong", "logit", "newcombe", "bootstrap")
    ]
    assert methods == ["DeLong", "DeLong (logit)", "Newcombe", "bootstrap (percentile)"]


def test_a_seed_and_replicates_decide_the_bootstrap(rside: RSide, table: Predictions) -> None:
    def lower(seed: int, replicates: int) -> float:
        drawn = rside.roc_curve(table, interval="bootstrap", seed=seed, replicates=replicates)
        return drawn.lower

    assert lower(1, 50) == lower(1, 50)
    assert len({lower(1, 50), lower(2, 50), lower(1, 60)}) == 3


def test_areas_of_several_classes_are_scikit_learns(rside: RSide) -> None:
    predictions = read_predictions(PREDICTIONS / "ok_multiclass.csv")
    found = rside.multiclass_auc(predictions)
    expected = roc_auc_score(predictions.truth, predictions.probabilities, multi_class="ovo")
    hand_till = one(found.values, "roc_auc", "hand_till")
    assert hand_till.estimate == pytest.approx(expected, abs=1e-12)
    counts = predictions.table["true_label"].value_counts()
    assert found.counts == {name: counts[name] for name in predictions.classes}


def test_partial_auc_is_scikit_learns(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    found = rside.partial_auc(table, range=(0.8, 1), **FEW)
    corrected = one(found.values, "partial_auc_corrected")
    expected = roc_auc_score(truth, score, max_fpr=0.2)
    assert corrected.estimate == pytest.approx(expected, abs=1e-12)
    assert found.range == [0.8, 1.0]
    assert found.bounds == pytest.approx({"minimum": 0, "chance": 0.02, "maximum": 0.2})


def test_precision_and_recall_are_scikit_learns(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    found = rside.pr_curve(table, **FEW)
    precision, recall, thresholds = precision_recall_curve(truth, score)
    assert found.curve["precision"].to_numpy() == pytest.approx(precision[-2::-1])
    assert found.curve["recall"].to_numpy() == pytest.approx(recall[-2::-1])
    assert found.curve["threshold"].to_numpy() == pytest.approx(thresholds[::-1])
    expected = average_precision_score(truth, score)
    assert one(found.values, "average_precision").estimate == pytest.approx(expected)
    area = auc(recall, precision)
    assert one(found.values, "pr_auc_trapezoid").estimate == pytest.approx(area)
    assert found.prevalence == truth.mean()


def test_a_band_runs_along_the_curve(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    false, true, _ = roc_curve(truth, score, drop_intermediate=False)
    found = rside.roc_band(table, at=[0.95, 0.83], **FEW).values
    assert found["specificity"].tolist() == [0.83, 0.95]
    expected = np.interp([1 - 0.83, 1 - 0.95], false, true)
    assert found["estimate"].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_calibration_bins_are_counted_by_hand(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    found = rside.calibration(table, bins=4, binning="width", **FEW)
    assert one(found.values, "brier_score").estimate == pytest.approx(
        brier_score_loss(truth, score)
    )
    of_row = np.clip(np.ceil(score * 4), 1, 4)
    rows = [truth[of_row == i] for i in range(1, 5)]
    assert found.curve["n"].tolist() == [len(row) for row in rows]
    assert found.curve["observed"].to_numpy() == pytest.approx([row.mean() for row in rows])
    gaps = [abs(row.mean() - score[of_row == i].mean()) for i, row in enumerate(rows, start=1)]
    expected = sum(gap * len(row) for gap, row in zip(gaps, rows, strict=True)) / 200
    error = one(found.values, "expected_calibration_error")
    assert error.estimate == pytest.approx(expected, abs=1e-12)
    assert (found.bins, found.binning, found.n) == (4, "width", 200)


def test_operating_points_are_searched_by_brute_force(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    found = rside.operating_points(
        table, rules=["youden"], sensitivity=0.9, threshold=[0.25], **FEW
    )
    thresholds = found.points.set_index("rule")["threshold"]

    def rates(threshold: float) -> tuple[float, float]:
        called = score >= threshold
        return called[truth].mean(), (~called)[~truth].mean()

    youden = {t: sum(rates(t)) for t in np.unique(score)}
    best = max(t for t, value in youden.items() if value >= max(youden.values()) - 1e-12)
    assert thresholds["youden"] == best
    enough = [t for t in np.unique(score) if rates(t)[0] >= 0.9]
    assert thresholds["sensitivity >= 0.9"] == max(enough)
    stated = found.values[found.values["rule"] == thresholds.index[thresholds == 0.25][0]]
    values = stated.set_index("metric")["estimate"]
    assert (values["sensitivity"], values["specificity"]) == pytest.approx(rates(0.25))


def test_infinity_arrives_as_such(rside: RSide) -> None:
    perfect = read_predictions(PREDICTIONS / "ok_perfect.csv")
    values = rside.operating_points(perfect, rules=["youden"], **FEW).values
    youden = values[values["rule"] == "youden"].set_index("metric")
    assert youden.loc["likelihood_ratio_positive", "estimate"] == math.inf
    assert youden.loc["likelihood_ratio_negative", "estimate"] == 0
    assert math.isnan(youden.loc["likelihood_ratio_positive", "upper"])
    # The greatest score is a negative's, and a false alarm costs most: nothing is called positive.
    score = [0.9, 0.8, 0.1, 0.2]
    wrong = Predictions.build(
        ["cat", "dog", "cat", "dog"], [[1 - s, s] for s in score], ("cat", "dog")
    )
    points = rside.operating_points(wrong, rules=None, cost_ratio=1e-9, **FEW).points
    assert points["threshold"].tolist() == [math.inf, 0.5]


def test_slices_are_those_of_pandas(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    frame = table.table.assign(
        site=np.arange(200) % 3, sex=np.where(np.arange(200) < 90, "f", "m"), other="x"
    )
    found = rside.slices(frame, by=["site", ("site", "sex")], metrics=["accuracy"], minimum=31)
    right = frame.assign(right=(score >= 0.5) == truth)
    by_site = right.groupby("site")["right"]
    of_site = found.values[found.values["group"] == "site"]
    assert of_site["level"].tolist() == ["0", "1", "2"]
    assert of_site["estimate"].to_numpy() == pytest.approx(by_site.mean().to_numpy())
    expected = beta.ppf(0.025, by_site.sum(), by_site.count() - by_site.sum() + 1)
    assert of_site["lower"].to_numpy() == pytest.approx(expected)
    crossed = right.groupby(["site", "sex"])["right"]
    of_both = found.values[found.values["group"] == "site:sex"]
    assert of_both["estimate"].to_numpy() == pytest.approx(crossed.mean().to_numpy())
    assert len(found.small) == (crossed.count() < 31).sum() > 0
    assert found.by == {"site": ["site"], "site:sex": ["site", "sex"]}
    assert found.worst.iloc[0]["estimate"] == by_site.mean().min()
    assert [o.estimate for o in found.overall] == [right["right"].mean()]


def test_two_models_are_matched_by_id(
    rside: RSide, table: Predictions, truth: Any, score: Any
) -> None:
    other = table.table.assign(
        pred_prob_dog=table.table["pred_prob_cat"], pred_prob_cat=table.table["pred_prob_dog"]
    )
    shuffled = other.sample(frac=1, random_state=1).reset_index(drop=True)
    found = rside.compare_models(table, shuffled, positive="dog", names=("it", "its mirror"))
    assert found.matched == "id"
    assert (found.n, found.names) == ({"a": 200, "b": 200}, ["it", "its mirror"])
    rows = found.differences.set_index("metric")
    expected = roc_auc_score(truth, score) - roc_auc_score(truth, 1 - score)
    assert rows.loc["roc_auc", "difference"] == pytest.approx(expected, abs=1e-12)
    assert found.roc is not None
    assert found.roc["b"].auc == pytest.approx(rows.loc["roc_auc", "b"], abs=1e-12)
    different = rside.compare_models(
        table, other.drop(columns="id"), positive="dog", paired=False, interval="bootstrap", **FEW
    )
    assert (different.matched, different.paired, different.interval) == ("none", False, "bootstrap")


def test_the_registry_is_one(rside: RSide) -> None:
    shown = rside.metrics()
    assert shown["name"].tolist() == list(registry())
    assert shown["tolerance"].tolist() == [metric.tolerance for metric in registry().values()]
    assert rside.metrics("mcc")["title"].tolist() == [registry()["mcc"].title]
    with pytest.raises(RConditionError, match="nearest: 'brier_score'"):
        rside.metrics("brier_scor")


def test_methods_text_knows_the_result_its_file_and_its_rows(rside: RSide) -> None:
    path = PREDICTIONS / "ok_binary.csv"
    table = read_predictions(path)
    methods = rside.methods_text(rside.validate(table))
    assert table.source is not None
    assert f"The file ok_binary.csv has the SHA-256 digest {table.source['sha256']}" in methods.text
    cited = re.findall(r"@([a-z]+\d{4}[a-z]?)", methods.marked)
    entries = re.findall(r"^@\w+\{(\w+),$", methods.bibtex, re.MULTILINE)
    assert entries == list(dict.fromkeys(cited))
    assert len(methods.references) == len(entries)
    assert "delong1988" in entries

    incomplete = table.table.assign(true_label=table.table["true_label"].astype(object))
    incomplete.loc[0, "true_label"] = None
    dropped = Predictions.from_frame(incomplete, na="drop")
    report = rside.validate(dropped)
    assert report.dropped == 1
    assert "rows_dropped" in [note.code for note in report.notes]
    assert "1 row with a missing label or probability left out" in rside.methods_text(report).text


def test_methods_text_is_about_the_arguments_too(rside: RSide, table: Predictions) -> None:
    found = rside.confusion(table, interval="wilson", prevalence=0.02)
    text = rside.methods_text(found).text
    assert "Wilson" in text
    assert "a prevalence of 0.02" in text


def test_methods_text_takes_whole_results_only(rside: RSide, table: Predictions) -> None:
    report = rside.validate(table)
    part: Any
    for part, named in ((report.roc, "RocCurve"), (report.metrics[0], "Opinion")):
        with pytest.raises(PysideError, match=named):
            rside.methods_text(part)


def test_frames_are_checked_as_everywhere(rside: RSide, table: Predictions) -> None:
    frame = table.table
    assert rside.auc_ci(frame).estimate == rside.auc_ci(table).estimate
    codes = [note.code for note in rside.validate(frame).notes]
    assert codes == ["classes_assumed", "positive_assumed", "threshold_assumed"]
    with pytest.raises(PredictionTableError, match="row 2") as caught:
        rside.pr_curve(frame.assign(pred_prob_dog=frame["pred_prob_dog"].where(frame.index != 1)))
    assert caught.value.check == "missing_value"
    no_frame: Any = [1, 2]
    with pytest.raises(PredictionTableError, match=r"builtins\.list"):
        rside.validate(no_frame)


def test_long_curves_are_thinned_to_their_corners(rside: RSide) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 5000)
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1)))
    large = Predictions.build(
        np.where(truth == 1, "b", "a").tolist(), np.column_stack([1 - score, score]), ("a", "b")
    )
    for curve, x, y in (
        (rside.roc_curve(large).curve, "specificity", "sensitivity"),
        (rside.pr_curve(large, replicates=2).curve, "recall", "precision"),
        (rside.partial_auc(large, replicates=2).curve, "specificity", "sensitivity"),
        (rside.roc_band(large, replicates=2).curve, "specificity", "sensitivity"),
    ):
        assert 900 < len(curve) <= 1000
        assert curve[y].iloc[-1] == (truth.mean() if y == "precision" else 1)
        assert sorted([curve[x].iloc[0], curve[x].iloc[-1]])[1] == 1
