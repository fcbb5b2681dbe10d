"""Values between Python and R: equal and of a stated type, or refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyside.bridge.embedded import session
from pyside.errors import ConversionError


@pytest.fixture(scope="module", autouse=True)
def gate() -> Iterator[None]:
    with session().gate():
        yield


def evaluate(code: str) -> Any:
    import rpy2.rinterface as ri

    (value,) = (ri.baseenv["eval"](e) for e in ri.parse(code))
    return value


def round_trip(value: object) -> Any:
    from pyside.bridge.convert import from_r, to_r

    return from_r(to_r(value))


TIMES = ["2020-01-01T00:00:00", "2026-11-30T03:04:05.000006", None]

COLUMNS = {
    "bool": (pd.Series([True, False]), "bool", "logical"),
    "boolean": (pd.Series([True, None], dtype="boolean"), "boolean", "logical"),
    "int8": (pd.Series([-128, 127], dtype="int8"), "int64", "integer"),
    "int32": (pd.Series([-(2**31) + 1, 2**31 - 1], dtype="int32"), "int64", "integer"),
    "int64 that is small": (pd.Series([1, 2]), "int64", "integer"),
    "int64 at the NA of R": (pd.Series([-(2**31), 1]), "float64", "double"),
    "int64 that is large": (pd.Series([2**53, -(2**53)]), "float64", "double"),
    "uint64": (pd.Series([1, 2**40], dtype="uint64"), "float64", "double"),
    "Int64": (pd.Series([1, None], dtype="Int64"), "Int64", "integer"),
    "int64[pyarrow]": (pd.Series([1, None], dtype="int64[pyarrow]"), "Int64", "integer"),
    "float16": (pd.Series([0.5, 0.25], dtype="float16"), "float64", "double"),
    "float32": (pd.Series([0.1, np.inf], dtype="float32"), "float64", "double"),
    "float64": (pd.Series([0.1 + 0.2, -np.inf]), "float64", "double"),
    "float64, other byte order": (pd.Series(np.array([0.1, 2.0], ">f8")), "float64", "double"),
    "Float64": (pd.Series([0.5, None], dtype="Float64"), "float64", "double"),
    "float64[pyarrow]": (pd.Series([0.5, None], dtype="float64[pyarrow]"), "float64", "double"),
    "str": (pd.Series(["a", "日本 \U0001f600"]), "string", "character"),
    "text with a missing one": (pd.Series(["NA", None], dtype=object), "string", "character"),
    "string": (pd.Series(["", None], dtype="string"), "string", "character"),
    "object of floats": (pd.Series([0.5, 0.25], dtype=object), "float64", "double"),
    "object of ints": (pd.Series([1, 2], dtype=object), "int64", "integer"),
    "object of bools": (pd.Series([True, None], dtype=object), "boolean", "logical"),
    "datetime": (pd.Series(TIMES, dtype="datetime64[us]"), "datetime64[us, UTC]", "double"),
    "datetime with a zone": (
        pd.Series(TIMES, dtype="datetime64[us]").dt.tz_localize("Europe/Berlin"),
        "datetime64[us, Europe/Berlin]",
        "double",
    ),
}


@pytest.mark.parametrize(("series", "dtype", "r_type"), COLUMNS.values(), ids=COLUMNS)
def test_column_comes_back_equal_and_of_the_stated_type(
    series: pd.Series[Any], dtype: str, r_type: str
) -> None:
    import rpy2.rinterface as ri

    from pyside.bridge.convert import to_r

    column = to_r(pd.DataFrame({"x": series}))[0]
    assert ri.baseenv["typeof"](column)[0] == r_type
    back = round_trip(pd.DataFrame({"x": series}))["x"]
    assert str(back.dtype) == dtype
    assert back.isna().tolist() == series.isna().tolist()
    expected = series
    if "datetime" in dtype and series.dt.tz is None:
        expected = series.dt.tz_localize("UTC")
    present = ~series.isna().to_numpy()
    assert back[present].tolist() == expected[present].tolist()


@pytest.mark.parametrize("ordered", [False, True])
def test_categorical_keeps_levels_order_and_missing(ordered: bool) -> None:
    before = pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"], ordered=ordered)
    after = round_trip(pd.DataFrame({"x": before}))["x"].array
    assert list(after.categories) == ["b", "a", "unused"]
    assert after.ordered == ordered
    assert after.codes.tolist() == [0, -1, 1]


REFUSED = {
    "mixed objects": ({"x": pd.Series([1, "a"], dtype=object)}, "mixed"),
    "complex": ({"x": [1j]}, "complex"),
    "timedelta": ({"x": pd.to_timedelta([1], unit="s")}, "timedelta"),
    "period": ({"x": pd.period_range("2020", periods=1, freq="D")}, "period"),
    "interval": ({"x": pd.interval_range(0, 1)}, "interval"),
    "sparse": ({"x": pd.arrays.SparseArray([0.0, 1.0])}, "sparse"),
    "integer categories": ({"x": pd.Categorical([1, 2])}, "categories that are no text"),
    "whole numbers beyond 2^53": ({"x": [2**53 + 1]}, "2^53"),
    "whole numbers beyond 64 bits": ({"x": pd.Series([2**70], dtype=object)}, "64 bits"),
    "NUL": ({"x": ["a", "a\0b"]}, "row 2"),
    "lone surrogate": ({"x": pd.Series(["\ud800"], dtype=object)}, "row 1"),
    "nanoseconds": ({"x": pd.to_datetime([1], unit="ns")}, "microsecond"),
}


@pytest.mark.parametrize(("columns", "found"), REFUSED.values(), ids=REFUSED)
def test_column_without_a_counterpart_is_refused_by_name(
    columns: dict[str, Any], found: str
) -> None:
    with pytest.raises(ConversionError, match="'x'") as caught:
        round_trip(pd.DataFrame(columns))
    assert found in str(caught.value)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame({1: [1]}),
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
        pd.DataFrame({"a": [1, 2]}, index=["x", "x"]),
        pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([("a", "b")])),
    ],
    ids=["duplicate names", "a number for a name", "MultiIndex", "duplicate rows", "index levels"],
)
def test_frame_of_a_shape_that_r_lacks_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(ConversionError):
        round_trip(frame)


def test_rows_and_their_names_are_kept() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=["x", "y", "z"])
    assert round_trip(frame).index.tolist() == ["x", "y", "z"]
    assert round_trip(frame.reset_index(drop=True)).index.equals(pd.RangeIndex(3))
    assert round_trip(frame[:0]).shape == (0, 1)
    assert round_trip(pd.DataFrame()).shape == (0, 0)
    assert round_trip(pd.DataFrame(index=range(2))).shape == (2, 0)


def test_strided_columns_are_copied_right() -> None:
    block = np.arange(12.0).reshape(4, 3)
    assert round_trip(pd.DataFrame(block, columns=list("abc")))["b"].tolist() == [1, 4, 7, 10]


def test_lists_and_dicts() -> None:
    value = round_trip({"a": 1, "b": ["x", "y"], "c": None, "d": {"e": 2.5}, "f": []})
    assert value["a"].tolist() == [1]
    assert list(value["b"]) == ["x", "y"]
    assert value["c"] is None
    assert value["d"]["e"].tolist() == [2.5]
    assert value["f"] == []


@pytest.mark.parametrize("value", [object(), np.zeros((2, 2)), {1: 2}, 1j])
def test_value_without_a_counterpart_is_refused(value: object) -> None:
    with pytest.raises(ConversionError):
        round_trip(value)


@pytest.mark.parametrize(
    ("code", "expected", "dtype"),
    [
        ("c(1L, NA)", [1, pd.NA], "Int64"),
        ("c(TRUE, NA)", [True, pd.NA], "boolean"),
        ('c("a", NA)', ["a", pd.NA], "string"),
        ("c(TRUE, FALSE)", [True, False], "bool"),
        ("integer()", [], "int64"),
        ("character()", [], "string"),
        ('as.Date("2020-02-29")', [pd.Timestamp("2020-02-29")], "datetime64[us]"),
    ],
)
def test_na_from_r_is_na(code: str, expected: list[Any], dtype: str) -> None:
    from pyside.bridge.convert import from_r

    value = pd.Series(from_r(evaluate(code)))
    assert str(value.dtype) == dtype
    assert value.isna().tolist() == [item is pd.NA for item in expected]
    assert value.dropna().tolist() == [item for item in expected if item is not pd.NA]


def test_latin1_from_r_is_the_character_it_is() -> None:
    from pyside.bridge.convert import from_r

    value = from_r(evaluate("iconv('\\u00e9', 'UTF-8', 'latin1')"))
    assert list(value) == ["é"]


@pytest.mark.parametrize("code", ["as.difftime(1, units = 'mins')", "1i", "quote(quote(x))", "sum"])
def test_r_value_without_a_counterpart_is_refused(code: str) -> None:
    from pyside.bridge.convert import from_r

    with pytest.raises(ConversionError):
        from_r(evaluate(code))


values = st.one_of(
    st.lists(st.booleans(), max_size=6).map(lambda v: pd.Series(v, dtype="bool")),
    st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=6).map(
        lambda v: pd.Series(v, dtype="int64")
    ),
    st.lists(st.one_of(st.none(), st.integers(-(2**31) + 1, 2**31 - 1)), max_size=6).map(
        lambda v: pd.Series(v, dtype="Int64")
    ),
    st.lists(st.floats(), max_size=6).map(lambda v: pd.Series(v, dtype="float64")),
    st.lists(
        st.one_of(
            st.none(),
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        ),
        max_size=6,
    ).map(lambda v: pd.Series(v, dtype="string")),
)


@settings(max_examples=150, deadline=None)
@given(series=values)
def test_any_column_survives_the_round_trip(series: pd.Series[Any]) -> None:
    back = round_trip(pd.DataFrame({"x": series}))["x"]
    assert back.isna().tolist() == series.isna().tolist()
    assert back.dropna().tolist() == series.dropna().tolist()
