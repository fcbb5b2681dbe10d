"""Values between Python and R, by type and exactly, or not at all.

| Python | R |
| --- | --- |
| None | NULL |
| bool, int, float, str; lists of one kind of them | logical, integer or double, double, character |
| dict with text keys | named list |
| pandas.DataFrame | data.frame, its columns as follows |
| bool, nullable boolean | logical |
| integers within +-(2^31 - 1) | integer |
| other integers within +-2^53 | double |
| float16, float32, float64, nullable Float | double; a missing value is NA |
| text (object, str, string) | character; a missing value is NA |
| Categorical of text | factor, with all its levels; ordered stays ordered |
| datetime64, with or without zone | POSIXct, in UTC or in that zone |
| Predictions | data.frame with factors in class order |

Anything else is refused by column name. Back from R: logical, integer, double, character become
arrays of bool or boolean, int64 or Int64, float64, string (the nullable type where there is an
NA); factor becomes Categorical; Date and POSIXct datetime64; data.frame DataFrame; a named list
dict; another list list; NULL None.

Vectors are filled from buffers, in one copy. rpy2's own rules are not used: they turn what they do
not know into text, drop one of two columns with one name, and read NA_integer_ as a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import rpy2.rinterface as ri

from pyside.errors import ConversionError, list_names, list_rows
from pyside.predictions import Predictions

Sexp: TypeAlias = Any
"""An R object; rpy2 has no types for them."""

_NA_INTEGER = np.int32(-(2**31))
_MAX_INTEGER = 2**31 - 1
_MAX_EXACT = 2**53
# The bits of R's NA_real_, a NaN with the payload 1954.
_NA_REAL = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)[0]


def to_r(value: object) -> Sexp:
    """An R object that equals a Python value.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    if value is None:
        return ri.NULL
    if isinstance(value, Predictions):
        return data_frame(value.table)
    if isinstance(value, pd.DataFrame):
        return data_frame(value)
    if isinstance(value, pd.Series):
        return _vector(str(value.name), value)
    if isinstance(value, Mapping):
        return _named_list(value)
    if isinstance(value, (bool, int, float, str, np.generic)):
        return _vector("value", pd.Series([value]))
    if isinstance(value, (list, tuple, np.ndarray)):
        if isinstance(value, np.ndarray) and value.ndim != 1:
            raise _refused("value", f"an array of {value.ndim} dimensions", "pass a DataFrame")
        if len(value) == 0:
            return ri.ListSexpVector([])
        return _vector("value", pd.Series(value))
    raise _refused("value", f"{type(value).__module__}.{type(value).__qualname__}")


def data_frame(frame: pd.DataFrame) -> Sexp:
    """An R data.frame that equals a pandas one.

    Raises:
        ConversionError: if a column, the names or the index have no exact counterpart.
    """
    if isinstance(frame.columns, pd.MultiIndex):
        raise _refused("columns", "a MultiIndex", "flatten the column names")
    not_text = [name for name in frame.columns if not isinstance(name, str)]
    if not_text:
        raise _refused("columns", f"names that are no text: {not_text[:5]}", "rename the columns")
    if frame.columns.has_duplicates:
        repeated = frame.columns[frame.columns.duplicated()].unique()
        found = f"{list_names('name', repeated)} more than once"
        raise _refused("columns", found, "rename or drop the repeated columns")
    columns = [_vector(str(name), frame[name]) for name in frame.columns]
    result = ri.ListSexpVector(columns)
    _set(result, "names", _character("column names", list(frame.columns)))
    _set(result, "row.names", _row_names(frame.index))
    result.rclass = ri.StrSexpVector(["data.frame"])
    return result


def _row_names(index: pd.Index[Any]) -> Sexp:
    n = len(index)
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return ri.IntSexpVector.from_memoryview(np.array([_NA_INTEGER, -n], np.int32).data)
    if isinstance(index, pd.MultiIndex) or index.has_duplicates or index.hasnans:
        raise _refused("index", "row names that are not unique", "call frame.reset_index() first")
    return _character("index", [str(name) for name in index])


def _named_list(value: Mapping[Any, object]) -> Sexp:
    not_text = [name for name in value if not isinstance(name, str)]
    if not_text:
        raise _refused("names", f"names that are no text: {not_text[:5]}")
    result = ri.ListSexpVector([to_r(item) for item in value.values()])
    _set(result, "names", _character("names", list(value)))
    return result


