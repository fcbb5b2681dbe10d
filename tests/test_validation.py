"""`pyside.validate` and `pyside validate`: one call, both opinions, one report."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import BAD, PREDICTIONS
from rich.console import Console

import pyside
from pyside import cli
from pyside.agreement import Verdict
from pyside.errors import PredictionTableError, PysideError
from pyside.report import ValidationReport

NO_DELONG = "DeLong's variance is 0: Newcombe's interval instead of DeLong's"


def frame(name: str) -> pd.DataFrame:
    return pd.read_csv(PREDICTIONS / f"{name}.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def report() -> ValidationReport:
    return pyside.validate(PREDICTIONS / "ok_ties_200.csv")


@pytest.mark.parametrize(
    ("name", "auc", "reason"),
    [
        ("ok_binary", 12.5 / 16, None),
        ("ok_label_swapped", 1 - 12.5 / 16, None),
        ("ok_perfect", 1.0, NO_DELONG),
        ("ok_constant", 0.5, NO_DELONG),
        ("ok_one_class_truth", math.nan, "only class 'cat' occurs in the truth"),
    ],
)
def test_auc_of_special_tables_in_both_languages(name: str, auc: float, reason: str | None) -> None:
    report = pyside.validate(frame(name))
    (row,) = [row for row in report.rows if row.metric == "roc_auc"]
    assert row.python.estimate == pytest.approx(auc, abs=1e-12, nan_ok=True)
    assert row.r.estimate == pytest.approx(auc, abs=1e-12, nan_ok=True)
    assert row.python.reason == row.r.reason == reason
    assert row.verdict is Verdict.AGREE
    assert report.agrees


def test_undefined_numbers_differ_by_definition_with_the_cause_named() -> None:
    report = pyside.validate(frame("ok_never_predicted"))
    by_metric = {row.metric: row for row in report.rows}
    precision = by_metric["precision"]
    assert precision.python.estimate == 0
    assert math.isnan(precision.r.estimate)
    assert precision.verdict is Verdict.BY_DEFINITION
    assert by_metric["mcc"].verdict is Verdict.BY_DEFINITION
    assert precision.cause is not None
    assert "'dog' is never predicted" in precision.cause
    assert "zero_division" in precision.cause
    assert report.agrees


def test_average_precision_without_positives_differs_by_definition() -> None:
    report = pyside.validate(frame("ok_one_class_truth"))
    (row,) = [row for row in report.rows if row.metric == "average_precision"]
    assert row.python.estimate == 0
    assert math.isnan(row.r.estimate)
    assert row.verdict is Verdict.BY_DEFINITION
    assert row.cause is not None
    assert row.cause.startswith("only class 'cat' occurs in the truth; scikit-learn")


def test_absent_class_is_named_in_both_languages() -> None:
    report = pyside.validate(PREDICTIONS / "ok_absent_class.csv")
    by_key = {row.r.key: row for row in report.rows}
    for estimator in ("hand_till", "macro", "macro_weighted", "micro"):
        row = by_key["roc_auc", estimator, None]
        left_out = "left out: class 'bird' does not occur in the truth"
        assert row.python.reason == row.r.reason == left_out
        assert row.verdict is Verdict.AGREE


def test_a_frame_and_its_file_give_the_same_numbers(tmp_path: Path) -> None:
    table = frame("ok_multiclass")
    predictions = pyside.Predictions.from_frame(table)
    path = pyside.write_predictions(predictions, tmp_path / "preds.csv")
    pd.testing.assert_frame_equal(
        pyside.validate(table).to_frame(), pyside.validate(path).to_frame(), check_exact=True
    )


def test_assumptions_are_said_with_how_to_set_them() -> None:
    notes = {note.code: note.text for note in pyside.validate(frame("ok_binary")).notes}
    assert "'dog'" in notes["positive_assumed"]
    assert "`positive`" in notes["positive_assumed"]
    stated = pyside.validate(
        frame("ok_binary"), classes=["cat", "dog"], positive="cat", threshold=0.4
    )
    assert not [note for note in stated.notes if note.code.endswith("assumed")]
    assert (stated.positive, stated.threshold) == ("cat", 0.4)


def test_auto_direction_is_reported_where_it_differs() -> None:
    notes = {note.code: note.text for note in pyside.validate(frame("ok_label_swapped")).notes}
    assert "AUC of 0.7812" in notes["auto_direction"]  # 12.5 of 16 pairs, turned round


def test_dropped_rows_are_counted() -> None:
    table = frame("ok_binary")
    table.loc[1, "true_label"] = ""
    with pytest.raises(PredictionTableError, match="row 2"):
        pyside.validate(table)
    report = pyside.validate(table, na="drop")
    assert report.dropped == 1
    assert report.n == 7
    assert any(note.code == "rows_dropped" for note in report.notes)


def test_frame_form(report: ValidationReport) -> None:
    table = report.to_frame()
    assert len(table) == 14
    assert list(table.columns) == [
        *("metric", "estimator", "class", "python", "python_lower", "python_upper"),
        *("r", "r_lower", "r_upper", "method", "difference", "tolerance", "verdict", "cause"),
    ]
    assert table["r_lower"].notna().all()
    assert table["method"].notna().all()
    assert set(table["verdict"]) == {"agree"}


def test_json_form(report: ValidationReport, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    assert report.to_json(path) == path.read_text("utf-8")
    content = json.loads(path.read_text("utf-8"))
    assert content["agrees"] is True
    assert content["positive"] == "dog"
    assert content["rows"][0]["metric"] == "accuracy"
    assert sum(cell["n"] for cell in content["confusion"]) == 200
    undefined = json.loads(pyside.validate(frame("ok_one_class_truth")).to_json())
    (auc,) = [row for row in undefined["rows"] if row["metric"] == "roc_auc"]
    assert auc["python"] is None
    assert auc["r"] is None
    assert auc["cause"] == "only class 'cat' occurs in the truth"


def test_html_form(report: ValidationReport, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert report.to_html(path) == path.read_text("utf-8")
    assert "<svg" in path.read_text("utf-8")
    assert "14 of 14 numbers agree" in report._repr_html_()
    assert "Clopper-Pearson" in report._repr_html_()


def test_html_shows_names_as_text() -> None:
    names = ("<script>alert(1)</script>", "b & c")
    table = pd.DataFrame({"true_label": names, **{f"pred_prob_{n}": [0.5, 0.5] for n in names}})
    page = pyside.validate(table).to_html()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_text_form(report: ValidationReport) -> None:
    text = str(report)
    assert "200 rows, 2 classes (cat, dog); positive class 'dog', predicted where p >= 0.5." in text
    assert "14 of 14 numbers agree." in text
    assert "MOVER (Wilson)" in text
    assert "\x1b" not in text


def test_text_form_fits_a_narrow_terminal() -> None:
    """The longest names whole, or parted at a blank."""
    report = pyside.validate(PREDICTIONS / "ok_absent_class.csv")
    console = Console(width=80, file=StringIO(), force_jupyter=False)
    console.print(report)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    for name in ("no_information_rate", "balanced_accuracy", "(macro_weighted)"):
        assert name in text


# --- case weights --------------------------------------------------------------------------------


@pytest.fixture
def weighted() -> pd.DataFrame:
    table = frame("ok_ties_200")
    return table.assign(weight=np.random.default_rng(1).uniform(0.5, 2, len(table)).round(2))


def test_case_weights_count_in_both_languages(weighted: pd.DataFrame) -> None:
    report = pyside.validate(weighted)
    assert {row.verdict for row in report.rows} == {Verdict.AGREE}
    decided = np.where(weighted["pred_prob_dog"] >= 0.5, "dog", "cat")
    expected = np.average(weighted["true_label"] == decided, weights=weighted["weight"])
    assert report.rows[0].r.estimate == pytest.approx(expected, abs=1e-12)
    assert report.counts["n"].sum() == pytest.approx(weighted["weight"].sum())
    assert report.roc is not None
    assert math.isnan(report.roc.auto)
    assert [note.code for note in report.notes if "weight" in note.code] == ["weights_used"]
    cells = {f"{n:.2f}" for n in report.counts["n"]}
    page = report.to_html()
    assert "Sums of weights" in page
    assert all(f">{cell}</td>" in page for cell in cells)


def test_rows_of_weight_0_are_left_out_and_said_to_be(weighted: pd.DataFrame) -> None:
    weighted.loc[:9, "weight"] = 0.0
    report = pyside.validate(weighted)
    assert report.n == 190
    assert report.subject.startswith("190 rows")
    notes = {note.code: note.text for note in report.notes}
    assert notes["zero_weights"].startswith("10 rows left out")
    without = pyside.validate(weighted[10:].reset_index(drop=True))
    pd.testing.assert_frame_equal(report.to_frame(), without.to_frame(), check_exact=True)


def test_equal_weights_change_nothing(report: ValidationReport) -> None:
    table = frame("ok_ties_200").assign(weight=2.5)
    equal = pyside.validate(table)
    assert "weights_equal" in {note.code for note in equal.notes}
    assert equal.counts["n"].dtype == report.counts["n"].dtype
    pd.testing.assert_frame_equal(report.to_frame(), equal.to_frame(), check_exact=True)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_that_sum_to_one_only_nearly_do_not_make_a_disagreement(dtype: str) -> None:
    """A softmax in single or half precision, as people export it."""
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(300, 2)).astype(dtype) * 3
    odds = np.exp(logits)
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    labels = np.where(rng.random(300) < probabilities[:, 0], "a", "b")
    table = pd.DataFrame(
        {
            "true_label": labels,
            "pred_prob_a": probabilities[:, 0],
            "pred_prob_b": probabilities[:, 1],
        }
    )
    report = pyside.validate(table, sum_tolerance=2e-3)
    assert {row.verdict for row in report.rows} == {Verdict.AGREE}
    scores = probabilities[:, 1].astype(np.float64)
    (brier,) = [row for row in report.rows if row.metric == "brier_score"]
    assert brier.r.estimate == pytest.approx(np.mean((scores - (labels == "b")) ** 2), abs=1e-12)


@pytest.mark.parametrize(
    "stated",
    [
        {"conf_level": "0.95"},
        {"conf_level": 1 - 1e-12},
        {"sum_tolerance": -1},
        {"sum_tolerance": float("nan")},
        {"na": "foo"},
        {"positive": 1},
        {"classes": "catdog"},
        {"classes": [1, 0]},
        {"threshold": "0.5"},
    ],
)
def test_argument_of_the_wrong_kind_is_refused(stated: dict[str, Any]) -> None:
    with pytest.raises(PysideError) as caught:
        pyside.validate(frame("ok_binary"), **stated)
    assert repr(next(iter(stated.values()))) in str(caught.value)


def test_level_of_the_intervals_is_checked_and_used() -> None:
    with pytest.raises(PysideError, match=r"0\.01 to 0\.999999"):
        pyside.validate(frame("ok_binary"), conf_level=95)
    wide = pyside.validate(frame("ok_binary"), conf_level=0.99)
    assert wide.agrees
    assert wide.rows[0].r.lower < pyside.validate(frame("ok_binary")).rows[0].r.lower


def test_the_subject_says_who_decided_and_the_heading_at_which_level() -> None:
    table = frame("ok_binary").assign(pred_label="dog")
    text = str(pyside.validate(table, conf_level=0.995))
    assert "decisions by 'pred_label'" in text
    assert "predicted where" not in text
    assert "99.5% interval" in text


# --- the command ---------------------------------------------------------------------------------


def test_command_ends_with_0_on_agreement(
    binary_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [f"--{form}={tmp_path / f'report.{form}'}" for form in ("html", "json")]
    assert cli.main(["validate", str(binary_csv), *outputs]) == 0
    assert "14 of 14 numbers agree" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_command_ends_with_1_on_a_disagreement(
    binary_csv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python is made to take the other class as positive, as caret would by default."""
    from pyside import validation

    right = validation.opinions
    monkeypatch.setattr(
        validation,
        "opinions",
        lambda table, conf_level: right(table.restated(positive="cat"), conf_level=conf_level),
    )
    table = binary_csv.with_name("ok_one_case.csv")
    assert cli.main(["validate", str(table)]) == 1
    assert "DISAGREE" in capsys.readouterr().out


