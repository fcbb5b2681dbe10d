"""Every method of `RSide`, through both backends: equal results to the last bit, equal errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import pandas as pd
import pytest
from cases import PREDICTIONS

from pyside.bridge import RSide
from pyside.errors import ConversionError, PredictionTableError, PysideError, RConditionError
from pyside.predictions import Predictions, read_predictions


@pytest.fixture(scope="module")
def backends() -> tuple[RSide, RSide]:
    return RSide("embedded"), RSide("subprocess")


def table(name: str) -> Predictions:
    return read_predictions(PREDICTIONS / f"ok_{name}.csv")


def grouped() -> pd.DataFrame:
    """Two group columns: one with a missing level, one whose levels look like other types."""
    frame = table("ties_200").table
    site = [["A", "B", "", "C'1"][i % 4] for i in range(200)]
    return frame.assign(site=site, seen=[["TRUE", "NA"][i // 100] for i in range(200)])


def rounded(predictions: Predictions) -> pd.DataFrame:
    """Another model's table, in another order; texts of few digits cross a CSV exactly."""
    score = predictions.table["pred_prob_dog"].round(1)
    frame = predictions.table.assign(pred_prob_dog=score, pred_prob_cat=(1 - score).round(1))
    return frame.iloc[::-1].reset_index(drop=True)


Ask = Callable[[RSide], Any]

RESULTS: dict[str, Ask] = {
    "validate": lambda r: r.validate(table("multiclass"), conf_level=0.9),
    "validate_restated": lambda r: r.validate(
        table("extras"), positive="cat", threshold=0.1 + 0.2, conf_level=0.99
    ),
    "confusion": lambda r: r.confusion(table("ties_200"), interval="wilson", prevalence=0.1),
    "confusion_multiclass": lambda r: r.confusion(table("absent_class")),
    "roc_curve": lambda r: r.roc_curve(
        table("binary"), interval="bootstrap", replicates=50, seed=7
    ),
    "roc_curve_undefined": lambda r: r.roc_curve(table("one_class_truth")),
    "auc_ci": lambda r: r.auc_ci(table("ties_200"), positive="cat", interval="newcombe"),
    "multiclass_auc": lambda r: r.multiclass_auc(
        table("odd_names"), interval="bootstrap", replicates=20
    ),
    "calibration": lambda r: r.calibration(
        table("ties_200"), bins=5, binning="width", replicates=20
    ),
    "calibration_multiclass": lambda r: r.calibration(table("multiclass"), replicates=20),
    "compare_models": lambda r: r.compare_models(
        table("ties_200"),
        rounded(table("ties_200")),
        positive="dog",
        names=("one", "an 'other'"),
        proportions="tango",
    ),
    "compare_models_unpaired": lambda r: r.compare_models(
        table("multiclass"),
        table("absent_class"),
        paired=False,
        interval="bootstrap",
        replicates=20,
    ),
    "operating_points": lambda r: r.operating_points(
        table("perfect"), specificity=[0.5, 1], cost_ratio=1e-9, threshold=0.3, replicates=20
    ),
    "operating_points_undefined": lambda r: r.operating_points(
        table("one_class_truth"), rules=None, threshold=[0.25, 1]
    ),
    "partial_auc": lambda r: r.partial_auc(
        table("ties_200"), range=(1, 0.8), focus="sensitivity", replicates=20
    ),
    "pr_curve": lambda r: r.pr_curve(table("binary"), interval="bootstrap", replicates=20),
    "roc_band": lambda r: r.roc_band(
        table("ties_200"), of="specificity", at=[0.95, 0.1], replicates=20
    ),
    "slices": lambda r: r.slices(
        grouped(), by=["site", ("site", "seen")], minimum=10, metrics=["accuracy", "roc_auc"]
    ),
    "metrics": lambda r: r.metrics(["roc_auc", "log_loss"]),
    "methods_text": lambda r: r.methods_text(r.validate(table("odd_names"))),
}

ERRORS: dict[str, tuple[Ask, type[PysideError], str]] = {
    "not a number": (
        lambda r: r.auc_ci(table("binary"), conf_level=math.inf),
        RConditionError,
        "conf_level",
    ),
    "not a column": (
        lambda r: r.slices(grouped(), by="sit"),
        RConditionError,
        "The table has the group columns 'site', 'seen'",
    ),
    "not a class": (
        lambda r: r.validate(table("binary"), positive="wolf"),
        PredictionTableError,
        "'wolf' is not one of the classes 'cat', 'dog'",
    ),
    "not the same rows": (
        lambda r: r.compare_models(table("binary"), table("extras")),
        RConditionError,
        "id",
    ),
    "not exact": (
        lambda r: r.roc_band(table("binary"), at=[0.1, True]),
        ConversionError,
        "'at' must have an exact counterpart in R",
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_both_backends_give_equal_results(name: str, backends: tuple[RSide, RSide]) -> None:
    embedded, other = (RESULTS[name](rside) for rside in backends)
    assert_equal(embedded, other, name)


@pytest.mark.parametrize("name", ERRORS)
def test_both_backends_give_equal_errors(name: str, backends: tuple[RSide, RSide]) -> None:
    ask, kind, mentions = ERRORS[name]
    said = []
    for rside in backends:
        with pytest.raises(kind) as caught:
            ask(rside)
        assert type(caught.value) is kind
        said.append((str(caught.value), getattr(caught.value, "condition", None)))
    assert said[0] == said[1]
    assert mentions in said[0][0]


def test_every_method_is_asked_of_both() -> None:
    methods = {name for name in vars(RSide) if not name.startswith("_")}
    methods |= {name for kind in RSide.__bases__ for name in vars(kind) if not name.startswith("_")}
    assert methods - {"backend"} == {name for name in RESULTS if name in methods}


def assert_equal(one: Any, other: Any, where: str) -> None:
    """Equality to the last bit, where NaN equals NaN and types count."""
    assert type(one) is type(other), where
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True, obj=where)
    elif is_dataclass(one):
        for field in fields(one):
            if field.name != "call":
                values = getattr(one, field.name), getattr(other, field.name)
                assert_equal(*values, f"{where}.{field.name}")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for name in one:
            assert_equal(one[name], other[name], f"{where}[{name!r}]")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for i, values in enumerate(zip(one, other, strict=True)):
            assert_equal(*values, f"{where}[{i}]")
    else:
        assert one == other or (one != one and other != other), where