def _vector(name: str, series: pd.Series[Any]) -> Sexp:
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        raise _refused(name, "sparse", "make it dense: .sparse.to_dense()")
    if isinstance(dtype, pd.CategoricalDtype):
        return _factor(name, series)
    if pd.api.types.is_bool_dtype(dtype):
        return _logical(series)
    if pd.api.types.is_integer_dtype(dtype):
        return _whole(name, series)
    if pd.api.types.is_float_dtype(dtype):
        return _double(series)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _posixct(series)
    if pd.api.types.is_object_dtype(dtype):
        return _objects(name, series)
    if pd.api.types.is_string_dtype(dtype):
        return _text(name, series)
    raise _refused(name, str(dtype))


def _objects(name: str, series: pd.Series[Any]) -> Sexp:
    """A column of Python objects, which must be of one kind."""
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind in ("string", "empty"):
        return _text(name, series)
    if kind == "boolean":
        return _logical(series.astype("boolean"))
    if kind == "integer":
        try:
            return _whole(name, series.astype("Int64"))
        except OverflowError as error:
            raise _refused(name, "whole numbers beyond 64 bits", "pass them as text") from error
    if kind == "floating":
        return _double(series.astype("float64"))
    raise _refused(name, f"objects of kind {kind!r}")


def _logical(series: pd.Series[Any]) -> Sexp:
    missing = _missing(series)
    values = np.full(len(series), _NA_INTEGER, dtype=np.int32)
    values[~missing] = series[~missing].to_numpy(dtype=np.bool_)
    return ri.BoolSexpVector.from_memoryview(values.data)


def _whole(name: str, series: pd.Series[Any]) -> Sexp:
    missing = _missing(series)
    present = series[~missing].to_numpy() if missing.any() else series.to_numpy()
    if present.dtype == object:
        present = present.astype(np.int64)
    low, high = (int(present.min()), int(present.max())) if len(present) else (0, 0)
    if max(-low, high) <= _MAX_INTEGER:
        values = np.full(len(series), _NA_INTEGER, dtype=np.int32)
        values[~missing] = present
        return ri.IntSexpVector.from_memoryview(values.data)
    if max(-low, high) <= _MAX_EXACT:
        wide = np.full(len(series), _NA_REAL)
        wide[~missing] = present
        return ri.FloatSexpVector.from_memoryview(wide.data)
    raise _refused(name, "whole numbers beyond 2^53, which R cannot hold", "pass them as text")


def _double(series: pd.Series[Any]) -> Sexp:
    if isinstance(series.dtype, np.dtype):
        values = np.ascontiguousarray(series.to_numpy(), dtype=np.float64)
    else:
        missing = _missing(series)
        values = np.array(series.to_numpy(dtype=np.float64, na_value=np.nan))
        values[missing] = _NA_REAL
    return ri.FloatSexpVector.from_memoryview(values.data)


def _posixct(series: pd.Series[Any]) -> Sexp:
    zone = getattr(series.dtype, "tz", None)
    naive = series if zone is None else series.dt.tz_convert("UTC").dt.tz_localize(None)
    missing = _missing(series)
    micro = naive.to_numpy(dtype="datetime64[us]")
    if (naive[~missing].to_numpy() != micro[~missing]).any():
        raise _refused(str(series.name), "times below a microsecond, which R cannot hold")
    seconds = micro.astype(np.int64) / 1e6
    seconds[missing] = _NA_REAL
    result = ri.FloatSexpVector.from_memoryview(seconds.data)
    _set(result, "tzone", ri.StrSexpVector(["UTC" if zone is None else str(zone)]))
    result.rclass = ri.StrSexpVector(["POSIXct", "POSIXt"])
    return result


def _text(name: str, series: pd.Series[Any]) -> Sexp:
    missing = _missing(series)
    values = series.to_numpy(dtype=object)
    return _character(
        name, [None if gone else text for text, gone in zip(values, missing, strict=True)]
    )


def _factor(name: str, series: pd.Series[Any]) -> Sexp:
    categories = list(series.cat.categories)
    if not all(isinstance(category, str) for category in categories):
        raise _refused(
            name,
            f"categories that are no text: {categories[:5]}",
            "make them text: .cat.rename_categories(str)",
        )
    codes = series.cat.codes.to_numpy().astype(np.int32)
    values = np.where(codes < 0, _NA_INTEGER, codes + 1).astype(np.int32)
    result = ri.IntSexpVector.from_memoryview(values.data)
    _set(result, "levels", _character(name, categories))
    result.rclass = ri.StrSexpVector(["ordered", "factor"] if series.cat.ordered else ["factor"])
    return result


def _character(name: str, values: Sequence[str | None]) -> Sexp:
    wrong = [i for i, value in enumerate(values, start=1) if value and not _crosses(value)]
    if wrong:
        found = f"text with a NUL or a lone surrogate in {list_rows(wrong)}"
        raise _refused(name, found, "mend or remove it")
    return ri.StrSexpVector([ri.NA_Character if value is None else value for value in values])


