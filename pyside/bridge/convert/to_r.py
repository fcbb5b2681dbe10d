"""Python values as R objects."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import rpy2.rinterface as ri

from pyside.bridge.convert import vectors
from pyside.bridge.convert.arrow_columns import from_arrow
from pyside.bridge.convert.pandas_columns import from_series
from pyside.bridge.convert.text import character_of_list
from pyside.bridge.convert.vectors import Sexp, refused, set_attribute, set_class
from pyside.bridge.exact import MAX_INTEGER, NA_INTEGER
from pyside.errors import list_names
from pyside.interchange import arrow_column, arrow_table
from pyside.predictions import Predictions

_SCALARS = (bool, int, float, str, np.generic, dt.date, dt.timedelta)


def to_r(value: object) -> Sexp:
    """An R object that equals a Python value.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    try:
        return _converted("value", value)
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        # pandas, numpy and Arrow each refuse what they do not know in their own way.
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise refused("value", f"{kind}: {error}") from error


def data_frame(frame: pd.DataFrame) -> Sexp:
    """An R data.frame that equals a pandas one.

    Raises:
        ConversionError: if a column, the names or the index have no exact counterpart.
    """
    if isinstance(frame.columns, pd.MultiIndex):
        raise refused("columns", "a MultiIndex", "flatten the column names")
    if frame.columns.name is not None:
        found = f"a name of all columns, '{frame.columns.name}'"
        raise refused("columns", found, "call frame.rename_axis(columns=None) first")
    _require_names("columns", list(frame.columns))
    columns = {str(name): frame[name] for name in frame.columns}
    made: dict[str, Sexp] = {}
    # Text needs the most room besides R's, so it comes while R holds little.
    for name in sorted(columns, key=lambda name: columns[name].dtype.kind in "biufmM"):
        made[name] = from_series(name, columns[name])
    return _frame(list(columns), [made[name] for name in columns], _row_names(frame.index))


def _converted(name: str, value: object) -> Sexp:
    if value is None:
        return ri.NULL
    if isinstance(value, Predictions):
        return data_frame(value.table)
    if isinstance(value, pd.DataFrame):
        return data_frame(value)
    if isinstance(value, pd.Series):
        return _named_vector(name, value)
    if isinstance(value, (pd.Index, pd.api.extensions.ExtensionArray)):
        return _converted(name, pd.Series(value))
    if isinstance(value, Mapping):
        return _named_list(value)
    if isinstance(value, _SCALARS):
        return from_series(name, pd.Series([value]))
    if isinstance(value, np.ndarray):
        return _array(name, value)
    if isinstance(value, (list, tuple)):
        return _list(name, value)
    return _foreign(name, value)


def _foreign(name: str, value: object) -> Sexp:
    """A table or a column of another library."""
    if (table := arrow_table(value)) is not None:
        return _arrow_frame(table)
    if (column := arrow_column(value)) is not None:
        return from_arrow(name, column)
    raise refused(name, f"{type(value).__module__}.{type(value).__qualname__}")


def _arrow_frame(table: pa.Table) -> Sexp:
    _require_names("columns", table.column_names)
    columns = [
        from_arrow(name, column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return _frame(table.column_names, columns, _automatic(table.num_rows))


def _frame(names: Sequence[str], columns: Sequence[Sexp], row_names: Sexp) -> Sexp:
    result = ri.ListSexpVector(columns)
    set_attribute(result, "names", character_of_list("column names", names))
    set_attribute(result, "row.names", row_names)
    set_class(result, "data.frame")
    return result


def _row_names(index: pd.Index[Any]) -> Sexp:
    if isinstance(index, pd.MultiIndex):
        raise refused("index", "a MultiIndex", "call frame.reset_index() first")
    if index.name is not None:
        found = f"a name of the index, '{index.name}', which row names lack"
        raise refused("index", found, "call frame.reset_index() or .rename_axis(None) first")
    n = len(index)
    if n == 0 or (isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1):
        return _automatic(n)
    if index.has_duplicates or index.hasnans:
        raise refused("index", "row names that are not unique", "call frame.reset_index() first")
    if pd.api.types.is_integer_dtype(index.dtype):
        return _numbered_rows(index)
    if not all(isinstance(name, str) for name in index):
        found = f"labels that are neither text nor whole numbers: {list(index[:5])}"
        raise refused("index", found, "call frame.reset_index() first")
    return character_of_list("index", [str(name) for name in index])


def _automatic(n: int) -> Sexp:
    return ri.IntSexpVector.from_memoryview(np.array([NA_INTEGER, -n], np.int32).data)


def _numbered_rows(index: pd.Index[Any]) -> Sexp:
    numbers = index.to_numpy(dtype=np.int64)
    if np.abs(numbers).max() > MAX_INTEGER:
        raise refused("index", "row numbers beyond 2^31", "call frame.reset_index() first")
    if np.array_equal(numbers, np.arange(1, len(numbers) + 1)):
        found = "rows numbered from 1, which R does not tell from rows without names"
        raise refused("index", found, "call frame.reset_index(drop=True) first")
    return vectors.whole("index", numbers, None)


def _named_vector(name: str, series: pd.Series[Any]) -> Sexp:
    name = name if series.name is None else str(series.name)
    vector, index = from_series(name, series), series.index
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return vector
    if isinstance(index, pd.MultiIndex) or not all(isinstance(label, str) for label in index):
        raise refused(name, "an index that is no text", "call series.reset_index(drop=True) first")
    if index.name is not None:
        raise refused(name, f"a name of the index, '{index.name}'", "call .rename_axis(None) first")
    set_attribute(vector, "names", character_of_list("index", list(index)))
    return vector


def _named_list(value: Mapping[Any, object]) -> Sexp:
    _require_names("names", list(value))
    result = ri.ListSexpVector([_converted(str(name), item) for name, item in value.items()])
    set_attribute(result, "names", character_of_list("names", list(value)))
    return result


def _list(name: str, value: Sequence[Any]) -> Sexp:
    """A vector from values of one kind; a list from arrays, lists, frames and other wholes."""
    if value and all(item is None or _is_scalar(item) for item in value):
        return from_series(name, pd.Series(value, dtype=object))
    return ri.ListSexpVector([_converted(name, item) for item in value])


def _is_scalar(value: object) -> bool:
    return isinstance(value, _SCALARS) or value is pd.NA or value is pd.NaT


def _array(name: str, value: npt.NDArray[Any]) -> Sexp:
    """A vector; with more dimensions a matrix or an array, which R holds by columns."""
    if np.ma.isMaskedArray(value):
        raise refused(name, "a masked array", "fill it, or make it a nullable pandas array")
    if value.ndim == 0:
        return _converted(name, value[()])
    vector = from_series(name, pd.Series(value.ravel(order="F")))
    if value.ndim > 1:
        shape = np.array(value.shape, dtype=np.int64)
        set_attribute(vector, "dim", vectors.whole(name, shape, None))
    return vector


def _require_names(what: str, names: Sequence[object]) -> None:
    not_text = [name for name in names if not isinstance(name, str)]
    if not_text:
        raise refused(what, f"names that are no text: {not_text[:5]}", "rename them")
    repeated = [str(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        found = f"{list_names('name', repeated)} more than once"
        raise refused(what, found, "rename or drop the repeated ones")
