"""Numbers that both languages hold: what is missing, how far whole numbers go, times as doubles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

NA_INTEGER = np.int32(-(2**31))
MAX_INTEGER = 2**31 - 1
MAX_EXACT = 2**53
# The bits of R's NA_real_, a NaN with the payload 1954.
NA_REAL = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)[0]
_NA_PAYLOAD = 1954

_MICRO, _NANO = 10**6, 10**9
# Days, seconds or weeks beyond this leave int64 as microseconds.
_MOST_TICKS = 2.0**62


def is_na(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which of R's doubles are NA; numpy shows both NA and NaN as nan.

    Args:
        values: float64, as `from_r` gave it.
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    low = numbers.view(np.uint64) & np.uint64(0xFFFFFFFF)
    return np.asarray(np.isnan(numbers) & (low == _NA_PAYLOAD))


def ticks_of(
    numbers: npt.NDArray[np.float64], seconds_per_number: int
) -> tuple[str, npt.NDArray[np.int64]] | None:
    """Times as ticks: microseconds if these tell the same doubles, else nanoseconds, else None.

    Args:
        numbers: finite; days, seconds or others.
        seconds_per_number: 86,400 for days.

    Returns:
        numpy's name of the unit, and the ticks.
    """
    for unit, per_second in (("us", _MICRO), ("ns", _NANO)):
        per_number = per_second * seconds_per_number
        if len(numbers) and np.abs(numbers).max() >= _MOST_TICKS / per_number:
            return None
        whole = np.floor(numbers)
        part = np.rint((numbers - whole) * per_number).astype(np.int64)
        ticks = whole.astype(np.int64) * per_number + part
        if np.array_equal(_numbers_of(ticks, per_number), numbers):
            return unit, ticks
    return None


def exact_numbers(ticks: npt.NDArray[np.int64], per_second: int) -> npt.NDArray[np.float64] | None:
    """Seconds that `ticks_of` reads back as the same time, or None if there are none."""
    if per_second == _NANO and not (ticks % 1000).any():
        ticks, per_second = ticks // 1000, _MICRO
    numbers = _numbers_of(ticks, per_second)
    back = ticks_of(numbers, 1)
    if back is None:
        return None
    unit, read = back
    factor = {"us": _MICRO, "ns": _NANO}[unit] // per_second
    same = factor > 0 and np.array_equal(read, ticks * factor)
    return numbers if same else None


def _numbers_of(ticks: npt.NDArray[np.int64], per_number: int) -> npt.NDArray[np.float64]:
    whole, rest = np.divmod(ticks, per_number)
    # A quotient of two exact doubles is the nearest double; a sum of two rounded ones may not be.
    return np.where(np.abs(ticks) <= MAX_EXACT, ticks / per_number, whole + rest / per_number)
