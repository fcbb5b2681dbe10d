"""Where few texts are distinct, as in labels: their positions, found without reading each text.

Python objects are told apart by their address, short texts of Arrow by the 8 bytes at their place.
Both only have to find equal ones equal often: which texts they are is looked up afterwards.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

_WORD = 8
_ROWS_AT_ONCE = 2**20
_MOST_DISTINCT = 2**12
_SAMPLE = 2**12

Positions = npt.NDArray[np.int32]


def positions_of_objects(
    values: npt.NDArray[np.object_],
) -> tuple[Positions, npt.NDArray[np.object_]] | None:
    """Positions in the distinct objects, and these; None where too many are distinct.

    Equal texts may be several objects.
    """
    sample = _addresses(values[:_SAMPLE])
    if len(np.unique(sample)) > len(sample) / 2:
        return None
    found = _positions(len(values), lambda start, stop: _addresses(values[start:stop]))
    if found is None:
        return None
    positions, first = found
    return positions, values[first]


def positions_of_short_texts(texts: pa.Array) -> tuple[Positions, pa.Array] | None:
    """Positions in some of the texts, and these; None where a text is null, long, or has a NUL.

    Args:
        texts: Arrow's large_string.
    """
    buffers = texts.buffers()
    if texts.null_count or buffers[2] is None:
        return None
    offsets = np.frombuffer(buffers[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(buffers[2], np.uint8)[: offsets[-1]]
    if len(data) < 2 * _WORD or data.min() == 0:
        return None
    words, masks = _words(data), _masks()
    # Those near the end of the data have no 8 bytes there: a copy with room behind has.
    inside = int(np.searchsorted(offsets[:-1], len(data) - _WORD, side="right"))
    tail = _words(np.concatenate([data[-_WORD:], np.zeros(_WORD, np.uint8)]))

    def keys(start: int, stop: int) -> npt.NDArray[np.int64] | None:
        lengths = np.diff(offsets[start : stop + 1])
        if lengths.max() > _WORD:
            return None
        middle = min(max(inside, start), stop)
        last = offsets[middle:stop] - (len(data) - _WORD)
        return np.concatenate([words[offsets[start:middle]], tail[last]]) & masks[lengths]

    found = _positions(len(texts), keys)
    if found is None:
        return None
    positions, first = found
    return positions, texts.take(pa.array(first))


def _positions(
    n: int, keys: Callable[[int, int], npt.NDArray[np.int64] | None]
) -> tuple[Positions, list[int]] | None:
    """Positions in the distinct keys, and the first row of each; None where there are too many.

    Bit by bit, so that little memory is taken besides.
    """
    number: dict[int, int] = {}
    first: list[int] = []
    positions = np.empty(n, np.int32)
    for start in range(0, n, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, n)
        part = keys(start, stop)
        if part is None:
            return None
        codes, distinct = pd.factorize(part)
        if len(number) + len(distinct) > _MOST_DISTINCT:
            return None
        for key, row in zip(distinct.tolist(), _first_rows(codes), strict=True):
            if key not in number:
                number[key] = len(first)
                first.append(start + row)
        known = np.array([number[key] for key in distinct.tolist()], np.int32)
        np.take(known, codes, out=positions[start:stop])
    return positions, first


def _addresses(values: npt.NDArray[np.object_]) -> npt.NDArray[np.int64]:
    """Where the objects of an array lie."""
    values = np.ascontiguousarray(values)
    memory = (ctypes.c_ssize_t * len(values)).from_address(values.ctypes.data)
    return np.array(np.frombuffer(memoryview(memory).cast("B"), np.intp), np.int64)


def _first_rows(codes: npt.NDArray[np.intp]) -> list[int]:
    """The row at which each code comes first; codes count up in the order in which they do."""
    starts = np.arange(0, len(codes), _SAMPLE)
    # Few blocks of rows bring a new one: only these are looked through.
    highest = np.maximum.accumulate(np.maximum.reduceat(codes, starts))
    rows: list[int] = []
    for start in starts[np.diff(highest, prepend=-1) > 0]:
        seen = len(rows) - 1
        block = np.maximum.accumulate(codes[start : start + _SAMPLE])
        new = np.flatnonzero(np.diff(np.maximum(block, seen), prepend=seen))
        rows.extend((start + new).tolist())
    return rows


def _words(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """The 8 bytes from every byte on; not a copy."""
    first = data[:_WORD].view("<i8")
    return np.lib.stride_tricks.as_strided(first, (len(data) - _WORD + 1,), (1,))


def _masks() -> npt.NDArray[np.int64]:
    """For every length, the bits of so many bytes."""
    return np.array(
        [int.from_bytes(b"\xff" * n + bytes(_WORD - n), "little", signed=True) for n in range(9)]
    )
