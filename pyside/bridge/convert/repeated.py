"""Where few texts are distinct, as in labels: their positions, found without reading each text.

Python objects are told apart by their address, short texts of Arrow by the 8 bytes at their place.
Both only have to find equal ones equal often: which texts they are is looked up afterwards.
"""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

_WORD = 8
_ROWS_AT_ONCE = 2**20
_MOST_DISTINCT = 2**12
_SAMPLE = 2**12
# What a core keeps near.
_BLOCK = 2**15

Positions = npt.NDArray[np.int32]


def positions_of_objects(
    values: npt.NDArray[np.object_],
) -> tuple[Positions, npt.NDArray[np.object_]] | None:
    """Positions in the distinct objects, and these; None where too many are distinct.

    Equal texts may be several objects.
    """
    sample = np.ascontiguousarray(values[:_SAMPLE])
    if len(np.unique(_addresses(sample))) > len(sample) / 2:
        return None
    number: dict[int, int] = {}
    first: list[int] = []
    positions = np.empty(len(values), np.int32)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        # Bit by bit, so that little memory is taken besides.
        part = np.ascontiguousarray(values[start : start + _ROWS_AT_ONCE])
        codes, addresses = pd.factorize(_addresses(part))
        if len(number) + len(addresses) > _MOST_DISTINCT:
            return None
        for address, row in zip(addresses.tolist(), _first_rows(codes), strict=True):
            if address not in number:
                number[address] = len(first)
                first.append(start + row)
        known = np.array([number[address] for address in addresses.tolist()], np.int32)
        np.take(known, codes, out=positions[start : start + len(part)])
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
    lengths = np.diff(offsets)
    if len(data) < 2 * _WORD or lengths.max() > _WORD or data.min() == 0:
        return None
    words = np.empty(len(texts), np.int64)
    # Those near the end of the data have no 8 bytes there: a copy with room behind has.
    inside = int(np.searchsorted(offsets[:-1], len(data) - _WORD, side="right"))
    tail = np.concatenate([data[-_WORD:], np.zeros(_WORD, np.uint8)])
    all_words, masks = _words(data), _masks()
    for start in range(0, inside, _BLOCK):
        stop = min(start + _BLOCK, inside)
        words[start:stop] = all_words[offsets[start:stop]] & masks[lengths[start:stop]]
    last = offsets[inside:-1] - (len(data) - _WORD)
    words[inside:] = _words(tail)[last] & masks[lengths[inside:]]
    codes, distinct = pd.factorize(words)
    if len(distinct) > _MOST_DISTINCT:
        return None
    return codes.astype(np.int32), texts.take(pa.array(_first_rows(codes)))


def _addresses(values: npt.NDArray[np.object_]) -> npt.NDArray[np.intp]:
    """Where the objects of a contiguous array lie; it must outlive the result."""
    memory = (ctypes.c_ssize_t * len(values)).from_address(values.ctypes.data)
    return np.frombuffer(memoryview(memory).cast("B"), np.intp)


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
