"""A caller of `RSide`: `make lint` has mypy and basedpyright check it strictly.

Nothing runs it. In `mistakes`, an ignored error that is none any more is an error itself.
"""

from __future__ import annotations

from typing import Literal, assert_type

import pandas as pd

from pyside import Predictions, RSide
from pyside.bridge import (
    AucInterval,
    Calibration,
    Comparison,
    Confusion,
    MethodsText,
    MulticlassAuc,
    OperatingPoints,
    PartialAuc,
    PrCurve,
    RocBand,
    RocCurve,
    RValidation,
    Slices,
)
from pyside.opinions import Opinion


def results(rside: RSide, frame: pd.DataFrame, table: Predictions) -> None:
    report = rside.validate(frame, positive="dog", threshold=0.3, conf_level=0.9)
    assert_type(report, RValidation)
    assert_type(report.metrics, list[Opinion])
    assert_type(report.metrics[0].std_error, float)
    assert_type(report.roc, RocCurve | None)
    assert_type(report.versions, dict[str, str])

    assert_type(rside.confusion(table, interval="wilson", prevalence=0.1), Confusion)
    assert_type(rside.confusion(table).table, pd.DataFrame)
    assert_type(rside.roc_curve(table, interval="newcombe").auc, float)
    assert_type(rside.roc_curve(table).method, str | None)
    assert_type(rside.auc_ci(table, replicates=100, seed=2), AucInterval)
    assert_type(rside.multiclass_auc(table, interval="bootstrap"), MulticlassAuc)
    assert_type(rside.calibration(table, bins=5, binning="width"), Calibration)
    assert_type(rside.calibration(table).binning, Literal["quantile", "width"])
    assert_type(rside.calibration(table).counts, dict[str, int])

    compared = rside.compare_models(table, frame, names=("a", "b"), proportions="tango")
    assert_type(compared, Comparison)
    assert_type(compared.roc, dict[str, RocCurve] | None)

    points = rside.operating_points(table, rules=["youden"], sensitivity=0.9, threshold=[0.1, 0.2])
    assert_type(points, OperatingPoints)
    assert_type(points.optimism, pd.DataFrame | None)
    assert_type(rside.partial_auc(table, range=(0.8, 1), focus="sensitivity"), PartialAuc)
    assert_type(rside.partial_auc(table).bounds, dict[str, float])
    assert_type(rside.pr_curve(table, interval="bootstrap"), PrCurve)
    assert_type(rside.roc_band(table, of="specificity", at=[0.9]), RocBand)
    assert_type(rside.slices(table, by=["sex", ("sex", "site")], metrics=["accuracy"]), Slices)
    assert_type(rside.slices(table, by="sex").by, dict[str, list[str]])

    assert_type(rside.metrics("roc_auc"), pd.DataFrame)
    assert_type(rside.methods_text(report), MethodsText)
    assert_type(rside.methods_text(compared).references, list[str])


def mistakes(rside: RSide, table: Predictions) -> None:
    rside.validate("preds.csv")  # type: ignore[arg-type]
    rside.confusion(table, interval="exakt")  # type: ignore[arg-type]
    rside.confusion(table, "dog")  # type: ignore[call-arg]
    rside.slices(table)  # type: ignore[call-arg]
    rside.partial_auc(table, range=0.9)  # type: ignore[arg-type]
    rside.operating_points(table, rules=["luck"])  # type: ignore[list-item]
    rside.methods_text(rside.metrics())  # type: ignore[arg-type]
    rside.auc_ci(table).estimate = 1.0  # type: ignore[misc]
    print(rside.auc_ci(table).auc)  # type: ignore[attr-defined]
