"""R objects as Python values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import rpy2.rinterface as ri

from pyside.bridge import values
from pyside.bridge.convert.text import texts_of
from pyside.bridge.convert.vectors import Sexp, base, copied, in_place

_TYPES = ri.RTYPES
_WHOLE, _NUMERIC = {_TYPES.INTSXP}, {_TYPES.INTSXP, _TYPES.REALSXP}
_ATOMIC = {_TYPES.LGLSXP, _TYPES.INTSXP, _TYPES.REALSXP, _TYPES.STRSXP}


def from_r(value: Sexp) -> Any:
    """A Python value that equals an R object.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    try:
        return _value("value", value)
    except (AttributeError, NotImplementedError) as error:
        # What rpy2 has no words for, such as a pairlist.
        raise values.refused("value", f"an R object that rpy2 cannot read: {error}") from error


def _value(name: str, value: Sexp) -> Any:
    kind = value.typeof
    if kind == _TYPES.NILSXP:
        return None
    classes = _classes(value)
    if "data.frame" in classes and kind == _TYPES.VECSXP:
        return _frame(value)
    if kind == _TYPES.VECSXP and not classes:
        return _list(value)
    if kind not in _ATOMIC:
        found = f"type {kind.name}" if not classes else f"class {' '.join(classes)}"
        raise values.refused(name, found)
    return _shaped(name, value, _vector(name, value, classes))


def _vector(name: str, value: Sexp, classes: list[str]) -> Any:
    """The values of a vector by its class, without names and dimensions."""
    kind = value.typeof
    match classes:
        case []:
            return _plain(name, value)
        case ["factor"] | ["ordered", "factor"] if kind == _TYPES.INTSXP:
            levels = _texts(name, _attribute(value, "levels"))
            return values.factor(name, in_place(value), levels, ordered=len(classes) == 2)
        case ["Date"] if kind in _NUMERIC:
            return values.date(name, _numbers(value))
        case ["POSIXct", "POSIXt"] if kind in _NUMERIC:
            zone = _texts(name, _attribute(value, "tzone"))
            return values.posixct(name, _numbers(value), (zone or [""])[0] or "")
        case ["difftime"] if kind in _NUMERIC:
            units = _texts(name, _attribute(value, "units"))
            return values.difftime(name, _numbers(value), str((units or [""])[0]))
        case ["integer64"] if kind == _TYPES.REALSXP:
            return values.integer64(copied(value).view(np.int64))
    raise values.refused(name, f"class {' '.join(classes)}")


def _plain(name: str, value: Sexp) -> Any:
    kind = value.typeof
    if kind == _TYPES.STRSXP:
        return values.character(texts_of(name, value))
    if kind == _TYPES.REALSXP:
        return copied(value)
    whole = in_place(value)
    return values.logical(whole) if kind == _TYPES.LGLSXP else values.integer(whole)


def _numbers(value: Sexp) -> npt.NDArray[np.float64]:
    if value.typeof == _TYPES.REALSXP:
        return copied(value)
    whole = in_place(value)
    return np.where(whole == np.iinfo(np.int32).min, np.nan, whole)


def _shaped(name: str, value: Sexp, plain: Any) -> Any:
    """A vector with its names or its dimensions."""
    shape = _attribute(value, "dim")
    if shape is not None:
        if _classes(value):
            raise values.refused(name, "dimensions of a vector with a class", "as.vector(x)")
        return values.array(name, plain, [int(n) for n in shape], _dimnames(name, value))
    names = _attribute(value, "names")
    return plain if names is None else values.named(name, plain, _texts(name, names))


def _dimnames(name: str, value: Sexp) -> list[Any] | None:
    names = _attribute(value, "dimnames")
    if names is None:
        return None
    return [None if part.typeof == _TYPES.NILSXP else _texts(name, part) for part in names]


def _list(value: Sexp) -> Any:
    if _attribute(value, "dim") is not None:
        raise values.refused("value", "a list with dimensions", "drop them: dim(x) <- NULL")
    names = _attribute(value, "names")
    if names is None:
        return [_value(str(i), item) for i, item in enumerate(value, start=1)]
    texts = _texts("names", names)
    items = [_value(str(text), item) for text, item in zip(texts, value, strict=True)]
    return values.mapping(texts, items)


def _frame(value: Sexp) -> pd.DataFrame:
    names = _texts("column names", _attribute(value, "names"))
    columns = [_value(str(name), column) for name, column in zip(names, value, strict=True)]
    rows = int(base(".row_names_info", value, ri.IntSexpVector([2]))[0])
    counted = int(base(".row_names_info", value, ri.IntSexpVector([1]))[0]) <= 0
    row_names = None if counted else _row_names(_attribute(value, "row.names"))
    return values.frame(names, columns, rows, row_names)


def _row_names(row_names: Sexp) -> pd.Index[Any]:
    if row_names.typeof == _TYPES.STRSXP:
        return values.index(_texts("row names", row_names))
    numbers: pd.Index[Any] = pd.Index(values.integer(in_place(row_names)))
    return numbers


def _texts(name: str, value: Sexp | None) -> list[str | None]:
    if value is None:
        return []
    return list(texts_of(name, value).to_pylist())


def _classes(value: Sexp) -> list[str]:
    """The classes that say more than the type; `I()` says nothing about the values."""
    classes = _attribute(value, "class")
    return [] if classes is None else [str(name) for name in classes if str(name) != "AsIs"]


def _attribute(value: Sexp, name: str) -> Sexp | None:
    return value.do_slot(name) if name in value.list_attrs() else None
