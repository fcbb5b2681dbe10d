"""From R to Python, by both backends: a row of docs/conversion.md each, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conversion import bits, described, documented, evaluate, in_r, round_trip, same, through_json

from pyside.bridge.convert import is_na
from pyside.bridge.embedded import session
from pyside.errors import ConversionError


@pytest.fixture(scope="module", autouse=True)
def gate() -> Iterator[None]:
    with session().gate():
        yield


def value_of(code: str) -> Any:
    from pyside.bridge.convert import from_r

    return from_r(evaluate(code))


def listed(value: Any) -> Any:
    """A value as plain lists, missing ones as None."""
    if isinstance(value, dict):
        return {key: listed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [listed(item) for item in value]
    if isinstance(value, pd.DataFrame):
        return {str(name): listed(value[name]) for name in value}
    if value is None or np.ndim(value) == 2:
        return None if value is None else value.tolist()
    return [None if pd.isna(item) else item for item in list(value)]


def at(text: str, zone: str | None = None) -> pd.Timestamp:
    return pd.Timestamp(text, tz=zone)


# name: the R code, the Python type, the values.
VALUES: dict[str, tuple[str, str, Any]] = {
    "NULL": ("NULL", "NoneType", None),
    "logical": ("c(TRUE, FALSE)", "array of bool", [True, False]),
    "logical with NA": ("c(TRUE, NA)", "array of boolean", [True, None]),
    "integer": ("c(1L, -2147483647L)", "array of int64", [1, -(2**31) + 1]),
    "integer with NA": ("c(1L, NA)", "array of Int64", [1, None]),
    "compact sequence": ("1:3", "array of int64", [1, 2, 3]),
    "double": ("c(0.1, Inf, -Inf, -0)", "array of float64", [0.1, np.inf, -np.inf, -0.0]),
    "double with NA and NaN": ("c(NA, NaN, 1)", "array of float64", [None, None, 1.0]),
    "character": ('c("a", "", "\\u65e5")', "array of string", ["a", "", "日"]),
    "character with NA": ('c("NA", NA)', "array of string", ["NA", None]),
    "character in latin1": (
        'iconv(c("\\u00e9", "a"), "UTF-8", "latin1")',
        "array of string",
        ["é", "a"],
    ),
    "no logical": ("logical()", "array of bool", []),
    "no integer": ("integer()", "array of int64", []),
    "no double": ("double()", "array of float64", []),
    "no character": ("character()", "array of string", []),
    "factor": ('factor(c("b", NA), levels = c("b", "a"))', "Categorical", ["b", None]),
    "no factor": ("factor(character())", "Categorical", []),
    "ordered": (
        'factor(c("b", NA), levels = c("b", "a"), ordered = TRUE)',
        "Categorical, ordered",
        ["b", None],
    ),
    "Date": (
        'as.Date(c("2020-02-29", NA))',
        "array of datetime64[us]",
        [at("2020-02-29"), None],
    ),
    "Date held as integer": (
        'structure(18321L, class = "Date")',
        "array of datetime64[us]",
        [at("2020-02-29")],
    ),
    "POSIXct without a zone": (
        "structure(c(0.5, NA), class = c('POSIXct', 'POSIXt'))",
        "array of datetime64[us, UTC]",
        [at("1970-01-01 00:00:00.5", "UTC"), None],
    ),
    "POSIXct in a zone": (
        'as.POSIXct("2026-11-30 03:04:05", tz = "Europe/Berlin")',
        "array of datetime64[us, Europe/Berlin]",
        [at("2026-11-30 03:04:05", "Europe/Berlin")],
    ),
    "POSIXct finer than a microsecond": (
        'structure(1700000000 + 2^-22, class = c("POSIXct", "POSIXt"), tzone = "UTC")',
        "array of datetime64[ns, UTC]",
        [at("2023-11-14 22:13:20.000000238", "UTC")],
    ),
    "difftime in any units": (
        'as.difftime(c(1.5, NA), units = "mins")',
        "array of timedelta64[us]",
        [pd.Timedelta(seconds=90), None],
    ),
    "integer64": (
        'bit64::as.integer64(c("9007199254740993", "-1"))',
        "array of int64",
        [2**53 + 1, -1],
    ),
    "integer64 with NA": ('bit64::as.integer64(c("1", NA))', "array of Int64", [1, None]),
    "named vector": ("c(a = 1.5, b = NA)", "Series of float64, by name", [1.5, None]),
    "named factor": ('c(a = factor("x"))', "Series of category, by name", ["x"]),
    "matrix": ("matrix(1:6, 2)", "array of int64, 2 dimensions", [[1, 3, 5], [2, 4, 6]]),
    "matrix of text": (
        'matrix(c("a", NA), 1)',
        "array of text, 2 dimensions",
        [["a", None]],
    ),
    "matrix with names": (
        'matrix(c(1L, NA), 1, dimnames = list(NULL, c("a", "b")))',
        "DataFrame",
        {"a": [1], "b": [None]},
    ),
    "array of one dimension": ("array(1:2)", "array of int64", [1, 2]),
    "list": ('list(1L, "a", NULL)', "list", [[1], ["a"], None]),
    "named list": ("list(a = 1L, b = list(c = 2.5))", "dict", {"a": [1], "b": {"c": [2.5]}}),
    "no list": ("list()", "list", []),
    "data.frame": (
        'data.frame(x = 1:2, y = c("a", NA))',
        "DataFrame",
        {"x": [1, 2], "y": ["a", None]},
    ),
    "data.frame with row names": (
        'data.frame(x = 1:2, row.names = c("r", "s"))',
        "DataFrame",
        {"x": [1, 2]},
    ),
    "data.frame of some rows": (
        "data.frame(x = 1:4)[c(2, 4), , drop = FALSE]",
        "DataFrame",
        {"x": [2, 4]},
    ),
    "data.frame without rows": ("data.frame(x = 1)[0, , drop = FALSE]", "DataFrame", {"x": []}),
    "data.frame without columns": ("data.frame(x = 1:2)[, 0]", "DataFrame", {}),
    "data.table": ("data.table::data.table(x = 1:2)", "DataFrame", {"x": [1, 2]}),
    "tibble": ("tibble::tibble(x = 1:2)", "DataFrame", {"x": [1, 2]}),
    "I()": ("I(1.5)", "array of float64", [1.5]),
}


@pytest.mark.parametrize("name", VALUES)
def test_r_value_is_equal_in_python(name: str) -> None:
    code, expected_type, expected = VALUES[name]
    value = value_of(code)
    assert described(value) == expected_type
    assert listed(value) == expected


@pytest.mark.parametrize("name", VALUES)
def test_both_backends_give_the_same_value(name: str) -> None:
    code = VALUES[name][0]
    assert same(through_json(evaluate(code)), value_of(code))


def test_documented_values_are_the_tested_ones() -> None:
    rows = [(name, code, back) for name, (code, back, _) in VALUES.items()]
    assert documented("From R to Python") == rows


# name: the R code, and what the message mentions.
REFUSED: dict[str, tuple[str, str]] = {
    "complex": ("1i", "CPLXSXP"),
    "raw": ("as.raw(1)", "RAWSXP"),
    "function": ("sum", "BUILTINSXP"),
    "language": ("quote(quote(a + b))", "LANGSXP"),
    "environment": ("globalenv()", "ENVSXP"),
    "vector of another class": ('structure(1, class = "own")', "class own"),
    "list of another class": ("as.POSIXlt(0, origin = '1970-01-01', tz = 'UTC')", "POSIXlt"),
    "table of counts": ("table(c(1, 1, 2))", "class table"),
    "text of bytes": ('structure("\\u00e9") |> (\\(x) {Encoding(x) <- "bytes"; x})()', "row 1"),
    "text that is no UTF-8": ('c("a", "\\xff")', "row 2"),
    "matrix with NA": ("matrix(c(1L, NA))", "NA"),
    "array with names of three dimensions": (
        "array(1, c(1, 1, 1), list('a', 'b', 'c'))",
        "more than two",
    ),
    "matrix of dates": ("structure(0, class = 'Date', dim = c(1L, 1L))", "class"),
    "list with dimensions": ("matrix(list(1), 1)", "dimensions"),
    "named list with one name twice": ("list(a = 1, a = 2)", "'a' more than once"),
    "names that are NA": ("structure(1, names = NA_character_)", "names that are NA"),
    "factor with a level NA": ("addNA(factor(NA))", "level NA"),
    "broken factor": ('structure(5L, levels = "a", class = "factor")', "broken"),
    "time that is infinite": ("as.Date(Inf)", "infinite"),
    "time finer than a nanosecond": (".POSIXct(1e-12)", "nanosecond"),
    "POSIXct in a zone unknown to Python": ('.POSIXct(0, tz = "Nowhere/Else")', "Nowhere"),
    "difftime in other units": ('structure(1, class = "difftime", units = "moons")', "moons"),
    "column names that repeat": ("data.frame(a = 1, a = 2, check.names = FALSE)", "'a' more than"),
    "list as a column": ("data.frame(x = I(list(1)))", "'x'"),
    "matrix as a column": ("data.frame(x = I(matrix(1)))", "'x'"),
    "data.frame as a column": ("tibble::tibble(x = data.frame(y = 1))", "'x'"),
    "column whose values have names": ("tibble::tibble(x = c(a = 1))", "'x'"),
    "columns of several lengths": (
        "structure(list(x = 1:2, y = 1L), class = 'data.frame', row.names = 1:2)",
        "'y'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_r_value_without_a_counterpart_is_refused(name: str) -> None:
    code, found = REFUSED[name]
    with pytest.raises(ConversionError) as caught:
        value_of(code)
    assert found in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_other_backend_refuses_it_too(name: str) -> None:
    import rpy2.rinterface as ri

    with pytest.raises((ConversionError, ri.embedded.RRuntimeError)):
        through_json(evaluate(REFUSED[name][0]))


def test_documented_refusals_are_the_tested_ones_with_what_to_do() -> None:
    rows = []
    for name, (code, _) in REFUSED.items():
        with pytest.raises(ConversionError) as caught:
            value_of(code)
        rows.append((name, str(caught.value.fix)))
    assert documented("Refused on the way from R") == rows


def test_bytes_of_na_and_nan_survive_both_ways() -> None:
    value = value_of("c(NA, NaN, 1)")
    assert is_na(value).tolist() == [True, False, False]
    assert is_na(through_json(evaluate("c(NA, NaN, 1)"))).tolist() == [True, False, False]
    assert bits(round_trip(value)) == bits(value)


@pytest.mark.parametrize(
    ("code", "index"),
    [
        ('data.frame(x = 1:2, row.names = c("r", "s"))', ["r", "s"]),
        ("data.frame(x = 1:4)[c(2, 4), , drop = FALSE]", [2, 4]),
        ("data.frame(x = 1:2)", [0, 1]),
        ("tibble::tibble(x = 1:2)", [0, 1]),
    ],
)
def test_row_names_become_the_index(code: str, index: list[Any]) -> None:
    assert value_of(code).index.tolist() == index
    assert through_json(evaluate(code)).index.tolist() == index
    assert isinstance(value_of(code).index, pd.RangeIndex) == (index == [0, 1])


def test_names_of_a_vector_and_of_a_matrix_become_labels() -> None:
    assert value_of("c(a = 1, b = 2)").index.tolist() == ["a", "b"]
    matrix = value_of('matrix(1:4, 2, dimnames = list(c("r", "s"), c("a", "b")))')
    assert matrix.loc["s", "a"] == 2
    assert matrix.loc["r", "b"] == 3
    assert value_of('matrix(1:2, 1, dimnames = list("r", NULL))').columns.tolist() == [0, 1]


@pytest.mark.parametrize(
    "code",
    [
        'paste0("\\u00e9", 1:5000)',
        'rep(c("\\u00e9", "a\\n", NA, ""), 1500)',
        'iconv(rep(c("\\u00e9", "b"), 1500), "UTF-8", "latin1")',
        'c(paste0("x", 1:3000), NA, rep("", 3000))',
        'structure(rep("a", 500), names = paste0("n", 1:500))',
    ],
)
def test_many_texts_are_those_that_r_has(code: str) -> None:
    import rpy2.rinterface as ri

    r = evaluate(code)
    expected = [None if item is ri.NA_Character else item for item in r]
    value = value_of(code)
    texts = value.array if isinstance(value, pd.Series) else value
    assert texts.to_numpy(dtype=object, na_value=None).tolist() == expected
    assert same(through_json(r), value)


@pytest.mark.parametrize("size", [50, 5000])
@pytest.mark.parametrize("distinct", [True, False])
def test_bytes_among_texts_are_named_by_their_row(size: int, distinct: bool) -> None:
    texts = f'paste0("x", seq_len({size}){"" if distinct else " %% 3"})'
    code = f'{{ x <- {texts}; x[33] <- "\\xff\\xfe"; x }}'
    with pytest.raises(ConversionError, match="row 33"):
        value_of(code)


SECONDS = "as.numeric(unclass(x))"


@pytest.mark.parametrize(
    "code",
    [
        "Sys.time()",
        "structure(c(-1e9, 253402300799, 0.1), class = c('POSIXct', 'POSIXt'), tzone = 'UTC')",
        "structure(c(1e9 + 1 / 3, 0.1), class = 'difftime', units = 'secs')",
        "structure(c(1.25, -0.5), class = 'difftime', units = 'weeks')",
    ],
)
def test_times_come_back_to_the_last_bit(code: str) -> None:
    from pyside.bridge.convert import from_r, to_r

    r = evaluate(code)
    after = to_r(pd.Series(from_r(r)))
    in_seconds = "as.numeric(x, units = 'secs')" if "difftime" in code else SECONDS
    assert bits(np.array(in_r(in_seconds, after))) == bits(np.array(in_r(in_seconds, r)))