def _crosses(text: str) -> bool:
    """Whether R can hold a text: it is valid Unicode, without NUL, where R's texts end."""
    if text.isascii():
        return "\0" not in text
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _missing(series: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    return np.asarray(series.isna(), dtype=np.bool_)


def _set(target: Sexp, attribute: str, value: Sexp) -> None:
    target.do_slot_assign(attribute, value)


def _refused(
    name: str, found: str, fix: str = "convert it to numbers or text first"
) -> ConversionError:
    return ConversionError(f"'{name}' must have an exact counterpart in R.", found=found, fix=fix)


def from_r(value: Sexp) -> Any:
    """A Python value that equals an R object.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    kind = value.typeof
    if kind == ri.RTYPES.NILSXP:
        return None
    classes = _classes(value)
    if "data.frame" in classes:
        return _frame_from_r(value)
    if kind == ri.RTYPES.VECSXP:
        items = [from_r(item) for item in value]
        names = _attribute(value, "names")
        return items if names is None else dict(zip(_texts(names), items, strict=True))
    if "factor" in classes:
        return _categorical_from_r(value, ordered="ordered" in classes)
    if "POSIXct" in classes or "Date" in classes:
        return _times_from_r(value, days="Date" in classes)
    unknown = set(classes) - {"numeric", "integer", "logical", "character", "matrix", "array"}
    if unknown:
        raise ConversionError(
            "An R value must have an exact counterpart in Python.",
            found=f"class {' '.join(classes)}",
            fix="convert it in R first: as.numeric(), as.character(), as.data.frame()",
        )
    return atomic(value)


def atomic(value: Sexp) -> npt.NDArray[Any] | pd.api.extensions.ExtensionArray:
    """An R vector without a class, as an array."""
    kind = value.typeof
    if kind == ri.RTYPES.REALSXP:
        return _buffer(value, np.float64)
    if kind == ri.RTYPES.STRSXP:
        return pd.array(_texts(value), dtype="string")
    if kind in (ri.RTYPES.INTSXP, ri.RTYPES.LGLSXP):
        whole = _buffer(value, np.int32)
        missing = whole == _NA_INTEGER
        if kind == ri.RTYPES.LGLSXP:
            true = whole == 1
            return pd.arrays.BooleanArray(true, missing) if missing.any() else true
        wide = whole.astype(np.int64)
        return pd.arrays.IntegerArray(wide, missing) if missing.any() else wide
    raise ConversionError(
        "An R value must have an exact counterpart in Python.",
        found=f"type {kind.name}",
        fix="convert it in R first",
    )


def _frame_from_r(value: Sexp) -> pd.DataFrame:
    names = _texts(_attribute(value, "names")) if len(value) else []
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise ConversionError(
            "No two columns of a data.frame may have the same name.",
            found=list_names("name", repeated),
            fix="rename the columns in R first",
        )
    row_names = from_r(_attribute(value, "row.names"))
    is_text = isinstance(row_names, pd.api.extensions.ExtensionArray) and not isinstance(
        row_names, pd.arrays.IntegerArray
    )
    columns = {name: from_r(column) for name, column in zip(names, value, strict=True)}
    index = pd.Index(row_names) if is_text else pd.RangeIndex(len(row_names))
    return pd.DataFrame(columns, index=index)


def _categorical_from_r(value: Sexp, *, ordered: bool) -> pd.Categorical[Any]:
    codes = _buffer(value, np.int32)
    codes = np.where(codes == _NA_INTEGER, 0, codes) - 1
    levels = pd.Index(_texts(_attribute(value, "levels")), dtype=object)
    return pd.Categorical.from_codes(codes, categories=levels, ordered=ordered)


def _times_from_r(value: Sexp, *, days: bool) -> Any:
    numbers = np.array(atomic(value), dtype=np.float64)
    missing = np.isnan(numbers)
    micro = np.round(np.where(missing, 0, numbers) * (86_400e6 if days else 1e6)).astype(np.int64)
    times = pd.Series(micro.astype("datetime64[us]"))
    times[missing] = pd.NaT
    zone = _attribute(value, "tzone")
    name = _texts(zone)[0] if zone is not None else ""
    if not days and name:
        times = times.dt.tz_localize("UTC").dt.tz_convert(name)
    return times.array


def _buffer(value: Sexp, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """A copy of a vector's values; rpy2 has no view of an empty one."""
    return np.array(value.memoryview(), dtype=dtype) if len(value) else np.array([], dtype=dtype)


def _texts(value: Sexp) -> list[str | None]:
    return [None if item is ri.NA_Character else str(item) for item in value]


def _classes(value: Sexp) -> list[str]:
    return [str(name) for name in value.rclass]


def _attribute(value: Sexp, name: str) -> Sexp | None:
    if name not in value.list_attrs():
        return None
    return value.do_slot(name)
