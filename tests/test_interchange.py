"""Tables of Polars, Arrow and the dataframe protocol: as prediction tables, and in R."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyside
from pyside.errors import ConversionError, PredictionTableError

TABLE = {
    "true_label": ["cat", "dog", "dog", "cat"],
    "pred_prob_cat": [0.75, 0.25, 0.5, 0.5],
    "pred_prob_dog": [0.25, 0.75, 0.5, 0.5],
    "site": ["a", None, "b", "日本"],
}


class OnlyProtocol:
    """A table of a library that offers nothing but the dataframe protocol."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return pa.table(self._frame).__dataframe__(nan_as_null, allow_copy)


class OnlyStream:
    """A table of a library that offers nothing but the Arrow stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return pa.table(TABLE).__arrow_c_stream__(requested_schema)


KINDS: dict[str, Callable[[], Any]] = {
    "Polars": lambda: pl.DataFrame(TABLE),
    "Polars, categories": lambda: pl.DataFrame(TABLE).with_columns(
        pl.col("true_label").cast(pl.Categorical)
    ),
    "Arrow": lambda: pa.table(TABLE),
    "Arrow, in pieces": lambda: pa.concat_tables([pa.table(TABLE)[:1], pa.table(TABLE)[1:]]),
    "Arrow stream": OnlyStream,
    "dataframe protocol": lambda: OnlyProtocol(pd.DataFrame(TABLE)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_prediction_table_of_any_library(kind: str) -> None:
    expected = pyside.Predictions.from_frame(pd.DataFrame(TABLE))
    found = pyside.Predictions.from_frame(KINDS[kind]())
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert found.classes == expected.classes


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_any_library_in_r(kind: str) -> None:
    from pyside.bridge.convert import from_r, to_r
    from pyside.bridge.embedded import session

    with session().gate():
        back = from_r(to_r(KINDS[kind]()))
    assert list(back.columns) == list(TABLE)
    for name, values in TABLE.items():
        column = back[name].astype(object)
        assert column.where(column.notna(), None).tolist() == values


def test_polars_reaches_both_languages() -> None:
    report = pyside.validate(pl.DataFrame(TABLE))
    assert report.agrees
    rside = pyside.RSide()
    values = rside.slices(pl.DataFrame(TABLE), by=["site"], minimum=1).values
    assert set(values["level"].dropna()) == {"a", "b", "日本"}


def test_polars_columns_and_what_has_no_counterpart() -> None:
    from pyside.bridge.convert import from_r, to_r
    from pyside.bridge.embedded import session

    with session().gate():
        assert from_r(to_r(pl.Series("x", [1, None, 3]))).tolist() == [1, pd.NA, 3]
        with pytest.raises(ConversionError, match="'x'"):
            to_r(pl.DataFrame({"x": [[1, 2]]}))
        with pytest.raises(ConversionError, match="'x'"):
            to_r(pl.DataFrame({"x": [2**60]}))


def test_what_is_no_table_is_named() -> None:
    with pytest.raises(PredictionTableError, match=r"builtins\.list"):
        pyside.Predictions.from_frame([1])  # type: ignore[arg-type]
