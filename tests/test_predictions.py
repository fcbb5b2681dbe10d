"""The contract: what is accepted, what is refused and how, and the way to a file and back."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import BAD, CASES, GOOD, PREDICTIONS
from hypothesis import given, settings
from hypothesis import strategies as st

from pyside.checks import CHECKS
from pyside.errors import PredictionTableError, PysideError
from pyside.predictions import Predictions, read_predictions, write_predictions


@pytest.mark.parametrize("case", GOOD)
def test_good_table_is_read(case: dict[str, Any]) -> None:
    predictions = read_predictions(PREDICTIONS / case["file"])
    assert len(predictions) == case["rows"]
    assert list(predictions.classes) == case["classes"]
    assert predictions.positive == case["positive"]
    assert bool(predictions.assumed) == case.get("assumed", False)
    assert predictions.threshold == (
        case.get("threshold", 0.5) if len(case["classes"]) == 2 else None
    )
    if "ids" in case:
        assert predictions.ids == case["ids"]
    for name, values in case.get("groups", {}).items():
        assert list(predictions.table[name]) == values
    assert list(predictions.table["true_label"].cat.categories) == case["classes"]


@pytest.mark.parametrize("case", BAD)
def test_bad_table_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(PredictionTableError) as caught:
        read_predictions(PREDICTIONS / case["file"])
    assert caught.value.check == case["check"]
    for text in case["mentions"]:
        assert text in str(caught.value)


def test_every_check_has_a_fixture() -> None:
    assert {case["check"] for case in CASES} - {None} == set(CHECKS)


@pytest.mark.parametrize("case", GOOD)
def test_written_table_reads_back_equal(case: dict[str, Any], tmp_path: Path) -> None:
    before = read_predictions(PREDICTIONS / case["file"])
    after = read_predictions(write_predictions(before, tmp_path / "copy.csv"))
    pd.testing.assert_frame_equal(before.table, after.table, check_exact=True)
    assert (before.classes, before.positive, before.threshold) == (
        after.classes,
        after.positive,
        after.threshold,
    )
    # The file states the class order; what else was assumed is assumed again, and said again.
    assert after.assumed == tuple(name for name in before.assumed if name != "classes")


def test_sidecar_says_what_the_columns_cannot(tmp_path: Path) -> None:
    predictions = Predictions.build(
        ["a", "b"],
        [[0.25, 0.75], [0.5, 0.5]],
        ("b", "a"),
        positive="b",
        threshold=0.3,
        provenance={"run": "r1"},
    )
    path = write_predictions(predictions, tmp_path / "preds.csv")
    sidecar = json.loads((tmp_path / "preds.json").read_text("utf-8"))
    assert sidecar["classes"] == ["b", "a"]
    assert sidecar["positive"] == "b"
    assert sidecar["threshold"] == 0.3
    assert sidecar["rows"] == 2
    assert sidecar["run"] == {"run": "r1"}
    assert sidecar["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sidecar["versions"]["pyside-rside"]


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@st.composite
def tables(draw: st.DrawFn) -> Predictions:
    classes = draw(st.lists(text, min_size=2, max_size=5, unique=True))
    n = draw(st.integers(1, 8))
    labels = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    raw = draw(
        st.lists(
            st.lists(st.floats(1e-6, 1), min_size=len(classes), max_size=len(classes)),
            min_size=n,
            max_size=n,
        )
    )
    probabilities = np.array(raw) / np.sum(raw, axis=1, keepdims=True)
    ids = draw(st.lists(text, min_size=n, max_size=n, unique=True))
    return Predictions.build(labels, probabilities, classes, ids=ids)


@settings(max_examples=60, deadline=None)
@given(predictions=tables())
def test_any_table_survives_its_file(
    predictions: Predictions, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    after = read_predictions(write_predictions(predictions, path))
    pd.testing.assert_frame_equal(predictions.table, after.table, check_exact=True)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "t.csv"
    path.write_bytes(data)
    with pytest.raises(PredictionTableError):
        read_predictions(path)


def frame(**columns: Any) -> pd.DataFrame:
    """A small good frame with some columns replaced or added."""
    good: dict[str, Any] = {
        "true_label": ["cat", "dog", "cat"],
        "pred_prob_cat": [0.75, 0.25, 0.5],
        "pred_prob_dog": [0.25, 0.75, 0.5],
    }
    return pd.DataFrame({**good, **columns})


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pd.Series([0, 1, 0]), ("0", "1")),
        (pd.Series([0.0, 1.0, 0.0]), ("0", "1")),
        (pd.Series([False, True, False]), ("False", "True")),
        (pd.Series(["0", "1", "0"], dtype="string"), ("0", "1")),
        (pd.Series(["0", "1", "0"], dtype=object), ("0", "1")),
        (pd.Series(pd.Categorical(["0", "1", "0"], categories=["1", "0"])), ("0", "1")),
        (pd.Series(pd.Categorical([0, 1, 0])), ("0", "1")),
        (pd.Series([0, 1, 0], dtype="Int64"), ("0", "1")),
        (pd.Series([0, 1, 0], dtype="int64[pyarrow]"), ("0", "1")),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_labels_are_taken_by_their_text(labels: pd.Series[Any], classes: tuple[str, str]) -> None:
    table = pd.DataFrame(
        {
            "true_label": labels,
            f"pred_prob_{classes[0]}": [0.75, 0.25, 0.5],
            f"pred_prob_{classes[1]}": [0.25, 0.75, 0.5],
        }
    )
    predictions = Predictions.from_frame(table)
    assert list(predictions.truth) == [0, 1, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "Float64", "float64[pyarrow]", "object"])
def test_probabilities_of_any_float_type_are_exact(dtype: str) -> None:
    column = pd.Series([0.75, 0.25, 0.5]).astype(dtype)
    predictions = Predictions.from_frame(frame(pred_prob_cat=column))
    assert predictions.probabilities[:, 0].tolist() == [0.75, 0.25, 0.5]


@pytest.mark.parametrize(
    ("columns", "check", "mentions"),
    [
        ({"true_label": ["cat", None, "cat"]}, "missing_label", "row 2"),
        ({"true_label": ["cat", 1.5, "cat"]}, "unknown_class", "'1.5'"),
        ({"true_label": ["cat", "do\0g", "cat"]}, "encoding", "NUL"),
        (
            {"true_label": pd.Series(["cat", "\ud800", "cat"], dtype=object)},
            "encoding",
            "surrogate",
        ),
        ({"pred_prob_cat": ["0.75", "0.25", "0.5"]}, "not_a_number", "'pred_prob_cat'"),
        ({"pred_prob_cat": [0.75, True, 0.5]}, "not_a_number", "row 2"),
        ({"pred_prob_cat": [0.75, 0.25 + 1j, 0.5]}, "not_a_number", "'pred_prob_cat'"),
        ({"pred_prob_cat": [0.75, np.nan, 0.5]}, "missing_value", "row 2"),
        ({"pred_prob_cat": [0.75, np.inf, 0.5]}, "out_of_range", "row 2"),
        ({"id": ["a", "b", "a"]}, "duplicate_id", "rows 1, 3"),
        ({"weight": [1, -1, 1]}, "bad_weight", "row 2"),
        ({"weight": [0, 0, 0]}, "bad_weight", "nothing but 0"),
        ({"weight": ["1", "1", "x"]}, "bad_weight", "'weight'"),
        ({"pred_label": ["cat", "cat", None]}, "unknown_pred_label", "row 3"),
    ],
)
def test_bad_frame_is_refused(columns: dict[str, Any], check: str, mentions: str) -> None:
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(frame(**columns))
    assert caught.value.check == check
    assert mentions in str(caught.value)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda f: f.iloc[:0], "no_rows"),
        (lambda f: f.drop(columns="true_label"), "missing_column"),
        (lambda f: f.drop(columns="pred_prob_dog"), "one_class"),
        (lambda f: pd.concat([f, f["true_label"]], axis=1), "duplicate_columns"),
        (lambda f: f.rename(columns={"true_label": 3}), "unnamed_column"),
        (lambda f: f.to_dict(), "missing_column"),
    ],
)
def test_frame_of_wrong_shape_is_refused(change: Callable[[pd.DataFrame], Any], check: str) -> None:
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(change(frame()))
    assert caught.value.check == check


@pytest.mark.parametrize(
    ("stated", "check"),
    [
        ({"classes": ["cat", "wolf"]}, "bad_classes"),
        ({"classes": ["cat"]}, "bad_classes"),
        ({"classes": ["cat", "dog", "dog"]}, "bad_classes"),
        ({"positive": "wolf"}, "bad_positive"),
        ({"threshold": -0.1}, "bad_threshold"),
        ({"threshold": float("nan")}, "bad_threshold"),
    ],
)
def test_bad_statement_is_refused(stated: dict[str, Any], check: str) -> None:
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(frame(), **stated)
    assert caught.value.check == check


def test_class_order_is_data_not_a_sort() -> None:
    predictions = Predictions.from_frame(frame(), classes=["dog", "cat"])
    assert predictions.classes == ("dog", "cat")
    assert predictions.positive == "cat"
    assert list(predictions.truth) == [1, 0, 1]
    assert predictions.probabilities[0].tolist() == [0.25, 0.75]


def test_missing_rows_are_dropped_and_counted_when_asked() -> None:
    table = frame(true_label=["cat", None, "dog"], pred_prob_cat=[np.nan, 0.25, 0.5])
    predictions = Predictions.from_frame(table, na="drop")
    assert predictions.dropped == 2
    assert list(predictions.table["true_label"]) == ["dog"]


def test_wrong_number_is_no_missing_one() -> None:
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(frame(pred_prob_cat=[0.75, "x", 0.5]), na="drop")
    assert caught.value.check == "not_a_number"


def test_decision_is_the_threshold_with_two_classes_and_arg_max_with_more() -> None:
    assert Predictions.from_frame(frame()).decisions.tolist() == [0, 1, 1]  # 0.5 >= 0.5: positive
    assert Predictions.from_frame(frame(), threshold=0.6).decisions.tolist() == [0, 1, 0]
    three = pd.DataFrame(
        {
            "true_label": ["a", "b"],
            "pred_prob_a": [0.25, 0.375],
            "pred_prob_b": [0.25, 0.375],
            "pred_prob_c": [0.5, 0.25],
        }
    )
    assert Predictions.from_frame(three).decisions.tolist() == [2, 0]  # a tie: the first


def test_sum_tolerance_is_stated() -> None:
    rounded = frame(pred_prob_cat=[0.75, 0.25, 0.499])
    with pytest.raises(PredictionTableError, match="within 1e-06"):
        Predictions.from_frame(rounded)
    assert len(Predictions.from_frame(rounded, sum_tolerance=0.01)) == 3


def test_failed_write_leaves_the_old_files(tmp_path: Path) -> None:
    path = write_predictions(Predictions.from_frame(frame()), tmp_path / "preds.csv")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    broken = Predictions.build(
        ["a", "b"], [[0.5, 0.5]] * 2, ("a", "b"), provenance={"run": object()}
    )
    with pytest.raises(TypeError):
        write_predictions(broken, path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "says"),
    [("no/preds.csv", "folder that exists"), ("preds.tsv", r"end the name in \.csv")],
)
def test_write_refuses_a_path_that_cannot_be(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(PysideError, match=says):
        write_predictions(Predictions.from_frame(frame()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_write_does_not_replace_another_file_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "mine"}')
    with pytest.raises(PysideError, match="something else"):
        write_predictions(Predictions.from_frame(frame()), tmp_path / "package.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["package.json"]


def test_errors_cross_between_processes() -> None:
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(frame(weight=[1, -1, 1]))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is PredictionTableError
    assert str(copy) == str(caught.value)
    assert copy.check == "bad_weight"


def test_all_rows_dropped_is_said() -> None:
    with pytest.raises(PredictionTableError, match="missing in each of 3 rows"):
        Predictions.from_frame(frame(true_label=[None, None, None]), na="drop")


def test_nothing_but_a_regular_file_is_replaced(tmp_path: Path) -> None:
    predictions = Predictions.from_frame(frame())
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(PysideError, match="regular"):
        write_predictions(predictions, tmp_path / "pipe.csv")
    assert (tmp_path / "pipe.csv").is_fifo()
    (tmp_path / "link.csv").symlink_to("target.csv")
    write_predictions(predictions, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert len(read_predictions(tmp_path / "target.csv", classes=["cat", "dog"])) == 3


def test_endless_sidecar_is_refused(tmp_path: Path) -> None:
    shutil.copy(PREDICTIONS / "ok_binary.csv", tmp_path / "t.csv")
    (tmp_path / "t.json").write_text("[" * 100_000)
    with pytest.raises(PredictionTableError) as caught:
        read_predictions(tmp_path / "t.csv")
    assert caught.value.check == "sidecar_invalid"


def test_a_stated_threshold_does_not_move_to_the_other_class_unasked(tmp_path: Path) -> None:
    stated = Predictions.build(
        ["a", "b"], [[0.8, 0.2], [0.3, 0.7]], ("a", "b"), positive="b", threshold=0.3
    )
    path = write_predictions(stated, tmp_path / "preds.csv")
    for move in (stated.restated, lambda **more: read_predictions(path, **more)):
        with pytest.raises(PredictionTableError, match=r"0\.3 for 'b'") as caught:
            move(positive="a")
        assert caught.value.check == "bad_threshold"
        assert move(positive="a", threshold=0.7).threshold == 0.7


def test_weights_farther_apart_than_doubles_can_add_are_refused() -> None:
    frame = pd.DataFrame(
        {"true_label": ["a", "b"], "pred_prob_a": [0.8, 0.2], "pred_prob_b": [0.2, 0.8]}
    )
    with pytest.raises(PredictionTableError) as caught:
        Predictions.from_frame(frame.assign(weight=[1e200, 1]))
    assert caught.value.check == "bad_weight"
    Predictions.from_frame(frame.assign(weight=[1e15, 1]))
