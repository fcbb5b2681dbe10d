"""From Python to R: a row of docs/conversion.md each, and what is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conversion import described, documented, evaluate, in_r, round_trip, same
from hypothesis import given, settings
from hypothesis import strategies as st

from pyside.bridge.embedded import session
from pyside.errors import ConversionError


@pytest.fixture(scope="module", autouse=True)
def gate() -> Iterator[None]:
    with session().gate():
        yield


def series(values: Any, dtype: Any = None) -> pd.Series[Any]:
    return pd.Series(values, dtype=dtype)


TIMES = ["2020-01-01T00:00:00", "2026-11-30T03:04:05.000006", None]
ZONED = series(TIMES, "datetime64[us]").dt.tz_localize("Europe/Berlin")
IN_R = ["2020-01-01 00:00:00", "2026-11-30 03:04:05", None]
DAY = dt.date(2020, 2, 29)
ORDERED = pd.Categorical(["b", None], categories=["b", "a", "unused"], ordered=True)
UNORDERED = ORDERED.as_unordered()
WORDS = ["a", "日本 \U0001f600", "שלום", None]
ARROW_WORDS = pa.array(["b", None]).dictionary_encode()

# name: the column, what R shows, the class or type in R, and the type that comes back.
COLUMNS: dict[str, tuple[Any, list[Any], str, str]] = {
    "bool": (series([True, False]), ["TRUE", "FALSE"], "logical", "bool"),
    "boolean": (series([True, None], "boolean"), ["TRUE", None], "logical", "boolean"),
    "bool[pyarrow]": (series([True, None], "bool[pyarrow]"), ["TRUE", None], "logical", "boolean"),
    "int8": (series([-128, 127], "int8"), ["-128", "127"], "integer", "int64"),
    "int16": (series([-(2**15), 1], "int16"), ["-32768", "1"], "integer", "int64"),
    "int32": (
        series([-(2**31) + 1, 2**31 - 1], "int32"),
        ["-2147483647", "2147483647"],
        "integer",
        "int64",
    ),
    "int64 within 2^31": (series([1, 2]), ["1", "2"], "integer", "int64"),
    "int64 or int32 of -2^31": (
        series([-(2**31), 1], "int32"),
        ["-2147483648", "1"],
        "double",
        "float64",
    ),
    "int64 within 2^53": (
        series([2**53, -(2**53)]),
        ["9007199254740992", "-9007199254740992"],
        "double",
        "float64",
    ),
    "uint8": (series([0, 255], "uint8"), ["0", "255"], "integer", "int64"),
    "uint64 within 2^53": (
        series([1, 2**40], "uint64"),
        ["1", "1099511627776"],
        "double",
        "float64",
    ),
    "Int64": (series([1, None], "Int64"), ["1", None], "integer", "Int64"),
    "UInt8": (series([255, None], "UInt8"), ["255", None], "integer", "Int64"),
    "int64[pyarrow]": (series([1, None], "int64[pyarrow]"), ["1", None], "integer", "Int64"),
    "float16": (series([0.5, 0.25], "float16"), ["0.5", "0.25"], "double", "float64"),
    "float32": (series([0.5, np.inf], "float32"), ["0.5", "Inf"], "double", "float64"),
    "float64": (series([0.1 + 0.2, -np.inf, np.nan]), ["0.3", "-Inf", "NaN"], "double", "float64"),
    "float64, other byte order": (
        series(np.array([0.1, 2.0], ">f8")),
        ["0.1", "2"],
        "double",
        "float64",
    ),
    "Float64": (series([0.5, None], "Float64"), ["0.5", None], "double", "float64"),
    "float64[pyarrow]": (
        series([0.5, None], "float64[pyarrow]"),
        ["0.5", None],
        "double",
        "float64",
    ),
    "str": (series(WORDS, "str"), WORDS, "character", "string"),
    "string[python]": (series(WORDS, "string[python]"), WORDS, "character", "string"),
    "string[pyarrow]": (series(WORDS, "string[pyarrow]"), WORDS, "character", "string"),
    "large_string[pyarrow]": (
        series(WORDS, pd.ArrowDtype(pa.large_string())),
        WORDS,
        "character",
        "string",
    ),
    "object of text": (series(["NA", None, ""], object), ["NA", None, ""], "character", "string"),
    "object of bools": (series([True, None], object), ["TRUE", None], "logical", "boolean"),
    "object of whole numbers": (series([1, None], object), ["1", None], "integer", "Int64"),
    "object of floats": (
        series([0.5, None, np.nan], object),
        ["0.5", None, "NaN"],
        "double",
        "float64",
    ),
    "object of floats and whole numbers": (
        series([0.5, 2], object),
        ["0.5", "2"],
        "double",
        "float64",
    ),
    "object of dates": (
        series([DAY, None], object),
        ["2020-02-29", None],
        "Date",
        "datetime64[us]",
    ),
    "object of times": (
        series(list(ZONED), object),
        IN_R,
        "POSIXct POSIXt",
        "datetime64[us, Europe/Berlin]",
    ),
    "object of nothing but None": (
        series([None, None], object),
        [None, None],
        "character",
        "string",
    ),
    "Categorical of text": (series(UNORDERED), ["b", None], "factor", "category"),
    "Categorical of text, ordered": (series(ORDERED), ["b", None], "ordered factor", "category"),
    "dictionary[pyarrow] of text": (
        series(ARROW_WORDS, pd.ArrowDtype(ARROW_WORDS.type)),
        ["b", None],
        "factor",
        "category",
    ),
    "datetime64": (
        series(TIMES, "datetime64[us]"),
        IN_R,
        "POSIXct POSIXt",
        "datetime64[us, UTC]",
    ),
    "datetime64[ns] of whole microseconds": (
        series(TIMES, "datetime64[ns]"),
        IN_R,
        "POSIXct POSIXt",
        "datetime64[us, UTC]",
    ),
    "datetime64 with a zone": (ZONED, IN_R, "POSIXct POSIXt", "datetime64[us, Europe/Berlin]"),
    "timestamp[pyarrow] with a zone": (
        ZONED.astype(pd.ArrowDtype(pa.timestamp("us", "Europe/Berlin"))),
        IN_R,
        "POSIXct POSIXt",
        "datetime64[us, Europe/Berlin]",
    ),
    "date32[pyarrow]": (
        series([DAY, None], pd.ArrowDtype(pa.date32())),
        ["2020-02-29", None],
        "Date",
        "datetime64[us]",
    ),
    "timedelta64": (
        series(pd.to_timedelta([1.5, None], unit="s")),
        ["1.5", None],
        "difftime",
        "timedelta64[us]",
    ),
    "duration[pyarrow]": (
        series([dt.timedelta(seconds=1.5), None], pd.ArrowDtype(pa.duration("us"))),
        ["1.5", None],
        "difftime",
        "timedelta64[us]",
    ),
    "null[pyarrow]": (
        series([None, None], pd.ArrowDtype(pa.null())),
        [None, None],
        "logical",
        "boolean",
    ),
}


def shown(column: Any) -> list[Any]:
    """What R says that a column holds."""
    code = 'if (inherits(x, "POSIXct")) format(x, "%Y-%m-%d %H:%M:%S") else as.character(x)'
    import rpy2.rinterface as ri

    return [None if item is ri.NA_Character else item for item in in_r(code, column)]


def r_type(column: Any) -> str:
    return " ".join(in_r("if (is.object(x)) class(x) else typeof(x)", column))


@pytest.mark.parametrize("name", COLUMNS)
def test_column_is_equal_in_r_and_comes_back_equal(name: str) -> None:
    from pyside.bridge.convert import to_r

    before, in_words, expected_type, dtype = COLUMNS[name]
    column = to_r(pd.DataFrame({"x": before}))[0]
    assert shown(column) == in_words
    assert r_type(column) == expected_type
    after = round_trip(pd.DataFrame({"x": before}))["x"]
    assert str(after.dtype) == dtype
    assert after.isna().tolist() == before.isna().tolist()
    if dtype == "datetime64[us, UTC]":
        before = before.dt.tz_localize("UTC")
    present = ~before.isna().to_numpy()
    if "Date" in expected_type:
        after = after.dt.date
    assert after[present].tolist() == before[present].tolist()


def test_documented_columns_are_the_tested_ones() -> None:
    rows = [(name, r, back) for name, (_, _, r, back) in COLUMNS.items()]
    assert documented("Columns of pandas, to R and back") == rows


@pytest.mark.parametrize("name", [name for name in COLUMNS if "of nothing" not in name])
def test_column_is_the_same_in_many_rows_and_in_none(name: str) -> None:
    """Many rows take other ways than few: by bytes, by distinct values, in pieces."""
    before = COLUMNS[name][0]
    many = pd.concat([before] * 200, ignore_index=True)
    few, lots = round_trip({"x": before})["x"], round_trip({"x": many})["x"]
    assert same(pd.Series(lots[: len(before)]), pd.Series(few))
    assert same(pd.Series(lots[-len(before) :]), pd.Series(few))
    none = round_trip(pd.DataFrame({"x": before[:0]}))
    assert none.shape == (0, 1)


def test_strided_and_reversed_columns_are_copied_right() -> None:
    block = np.arange(12.0).reshape(4, 3)
    assert round_trip(pd.DataFrame(block, columns=list("abc")))["b"].tolist() == [1, 4, 7, 10]
    assert round_trip(np.arange(6)[::-2]).tolist() == [5, 3, 1]


@pytest.mark.parametrize("ordered", [False, True])
def test_categorical_keeps_levels_order_and_missing(ordered: bool) -> None:
    before = pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"], ordered=ordered)
    after = round_trip(pd.DataFrame({"x": before}))["x"].array
    assert same(after, before)


def test_na_and_nan_are_told_apart_by_their_bits() -> None:
    from pyside.bridge.convert import is_na, to_r

    column = to_r(series([np.nan, None, 0.5], object))
    assert list(in_r("is.na(x)", column)) == [True, True, False]
    assert list(in_r("is.nan(x)", column)) == [True, False, False]
    back = round_trip(column_of(column))
    assert is_na(back).tolist() == [False, True, False]
    assert list(in_r("is.nan(x)", to_r(back))) == [True, False, False]


def column_of(column: Any) -> Any:
    from pyside.bridge.convert import from_r

    return from_r(column)


# name: the column, and what the message mentions.
REFUSED: dict[str, tuple[Any, str]] = {
    "object of mixed values": (series([1, "a"], object), "mixed"),
    "object of bytes": (series([b"a"], object), "bytes"),
    "complex": (series([1j]), "complex"),
    "period": (series(pd.period_range("2020", periods=1, freq="D")), "period"),
    "interval": (series(pd.interval_range(0, 1)), "interval"),
    "sparse": (series(pd.arrays.SparseArray([0.0, 1.0])), "sparse"),
    "Categorical of whole numbers": (series(pd.Categorical([1, 2])), "categories that are no text"),
    "Categorical of intervals": (series(pd.cut([1, 2], 2)), "categories that are no text"),
    "dictionary[pyarrow] of numbers": (
        series(
            pa.array([1]).dictionary_encode(),
            pd.ArrowDtype(pa.dictionary(pa.int32(), pa.int64())),
        ),
        "dictionary of int64",
    ),
    "decimal[pyarrow]": (series([1], pd.ArrowDtype(pa.decimal128(5, 2))), "decimal128"),
    "list[pyarrow]": (series([[1]], pd.ArrowDtype(pa.list_(pa.int64()))), "list"),
    "int64 beyond 2^53": (series([2**53 + 1]), "2^53"),
    "uint64 beyond 2^53": (series([2**64 - 1], "uint64"), "2^53"),
    "object of whole numbers beyond 2^53": (series([0.5, 2**53 + 1], object), "2^53"),
    "object of whole numbers beyond 64 bits": (series([2**70], object), "64 bits"),
    "float128 of more digits": (series(np.array([1], np.longdouble) / 3), "more digits"),
    "text with a NUL": (series(["a", "a\0b"]), "row 2"),
    "text with a lone surrogate": (series(["a", "\ud800"], object), "row 2"),
    "datetime64[ns] of odd nanoseconds": (
        series(pd.to_datetime([1_700_000_000_000_000_001], unit="ns")),
        "doubles",
    ),
    "object of times of several zones": (
        series([ZONED[0], ZONED[1].tz_convert("UTC")], object),
        "several zones",
    ),
    "datetime64 with an offset for a zone": (
        series(TIMES[:1], "datetime64[us]").dt.tz_localize("UTC+01:00"),
        "time zone",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_column_without_a_counterpart_is_refused_by_name(name: str) -> None:
    from pyside.bridge.convert import to_r

    column, found = REFUSED[name]
    with pytest.raises(ConversionError, match="'x'") as caught:
        to_r(pd.DataFrame({"x": column}))
    assert found in str(caught.value)


def frame(*args: Any, **kwargs: Any) -> pd.DataFrame:
    return pd.DataFrame(*args, **kwargs)


SHAPES: dict[str, Any] = {
    "two columns of one name": frame([[1, 2]], columns=["a", "a"]),
    "a column name that is no text": frame({1: [1]}),
    "a MultiIndex of columns": frame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
    "columns with a name": frame({"a": [1]}).rename_axis(columns="all"),
    "a MultiIndex of rows": frame({"a": [1]}, index=pd.MultiIndex.from_tuples([("a", "b")])),
    "an index with a name": frame({"a": [1]}, index=pd.Index(["x"], name="id")),
    "an index with repeated labels": frame({"a": [1, 2]}, index=["x", "x"]),
    "an index of dates or floats": frame({"a": [1, 2]}, index=[0.5, 1.5]),
    "an index that counts from 1": frame({"a": [1, 2]}, index=[1, 2]),
    "a Series with an index of numbers": series([1, 2, 3])[[0, 2]],
    "a masked array": np.ma.masked_array([1, 2], [True, False]),
    "a dict with keys that are no text": {1: 2},
    "an object of another type": object(),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_that_r_lacks_is_refused(name: str) -> None:
    from pyside.bridge.convert import to_r

    with pytest.raises(ConversionError):
        to_r(SHAPES[name])


def test_documented_refusals_are_the_tested_ones_with_what_to_do() -> None:
    from pyside.bridge.convert import to_r

    rows = []
    wholes = {name: frame({"x": column}) for name, (column, _) in REFUSED.items()} | SHAPES
    for name, value in wholes.items():
        with pytest.raises(ConversionError) as caught:
            to_r(value)
        rows.append((name, str(caught.value.fix)))
    assert documented("Refused on the way to R") == rows


@pytest.mark.parametrize("distinct", [True, False], ids=["distinct", "repeated"])
@pytest.mark.parametrize("dtype", ["object", "str"])
def test_bad_text_among_many_rows_is_named_by_its_row(distinct: bool, dtype: str) -> None:
    from pyside.bridge.convert import to_r

    texts = [f"é{i if distinct else i % 7}" for i in range(5000)]
    texts[4321] = "a\0b"
    with pytest.raises(ConversionError, match="row 4322"):
        to_r(series(texts, dtype))
    texts[4321] = "\ud800"
    with pytest.raises(ConversionError, match="row 4322"):
        to_r(series(texts, "object"))


@pytest.mark.parametrize("distinct", [True, False], ids=["distinct", "repeated"])
def test_many_texts_are_equal_in_r(distinct: bool) -> None:
    from pyside.bridge.convert import to_r

    texts: list[str | None] = [f"é{i if distinct else i % 7}\n" for i in range(5000)]
    texts[10] = None
    texts[11] = "NA"
    texts[12] = ""
    column = to_r(series(texts, object))
    assert shown(column) == texts
    assert set(in_r("Encoding(x[c(1, 5000)])", column)) == {"UTF-8"}
    assert round_trip(series(texts, object)).to_numpy(dtype=object, na_value=None).tolist() == texts


ROWS: dict[str, tuple[pd.DataFrame, pd.Index[Any]]] = {
    "counted rows": (frame({"a": [1, 2, 3]}), pd.RangeIndex(3)),
    "rows by text": (frame({"a": [1, 2]}, index=["x", "é"]), pd.Index(["x", "é"], dtype="str")),
    "rows by number": (frame({"a": [1, 2, 3]})[lambda f: f["a"] != 2], pd.Index([0, 2])),
    "no rows": (frame({"a": [1]})[:0], pd.RangeIndex(0)),
    "no columns": (frame(index=range(2)), pd.RangeIndex(2)),
    "neither": (frame(), pd.RangeIndex(0)),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_and_their_names_are_kept(name: str) -> None:
    before, index = ROWS[name]
    after = round_trip(before)
    assert after.shape == before.shape
    assert after.index.identical(index)


OTHERS: dict[str, tuple[Any, str]] = {
    "None": (None, "NoneType"),
    "bool": (True, "array of bool"),
    "int": (7, "array of int64"),
    "float": (0.5, "array of float64"),
    "text": ("é", "array of string"),
    "date": (DAY, "array of datetime64[us]"),
    "list of one kind": ([1, None], "array of Int64"),
    "list of wholes": ([[1], {"a": "b"}, None], "list"),
    "empty list": ([], "list"),
    "dict": ({"a": 1, "b": ["x", "y"], "c": None, "d": {"e": 2.5}, "f": []}, "dict"),
    "1-D array": (np.array([1.5]), "array of float64"),
    "2-D array": (np.arange(6).reshape(2, 3), "array of int64, 2 dimensions"),
    "3-D array": (np.arange(24.0).reshape(2, 3, 4), "array of float64, 3 dimensions"),
    "2-D array of text": (
        np.array([["a", None]], dtype=object),
        "array of text, 2 dimensions",
    ),
    "pandas array": (pd.array(["a", None], dtype="string"), "array of string"),
    "Series by text": (series([1.5], None).set_axis(["a"]), "Series of float64, by name"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_values_come_back_as_documented(name: str) -> None:
    value, expected = OTHERS[name]
    once = round_trip(value)
    assert described(once) == expected
    if name != "date":  # comes back as a time, and a time goes as one
        assert same(round_trip(once), once)


def test_documented_values_are_the_tested_ones() -> None:
    assert documented("Other values, to R and back") == [
        (name, back) for name, (_, back) in OTHERS.items()
    ]


def test_values_within_are_equal() -> None:
    value = round_trip(OTHERS["dict"][0])
    assert value["a"].tolist() == [1]
    assert list(value["b"]) == ["x", "y"]
    assert value["c"] is None
    assert value["d"]["e"].tolist() == [2.5]
    assert value["f"] == []
    for array in (OTHERS["2-D array"][0], OTHERS["3-D array"][0], OTHERS["2-D array of text"][0]):
        assert round_trip(array).tolist() == array.tolist()
    from pyside.bridge.convert import to_r

    assert in_r("x[2, 3]", to_r(OTHERS["2-D array"][0]))[0] == 5
    assert round_trip({}) == {}


def test_a_large_vector_is_allocated_by_r_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyside.bridge.convert import vectors

    monkeypatch.setattr(vectors, "_SMALL", 0)
    assert round_trip(np.array([1.5, 2.5])).tolist() == [1.5, 2.5]
    with pytest.raises(ConversionError, match="room"):
        vectors.allocated("double", 2**50)


def test_memory_of_an_r_vector_outlives_its_name() -> None:
    from pyside.bridge.convert.vectors import in_place

    memory = in_place(evaluate("as.numeric(1:100000) + 0.5"))
    evaluate("{gc(); for (i in 1:50) numeric(100000); gc()}")
    assert memory.tolist() == [i + 0.5 for i in range(1, 100_001)]


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
int32 = st.integers(-(2**31) + 1, 2**31 - 1)
KINDS: dict[str, tuple[st.SearchStrategy[Any], str]] = {
    "bool": (st.booleans(), "bool"),
    "boolean": (st.none() | st.booleans(), "boolean"),
    "int64": (int32, "int64"),
    "Int64": (st.none() | int32, "Int64"),
    "float64": (st.floats(), "float64"),
    "string": (st.none() | text, "string"),
    "category": (st.none() | text, "category"),
    "datetime64[us, UTC]": (
        st.none() | st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
        "datetime64[us, UTC]",
    ),
    "timedelta64[us]": (
        st.none() | st.timedeltas(dt.timedelta(-(10**4)), dt.timedelta(10**4)),
        "timedelta64[us]",
    ),
}
NULLABLE_WITHOUT_A_GAP = {"boolean": "bool", "Int64": "int64"}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(0, 6))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), max_size=5))
    names = draw(st.lists(text, min_size=len(kinds), max_size=len(kinds), unique=True))
    columns = {}
    for name, kind in zip(names, kinds, strict=True):
        values = draw(st.lists(KINDS[kind][0], min_size=n, max_size=n))
        column = pd.Series(values, dtype=object)
        if kind == "category":
            distinct = pd.Index(
                list(dict.fromkeys(v for v in values if v is not None)), dtype="str"
            )
            columns[name] = pd.Series(pd.Categorical(values, categories=distinct))
        elif kind == "datetime64[us, UTC]":
            columns[name] = column.astype("datetime64[us]").dt.tz_localize("UTC")
        else:
            columns[name] = column.astype(KINDS[kind][1])
    index = draw(st.none() | st.lists(text, min_size=n, max_size=n, unique=True))
    rows = None if index is None or n == 0 else pd.Index(index, dtype="str")
    made = pd.DataFrame(columns, index=pd.RangeIndex(n))
    return made if rows is None else made.set_axis(rows)


@settings(max_examples=200, deadline=None)
@given(before=frames())
def test_any_frame_survives_the_round_trip(before: pd.DataFrame) -> None:
    expected = before.copy()
    for name in before:
        plain = NULLABLE_WITHOUT_A_GAP.get(str(before[name].dtype))
        if plain and not before[name].isna().any():
            expected[name] = before[name].astype(plain)
    after = round_trip(before)
    assert after.columns.tolist() == before.columns.tolist()
    assert after.index.identical(expected.index)
    for name in expected:
        assert same(after[name].array, expected[name].array)


@pytest.mark.parametrize(
    "value",
    [
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 12, 30)],
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
        pd.MultiIndex.from_tuples([("a", 1)]),
        np.timedelta64(1, "M"),
    ],
)
def test_whatever_has_no_counterpart_is_refused_in_our_words(value: object) -> None:
    from pyside.bridge.convert import to_r

    with pytest.raises(ConversionError, match="exact counterpart"):
        to_r(value)
