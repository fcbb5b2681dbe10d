"""The three doors - in process, `%%R`, exported files - lead to the same numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cases import GOOD, PREDICTIONS
from training_images import one_thread, write_folder

import pyside
from pyside.bridge import find_r
from pyside.bridge.library import environment, library_for
from pyside.bridge.magics import RCellError
from pyside.validation import PredictionsLike

ESTIMATES = ["estimate", "lower", "upper"]
NAMES = {"r": "estimate", "r_lower": "lower", "r_upper": "upper"}
# fread misses the nearest double by one unit in the last place for some ten in a million texts;
# the metrics carry it on.
CSV_TOLERANCE = 1e-12


def by_magic(shell: Any, predictions: object) -> pd.DataFrame:
    shell.user_ns["preds"] = predictions
    shell.run_cell_magic("R", "-i preds -o numbers", "numbers <- as.data.frame(validate(preds))")
    numbers: pd.DataFrame = shell.user_ns["numbers"]
    return numbers


def by_files(path: Path) -> pd.DataFrame:
    """A plain R session that knows of no Python, on the exported file."""
    code = (
        "arguments <- commandArgs(trailingOnly = TRUE); library(rside);"
        "numbers <- as.data.frame(validate(read_predictions(arguments[[1]])));"
        'cat(jsonlite::toJSON(numbers, digits = I(17), na = "null", dataframe = "columns"))'
    )
    r = find_r()
    answer = subprocess.run(
        [str(r.rscript), "-e", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=environment(library_for(r)),
    )
    numbers = pd.DataFrame(json.loads(answer.stdout))
    return numbers.astype(dict.fromkeys(ESTIMATES, "float64"))


def in_process(predictions: PredictionsLike) -> pd.DataFrame:
    return pyside.validate(predictions).to_frame().rename(columns=NAMES)


def assert_same(one: pd.DataFrame, other: pd.DataFrame, tolerance: float) -> None:
    for name in ("metric", "estimator"):
        assert one[name].tolist() == other[name].tolist()
    pd.testing.assert_frame_equal(
        one[ESTIMATES], other[ESTIMATES], rtol=0, atol=tolerance, check_exact=tolerance == 0
    )


@pytest.mark.parametrize("case", GOOD)
def test_three_doors_give_the_same_numbers(case: dict[str, Any], shell: Any) -> None:
    path = PREDICTIONS / case["file"]
    predictions = pyside.read_predictions(path)
    inside = in_process(predictions)
    assert_same(inside, by_magic(shell, predictions), 0)
    assert_same(inside, by_files(path), CSV_TOLERANCE)


def test_three_doors_give_the_same_numbers_of_a_trained_run(shell: Any, tmp_path: Path) -> None:
    """Cats and dogs, small and made up: images in, numbers out, at every door."""
    data = write_folder(tmp_path / "images", {"cat": 40, "dog": 40})
    config = pyside.TrainConfig(str(data), out=str(tmp_path / "run"), epochs=2, test_fraction=0.5)
    with one_thread():
        run = pyside.train(config)
    predictions = pyside.read_predictions(run.predictions_path)
    assert predictions.classes == ("cat", "dog")
    assert len(predictions) == 40
    inside = in_process(predictions)
    assert_same(inside, by_magic(shell, predictions), 0)
    assert_same(inside, by_files(run.predictions_path), CSV_TOLERANCE)
    by_r_process = pyside.validate(predictions, backend="subprocess")
    assert_same(inside, by_r_process.to_frame().rename(columns=NAMES), CSV_TOLERANCE)


def test_a_plain_frame_goes_through_the_magic_as_through_validate(shell: Any) -> None:
    frame = pd.read_csv(PREDICTIONS / "ok_ties_200.csv")
    assert_same(in_process(frame), by_magic(shell, frame), 0)


def test_checked_table_keeps_its_positive_class_in_r(shell: Any) -> None:
    predictions = pyside.read_predictions(PREDICTIONS / "ok_positive_first.csv")
    shell.user_ns["preds"] = predictions
    shell.run_cell_magic("R", "-i preds -o positive", "positive <- confusion(preds)$positive")
    assert list(shell.user_ns["positive"]) == ["cat"]


def test_bad_table_is_refused_in_a_cell(shell: Any) -> None:
    frame = pd.read_csv(PREDICTIONS / "bad_row_sum.csv")
    shell.user_ns["preds"] = frame
    with pytest.raises(RCellError, match="rows 2, 4"):
        shell.run_cell_magic("R", "-i preds", "validate(preds)")


def test_value_that_cannot_cross_is_refused_in_a_cell(shell: Any) -> None:
    shell.user_ns["odd"] = pd.DataFrame({"x": [1j]})
    with pytest.raises(pyside.PysideError, match="'x'"):
        shell.run_cell_magic("R", "-i odd", "odd")


def test_line_magic_returns_values_of_their_type(shell: Any) -> None:
    assert list(shell.run_line_magic("R", "c(1L, NA)")) == [1, pd.NA]
    assert shell.run_line_magic("R", "data.frame(a = 'NA')")["a"].tolist() == ["NA"]


@pytest.mark.parametrize("code", ["quit()", "q('no')"])
def test_quit_in_a_cell_does_not_end_python(code: str, shell: Any) -> None:
    with pytest.raises(RCellError, match="would end both"):
        shell.run_cell_magic("R", "", code)


def test_the_extension_may_be_loaded_again(shell: Any) -> None:
    shell.run_line_magic("reload_ext", "pyside")
    assert shell.run_line_magic("R", "1 + 1").tolist() == [2]
