"""R vectors as numpy sees them: allocated by R, filled in place, so that a value is copied once.

rpy2's own constructors loop over elements, or want a contiguous buffer of R's own type.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import rpy2.rinterface as ri

from pyside.bridge.exact import MAX_EXACT, MAX_INTEGER, NA_INTEGER, NA_REAL, exact_numbers
from pyside.errors import ConversionError

Sexp: TypeAlias = Any
"""An R object; rpy2 has no types for them."""

Mask: TypeAlias = npt.NDArray[np.bool_]

# rpy2 allocates outside any call of R, where an R that is out of memory ends the process. So much
# may be missing; beyond it R is asked in a call, which can fail, at the price of writing zeros.
_SMALL = 2**28

_KINDS: dict[str, tuple[Any, int]] = {
    "logical": (ri.BoolSexpVector, 4),
    "integer": (ri.IntSexpVector, 4),
    "double": (ri.FloatSexpVector, 8),
    "raw": (ri.ByteSexpVector, 1),
}


def refused(
    name: str, found: str, fix: str = "convert it to numbers or text first"
) -> ConversionError:
    """The error for a Python value that R cannot hold."""
    return ConversionError(f"'{name}' must have an exact counterpart in R.", found=found, fix=fix)


def allocated(kind: str, n: int) -> tuple[Sexp, npt.NDArray[Any]]:
    """An R vector of `n` elements, and its memory, not yet written.

    Args:
        kind: "logical", "integer", "double" or "raw".
        n: the length.

    Raises:
        ConversionError: if R has no room for it.
    """
    make, size = _KINDS[kind]
    if n * size <= _SMALL:
        vector = make.from_iterable(range(n), populate_func=lambda *_: None)
    else:
        vector = _allocated_in_r(kind, n)
    return vector, in_place(vector)


def _allocated_in_r(kind: str, n: int) -> Sexp:
    return base("vector", ri.StrSexpVector([kind]), ri.FloatSexpVector([float(n)]))


def base(function: str, *arguments: Sexp, **named: Sexp) -> Sexp:
    """What a function of R's base package gives.

    Raises:
        ConversionError: if it stops, as where R is out of memory.
    """
    try:
        return ri.baseenv[function](*arguments, **named)
    except ri.embedded.RRuntimeError as error:
        raise ConversionError(
            "R must have room for a value.",
            found=f"{function}(): {str(error).strip()}",
            fix="pass fewer rows, or give R more memory",
        ) from error


class _Held:
    """An R vector for numpy to hold on to, as the owner of the memory that an array shows."""

    def __init__(self, vector: Sexp) -> None:
        self.vector = vector
        shown = np.asarray(vector)
        self.__array_interface__ = {
            "version": 3,
            "shape": (len(vector),),
            "typestr": shown.dtype.str,
            "data": (shown.ctypes.data, False),
        }


def in_place(vector: Sexp) -> npt.NDArray[Any]:
    """The memory of an R vector of numbers, of whatever dimensions; not a copy."""
    return np.asarray(_Held(vector))


def copied(vector: Sexp) -> npt.NDArray[Any]:
    """The values of an R vector of numbers."""
    return np.array(in_place(vector))


def set_attribute(vector: Sexp, name: str, value: Sexp) -> None:
    """Set an attribute other than the class."""
    vector.do_slot_assign(name, value)


def set_class(vector: Sexp, *classes: str) -> None:
    """Set the class, so that R dispatches on it."""
    vector.rclass = ri.StrSexpVector(classes)


def logical(values: npt.NDArray[Any], missing: Mask | None) -> Sexp:
    """Booleans."""
    vector, memory = allocated("logical", len(values))
    np.copyto(memory, values)
    _mark(memory, missing, NA_INTEGER)
    return vector


def whole(name: str, values: npt.NDArray[Any], missing: Mask | None) -> Sexp:
    """Whole numbers of any width: integer where R's has room, else double where that is exact.

    Raises:
        ConversionError: if a number lies beyond 2^53.
    """
    present: dict[str, Any] = {} if missing is None else {"where": ~missing}
    low, high = int(np.min(values, initial=0, **present)), int(np.max(values, initial=0, **present))
    largest = max(-low, high)
    if largest > MAX_EXACT:
        raise refused(name, "whole numbers beyond 2^53, which R cannot hold", "pass them as text")
    kind, na = ("integer", NA_INTEGER) if largest <= MAX_INTEGER else ("double", NA_REAL)
    vector, memory = allocated(kind, len(values))
    np.copyto(memory, values, casting="unsafe")
    _mark(memory, missing, na)
    return vector


def double(name: str, values: npt.NDArray[Any], missing: Mask | None) -> Sexp:
    """Floats of any width; NaN stays NaN, a missing value is NA.

    Raises:
        ConversionError: if a number of more than 64 bits would lose some.
    """
    vector, memory = allocated("double", len(values))
    np.copyto(memory, values, casting="same_kind")
    if values.dtype.itemsize > 8 and ((memory != values) & ~np.isnan(values)).any():
        raise refused(name, f"{values.dtype} with more digits than float64", "round it first")
    _mark(memory, missing, NA_REAL)
    return vector


def factor(codes: npt.NDArray[Any], levels: Sexp, *, ordered: bool) -> Sexp:
    """A factor from positions in `levels`, counted from 0, negative where missing."""
    vector, memory = allocated("integer", len(codes))
    np.add(codes, 1, out=memory, dtype=np.int32, casting="unsafe")
    missing = codes < 0
    if missing.any():
        memory[missing] = NA_INTEGER
    set_attribute(vector, "levels", levels)
    set_class(vector, *(("ordered", "factor") if ordered else ("factor",)))
    return vector


def date(days: npt.NDArray[Any], missing: Mask | None) -> Sexp:
    """Dates, from days since 1970."""
    vector = double("days", days.astype(np.float64), missing)
    set_class(vector, "Date")
    return vector


def posixct(
    name: str, ticks: npt.NDArray[np.int64], per_second: int, missing: Mask | None, zone: str | None
) -> Sexp:
    """Times, from ticks since 1970 in UTC; a time without a zone is read as UTC.

    Raises:
        ConversionError: if seconds as a double do not tell them apart, or R lacks the zone.
    """
    if zone is not None and zone not in zones():
        raise refused(name, f"the time zone '{zone}', which R does not know", "convert it to UTC")
    vector = _seconds(name, ticks, per_second, missing)
    set_attribute(vector, "tzone", ri.StrSexpVector([zone or "UTC"]))
    set_class(vector, "POSIXct", "POSIXt")
    return vector


def difftime(
    name: str, ticks: npt.NDArray[np.int64], per_second: int, missing: Mask | None
) -> Sexp:
    """Durations, in seconds.

    Raises:
        ConversionError: if seconds as a double do not tell them apart.
    """
    vector = _seconds(name, ticks, per_second, missing)
    set_attribute(vector, "units", ri.StrSexpVector(["secs"]))
    set_class(vector, "difftime")
    return vector


def _seconds(
    name: str, ticks: npt.NDArray[np.int64], per_second: int, missing: Mask | None
) -> Sexp:
    numbers = exact_numbers(ticks if missing is None else np.where(missing, 0, ticks), per_second)
    if numbers is None:
        found = "times finer than R's seconds, which are doubles"
        raise refused(name, found, 'round them to microseconds: .dt.round("us")')
    return double(name, numbers, missing)


_zones: frozenset[str] = frozenset()


def zones() -> frozenset[str]:
    """The names of the time zones that R knows; it takes every other one for UTC."""
    global _zones
    if not _zones:
        _zones = frozenset(base("OlsonNames")) | {"UTC", "GMT"}
    return _zones


def _mark(memory: npt.NDArray[Any], missing: Mask | None, na: Any) -> None:
    if missing is not None and missing.any():
        memory[missing] = na