@pytest.mark.parametrize("case", BAD)
def test_command_ends_with_2_on_bad_input(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ["--html", str(tmp_path / "a.html"), "--report", str(tmp_path / "b.html")]
    assert cli.main(["validate", str(PREDICTIONS / case["file"]), *outputs]) == 2
    said = capsys.readouterr().err
    for text in case["mentions"]:
        assert text in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_command_ends_with_2_where_a_report_cannot_be_written(
    binary_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "no" / "report.html"
    assert cli.main(["validate", str(binary_csv), "--html", str(output)]) == 2
    assert "report.html" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "--html", "--report"])
@pytest.mark.parametrize("target", ["preds.csv", "preds.json", "../work/preds.json"])
def test_command_does_not_replace_what_it_reads(
    option: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for suffix in ("csv", "json"):
        shutil.copy(PREDICTIONS / f"ok_binary.{suffix}", work / f"preds.{suffix}")
    before = {path.name: path.read_bytes() for path in work.iterdir()}
    assert cli.main(["validate", str(work / "preds.csv"), option, str(work / target)]) == 2
    assert "of its own" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in work.iterdir()} == before


def test_report_does_not_replace_a_sidecar(report: ValidationReport, tmp_path: Path) -> None:
    sidecar = tmp_path / "preds.json"
    shutil.copy(PREDICTIONS / "ok_binary.json", sidecar)
    with pytest.raises(PysideError, match="sidecar"):
        report.to_json(sidecar)
    assert sidecar.read_bytes() == (PREDICTIONS / "ok_binary.json").read_bytes()


