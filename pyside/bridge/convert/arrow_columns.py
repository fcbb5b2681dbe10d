"""An Arrow column as an R vector, from its buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyside.bridge.convert import vectors
from pyside.bridge.convert.text import character, positions
from pyside.bridge.convert.vectors import Mask, Sexp, refused

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def from_arrow(name: str, column: pa.ChunkedArray) -> Sexp:
    """An R vector that equals an Arrow column, NA where it is null.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _factor(name, column)
    if _is_text(kind):
        return character(name, column)
    if pa.types.is_null(kind):
        return vectors.logical(np.zeros(len(column), np.bool_), np.ones(len(column), np.bool_))
    if pa.types.is_boolean(kind):
        return vectors.logical(*_parts(column, False))
    if pa.types.is_integer(kind):
        return vectors.whole(name, *_parts(column, 0))
    if pa.types.is_floating(kind):
        return vectors.double(name, *_parts(column, np.nan))
    if pa.types.is_date(kind):
        return vectors.date(*_parts(column.cast(pa.date32()).cast(pa.int32()), 0))
    if pa.types.is_timestamp(kind):
        ticks, missing = _parts(column.cast(pa.int64()), 0)
        return vectors.posixct(name, ticks, _PER_SECOND[kind.unit], missing, kind.tz)
    if pa.types.is_duration(kind):
        ticks, missing = _parts(column.cast(pa.int64()), 0)
        return vectors.difftime(name, ticks, _PER_SECOND[kind.unit], missing)
    raise refused(name, f"Arrow's {kind}")


def _factor(name: str, column: pa.ChunkedArray) -> Sexp:
    kind = column.type
    if not _is_text(kind.value_type):
        found = f"a dictionary of {kind.value_type}"
        raise refused(name, found, "make its values text, or take them out of the dictionary")
    if any(chunk.dictionary.null_count for chunk in column.chunks):
        raise refused(name, "a null among the categories", "make it text first")
    codes, levels = positions(name, column)
    if vectors.base("anyDuplicated", levels)[0]:
        raise refused(name, "a category that occurs twice", "make it text first")
    return vectors.factor(codes, levels, ordered=kind.ordered)


def _is_text(kind: pa.DataType) -> bool:
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(check(kind) for check in checks)


def _parts(column: pa.ChunkedArray, filler: object) -> tuple[npt.NDArray[Any], Mask | None]:
    """The values, whatever where null; and which are null, None if none is."""
    if column.null_count == 0:
        return column.to_numpy(), None
    missing = np.asarray(column.is_null().to_numpy(), dtype=np.bool_)
    filled = pc.fill_null(column, pa.scalar(filler, column.type))
    return filled.to_numpy(), missing
