"""Python values from the parts of R's, the same for both backends; rpy2 is not needed here.

`convert.from_r` takes the parts from R's memory, `encoding.decode` from JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pyside.bridge.exact import NA_INTEGER, ticks_of
from pyside.errors import ConversionError, list_names

_SECONDS = {"secs": 1, "mins": 60, "hours": 3600, "days": 86_400, "weeks": 604_800}
_NA_INTEGER64 = np.iinfo(np.int64).min


def refused(
    name: str,
    found: str,
    fix: str = "convert it in R first: as.numeric(), as.character(), as.data.frame()",
) -> ConversionError:
    """The error for an R value that Python cannot hold."""
    return ConversionError(
        f"'{name}' must have an exact counterpart in Python.", found=found, fix=fix
    )


def logical(codes: npt.NDArray[np.int32]) -> Any:
    """bool, or boolean where one is missing."""
    missing, true = codes == NA_INTEGER, codes != 0
    return pd.arrays.BooleanArray(true & ~missing, missing) if missing.any() else true


def integer(values: npt.NDArray[np.int32]) -> Any:
    """int64, or Int64 where one is missing."""
    return _whole(values.astype(np.int64), values == NA_INTEGER)


def integer64(values: npt.NDArray[np.int64]) -> Any:
    """The integers of bit64, as `integer` gives its own."""
    return _whole(values, values == _NA_INTEGER64)


def _whole(values: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> Any:
    if not missing.any():
        return values
    return pd.arrays.IntegerArray(np.where(missing, 1, values), missing)


def character(texts: pa.Array) -> Any:
    """string, missing where null."""
    string: Any = pd.StringDtype("pyarrow")
    return string.__from_arrow__(texts)


def factor(
    name: str, codes: npt.NDArray[np.int32], levels: Sequence[str | None], *, ordered: bool
) -> pd.Categorical[Any]:
    """A Categorical with all levels, from positions counted from 1."""
    if None in levels:
        raise refused(name, "a factor with a level NA", "drop it: factor(x, exclude = NA)")
    positions = np.where(codes == NA_INTEGER, 0, codes) - 1
    categories = index(levels)
    try:
        return pd.Categorical.from_codes(positions, categories=categories, ordered=ordered)
    except ValueError as error:
        raise refused(name, f"a broken factor: {error}", "make it again: factor()") from error


def date(name: str, days: npt.NDArray[np.float64]) -> Any:
    """datetime64, at midnight."""
    return pd.Series(_times(name, days, 86_400, "M8")).array


def posixct(name: str, seconds: npt.NDArray[np.float64], zone: str) -> Any:
    """datetime64 in its zone; in UTC where it names none, since R shows it by the machine's."""
    times = pd.Series(_times(name, seconds, 1, "M8")).dt.tz_localize("UTC")
    try:
        return times.dt.tz_convert(zone or "UTC").array
    except (KeyError, ValueError, OSError) as error:
        found = f"the time zone '{zone}', which Python does not know"
        raise refused(name, found, 'show it in another: attr(x, "tzone") <- "UTC"') from error


def difftime(name: str, numbers: npt.NDArray[np.float64], units: str) -> Any:
    """timedelta64, whatever the units."""
    if units not in _SECONDS:
        raise refused(name, f"a difftime in '{units}'", 'set its units: units(x) <- "secs"')
    return pd.Series(_times(name, numbers, _SECONDS[units], "m8")).array


def _times(
    name: str, numbers: npt.NDArray[np.float64], seconds: int, kind: str
) -> npt.NDArray[Any]:
    """Microseconds, or nanoseconds where these tell no two doubles apart."""
    missing = np.isnan(numbers)
    if np.isinf(numbers).any():
        raise refused(name, "an infinite time", "make it NA in R first")
    found = ticks_of(np.where(missing, 0.0, numbers), seconds)
    if found is None:
        fix = "round it in R first: round(x, 6), or pass it as.numeric()"
        raise refused(name, "times finer than a nanosecond, or too far away", fix)
    unit, ticks = found
    times = ticks.view(f"{kind}[{unit}]")
    times[missing] = "NaT"
    return times


def named(name: str, values: Any, names: Sequence[str | None]) -> pd.Series[Any]:
    """A named vector: a Series by its names."""
    if None in names:
        raise refused(name, "names that are NA", 'set them: names(x)[is.na(names(x))] <- ""')
    return pd.Series(values, index=index(names))


def index(names: Sequence[str | None]) -> pd.Index[Any]:
    """Names of rows, columns or values."""
    return pd.Index(list(names), dtype="str")


def array(
    name: str, values: Any, shape: Sequence[int], dimnames: Sequence[Sequence[str] | None] | None
) -> Any:
    """A matrix or array by columns, as R holds it; a matrix with names is a DataFrame."""
    if len(shape) == 1:
        names = dimnames[0] if dimnames else None
        return values if names is None else named(name, values, names)
    if dimnames and any(names is not None for names in dimnames):
        if len(shape) > 2:
            fix = "drop them: dimnames(x) <- NULL"
            raise refused(name, "names of more than two dimensions", fix)
        return _named_matrix(values, shape, dimnames)
    if not isinstance(values, np.ndarray):
        if pd.isna(values).any() and values.dtype != "string":
            found = "a matrix with NA, which numpy lacks"
            raise refused(name, found, "pass as.data.frame(x)")
        values = values.to_numpy(dtype=object, na_value=None)
    return values.reshape(shape, order="F")


def _named_matrix(
    values: Any, shape: Sequence[int], dimnames: Sequence[Sequence[str] | None]
) -> pd.DataFrame:
    rows, columns = shape
    parts = {i: values[i * rows : (i + 1) * rows] for i in range(columns)}
    labels = [
        pd.RangeIndex(n) if names is None else index(names)
        for n, names in zip(shape, dimnames, strict=True)
    ]
    matrix = pd.DataFrame(parts, index=labels[0])
    return matrix.set_axis(labels[1], axis=1)


def mapping(names: Sequence[str | None], items: Sequence[Any]) -> dict[str, Any]:
    """A named list, whose names must be there, each once."""
    _require_names("a list", names)
    return {str(name): item for name, item in zip(names, items, strict=True)}


def frame(
    names: Sequence[str | None], columns: Sequence[Any], rows: int, row_names: Any
) -> pd.DataFrame:
    """A data.frame; `row_names` is None where R only counts the rows."""
    _require_names("a data.frame", names)
    for name, column in zip(names, columns, strict=True):
        _require_column(str(name), column, rows)
    named_columns = {str(name): column for name, column in zip(names, columns, strict=True)}
    labels = pd.RangeIndex(rows) if row_names is None else row_names
    return pd.DataFrame(named_columns, index=labels, copy=False)


def _require_column(name: str, column: Any, rows: int) -> None:
    if isinstance(column, np.ndarray) and column.ndim > 1:
        raise refused(name, "a matrix as a column", "make columns of it, or as.vector() one")
    if isinstance(column, pd.Series):
        raise refused(name, "a column whose values have names", "drop them: unname()")
    if column is None or isinstance(column, (list, dict, pd.DataFrame)):
        raise refused(name, "a list or a data.frame as a column", "make plain columns of it")
    if len(column) != rows:
        raise refused(name, f"{len(column)} values in {rows} rows", "make the data.frame again")


def _require_names(what: str, names: Sequence[str | None]) -> None:
    if None in names:
        raise refused(what, "a name that is NA", "name its parts in R first")
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        found = f"{list_names('name', repeated)} more than once"
        raise refused(what, found, "rename its parts in R first: make.unique(names(x))")
