"""A pandas column as an R vector."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pyside.bridge.convert import vectors
from pyside.bridge.convert.arrow_columns import from_arrow
from pyside.bridge.convert.text import (
    character,
    character_of_list,
    character_of_objects,
    character_of_repeated,
)
from pyside.bridge.convert.vectors import Mask, Sexp, refused
from pyside.bridge.exact import MAX_EXACT

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def from_series(name: str, series: pd.Series[Any]) -> Sexp:
    """An R vector that equals a column; its index and its name are left to the caller.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        raise refused(name, "sparse", "make it dense: .sparse.to_dense()")
    if isinstance(dtype, pd.CategoricalDtype):
        return _factor(name, series)
    if isinstance(dtype, pd.ArrowDtype):
        return from_arrow(name, _arrow(series))
    if isinstance(dtype, pd.StringDtype):
        return character(name, _arrow(series))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _times(name, series.dt.tz_convert("UTC").dt.tz_localize(None), str(dtype.tz))
    if isinstance(dtype, np.dtype):
        return _from_numpy(name, series)
    return _from_masked(name, series)


def _from_numpy(name: str, series: pd.Series[Any]) -> Sexp:
    values, kind = series.to_numpy(), series.dtype.kind
    if kind == "b":
        return vectors.logical(values, None)
    if kind in "iu":
        return vectors.whole(name, values, None)
    if kind == "f":
        return vectors.double(name, values, None)
    if kind == "M":
        return _times(name, series, None)
    if kind == "m":
        ticks, missing = _ticks(values)
        return vectors.difftime(name, ticks, _per_second(values), missing)
    if kind == "O":
        return _objects(name, series)
    raise refused(name, str(series.dtype))


def _from_masked(name: str, series: pd.Series[Any]) -> Sexp:
    """A column with `pd.NA`: boolean, Int*, UInt*, Float*."""
    kind, missing = getattr(series.dtype, "kind", ""), _missing(series)
    if kind == "b":
        return vectors.logical(series.to_numpy(dtype=np.bool_, na_value=False), missing)
    if kind in ("i", "u"):
        dtype = np.dtype(f"{kind}8")
        return vectors.whole(name, series.to_numpy(dtype=dtype, na_value=0), missing)
    if kind == "f":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return vectors.double(name, values, missing)
    raise refused(name, str(series.dtype))


def _factor(name: str, series: pd.Series[Any]) -> Sexp:
    categories = series.cat.categories
    if not all(isinstance(category, str) for category in categories):
        raise refused(
            name,
            f"categories that are no text: {list(categories[:5])}",
            "make them text: .cat.rename_categories(str)",
        )
    levels = character_of_objects(name, categories.to_numpy(dtype=object))
    codes = series.cat.codes.to_numpy()
    return vectors.factor(codes, levels, ordered=bool(series.cat.ordered))


def _times(name: str, naive: pd.Series[Any], zone: str | None) -> Sexp:
    values = naive.to_numpy()
    ticks, missing = _ticks(values)
    return vectors.posixct(name, ticks, _per_second(values), missing, zone)


def _ticks(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Mask]:
    return values.astype(np.int64), np.isnat(values)


def _per_second(values: npt.NDArray[Any]) -> int:
    return _PER_SECOND[np.datetime_data(values.dtype)[0]]


def _objects(name: str, series: pd.Series[Any]) -> Sexp:
    """A column of Python objects, which must be of one kind."""
    repeated = character_of_repeated(name, series.to_numpy())
    if repeated is not None:
        return repeated
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind in ("datetime", "datetime64", "timedelta", "timedelta64"):
        return _inferred(name, series)
    make = _OBJECTS.get(kind)
    if make is None:
        raise refused(name, f"objects of kind '{kind}'", "make them all text, or all numbers")
    try:
        return make(name, series.to_numpy())
    except OverflowError as error:
        raise refused(name, "whole numbers beyond 64 bits", "pass them as text") from error


def _inferred(name: str, series: pd.Series[Any]) -> Sexp:
    times = series.infer_objects()
    if times.dtype == object:
        raise refused(
            name, "times of several zones", "call pandas.to_datetime(..., utc=True) first"
        )
    return from_series(name, times)


def _boolean_objects(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    filled, missing = _filled(values, False)
    return vectors.logical(filled.astype(np.bool_), missing)


def _whole_objects(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    filled, missing = _filled(values, 0)
    return vectors.whole(name, filled.astype(np.int64), missing)


def _float_objects(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    """Floats, and whole numbers among them; a NaN is no missing value here, None is."""
    missing = np.array([value is None or value is pd.NA for value in values], dtype=np.bool_)
    filled = values.copy()
    filled[missing] = 0.0
    large = [i for i in filled if isinstance(i, (int, np.integer)) and abs(int(i)) > MAX_EXACT]
    if large:
        raise refused(name, f"whole numbers beyond 2^53: {large[:5]}", "pass them as text")
    wide = filled.astype(np.float64)
    if (wide != filled)[~np.isnan(wide)].any():
        raise refused(name, "numbers with more digits than float64", "round them first")
    return vectors.double(name, wide, missing)


def _date_objects(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    if any(isinstance(value, dt.datetime) for value in values):
        raise refused(name, "dates and times", "make them all times: pandas.to_datetime()")
    filled, missing = _filled(values, dt.date(1970, 1, 1))
    days = filled.astype("datetime64[D]")
    return vectors.date(days.astype(np.int64), missing)


def _nothing(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    """Nothing but what is missing: of text, or, where one is a NaN, of numbers."""
    if any(isinstance(value, float) for value in values):
        return _float_objects(name, values)
    return character_of_list(name, [None] * len(values))


def _filled(values: npt.NDArray[np.object_], filler: object) -> tuple[npt.NDArray[Any], Mask]:
    missing = np.asarray(pd.isna(values), dtype=np.bool_)
    filled = values.copy()
    filled[missing] = filler
    return filled, missing


_OBJECTS: dict[str, Callable[[str, npt.NDArray[np.object_]], Sexp]] = {
    "string": character_of_objects,
    "empty": _nothing,
    "boolean": _boolean_objects,
    "integer": _whole_objects,
    "floating": _float_objects,
    "mixed-integer-float": _float_objects,
    "date": _date_objects,
}


def _missing(series: pd.Series[Any]) -> Mask:
    return np.asarray(series.isna(), dtype=np.bool_)


def _arrow(series: pd.Series[Any]) -> pa.ChunkedArray:
    column = pa.array(series.array)
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