def test_command_names_the_rpy2_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rpy2-pin"]) == 0
    assert "rpy2-rinterface==3.6." in capsys.readouterr().out


def test_report_is_rendered_by_r(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    table = PREDICTIONS / "ok_multiclass.csv"
    assert cli.main(["validate", str(table), "--report", str(output)]) == 0
    page = output.read_text("utf-8")
    assert "Two opinions" in page
    assert "scale_by_half" in page
    assert "data:image/png;base64" in page
    assert "scikit-learn 1." in " ".join(page.split())
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_rendered_report_reads_the_table_as_it_was_validated(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    stated: dict[str, Any] = {"positive": "cat", "threshold": 0.3}
    table = frame("ok_ties_200")
    pyside.render_report(table, output, report=pyside.validate(table, **stated), **stated)
    page = output.read_text("utf-8")
    # Sensitivity for the other class at another threshold, by counting in the frame.
    is_cat = table["true_label"] == "cat"
    sensitivity = (table.loc[is_cat, "pred_prob_cat"] >= 0.3).mean()
    assert f"{sensitivity:.4f}" in page
    assert f"{sensitivity:.6f}" in page


def test_vignette_renders_with_no_python_on_the_path(tmp_path: Path) -> None:
    from pyside.bridge import find_r
    from pyside.bridge.library import environment, library_for

    commands = tmp_path / "bin"
    commands.mkdir()
    keep = ("R", "Rscript", "pandoc", "sh", "bash", "sed", "rm", "cat", "uname", "which", "ls")
    for name in keep:
        for folder in os.environ["PATH"].split(os.pathsep):
            if (Path(folder) / name).exists():
                (commands / name).symlink_to(Path(folder) / name)
                break
    # The README's command, from the folder that holds vignettes/ and preds.csv.
    command = (
        'rmarkdown::render("vignettes/validate.Rmd", '
        'params = list(predictions = normalizePath("preds.csv")))'
    )
    work = tmp_path / "work"
    shutil.copytree(Path(__file__).parents[1] / "vignettes", work / "vignettes")
    shutil.copy(PREDICTIONS / "ok_ties_200.csv", work / "preds.csv")
    r = find_r()
    subprocess.run(
        [str(r.rscript), "-e", 'stopifnot(Sys.which("python3") == "")', "-e", command],
        check=True,
        capture_output=True,
        cwd=work,
        env={**environment(library_for(r)), "PATH": str(commands), "PWD": str(work)},
    )
    output = work / "vignettes" / "validate.html"
    assert "0.7541" in output.read_text("utf-8")  # the AUC, by scikit-learn: 0.754079
    assert sys.executable not in output.read_text("utf-8")
