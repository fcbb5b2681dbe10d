"""Text, both ways, over bytes that NUL separates: neither language can have a NUL in R's text.

Where few texts are distinct, as in labels, each crosses once and R or Arrow repeats it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import rpy2.rinterface as ri

from pyside.bridge.convert.repeated import positions_of_objects, positions_of_short_texts
from pyside.bridge.convert.vectors import Sexp, allocated, base, copied, in_place, refused
from pyside.bridge.exact import NA_INTEGER
from pyside.errors import ConversionError, list_rows

# Up to so many texts, one by one is the fastest.
_FEW = 100
_SAMPLE = 4096
_ROWS_AT_ONCE = 2**20
_MANY = 2**22
_TEXT = pa.large_string()


def character_of_list(name: str, values: Sequence[str | None]) -> Sexp:
    """An R character vector from a few texts, NA where None.

    Raises:
        ConversionError: if R cannot hold one of them.
    """
    wrong = [i for i, value in enumerate(values, start=1) if value and not _crosses(value)]
    if wrong:
        raise _uncrossable(name, wrong)
    return ri.StrSexpVector([ri.NA_Character if value is None else value for value in values])


def _crosses(text: str) -> bool:
    """Whether R can hold a text: it is valid Unicode, without NUL, where R's texts end."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _uncrossable(name: str, rows: Sequence[int]) -> ConversionError:
    found = f"text with a NUL or a lone surrogate in {list_rows(rows)}"
    return refused(name, found, "mend or remove it")


def character_of_objects(name: str, values: npt.NDArray[np.object_]) -> Sexp:
    """An R character vector from Python texts, NA where one is missing.

    Raises:
        ConversionError: if R cannot hold one of them.
    """
    if len(values) <= _FEW:
        return character_of_list(name, _texts_or_none(values))
    # Bit by bit, so that no second copy of all the text is made.
    starts = range(0, len(values), _ROWS_AT_ONCE)
    pieces = [_arrow_text(name, values[i : i + _ROWS_AT_ONCE], i) for i in starts]
    return character(name, pa.chunked_array(pieces).unify_dictionaries())


def character_of_repeated(name: str, values: npt.NDArray[np.object_]) -> Sexp | None:
    """The same, where few objects are distinct and all are text or missing; else None.

    Raises:
        ConversionError: if R cannot hold one of them.
    """
    if len(values) <= _FEW or not isinstance(values[0], str):
        return None
    found = positions_of_objects(values)
    if found is None:
        return None
    codes, distinct = found
    gone = pd.isna(distinct)
    if not all(isinstance(value, str) for value in distinct[~gone]):
        return None
    texts = _texts_or_none(distinct)
    wrong = [i for i, text in enumerate(texts) if text and not _crosses(text)]
    if wrong:
        raise _uncrossable(name, list(np.flatnonzero(np.isin(codes, wrong)) + 1))
    return _taken(character_of_list(name, texts), codes)


def _texts_or_none(values: npt.NDArray[np.object_]) -> list[str | None]:
    gone = pd.isna(values)
    return [None if g else str(value) for value, g in zip(values, gone, strict=True)]


def _arrow_text(name: str, values: npt.NDArray[np.object_], start: int) -> pa.Array:
    try:
        text = pa.array(values, type=_TEXT, from_pandas=True)
    except UnicodeEncodeError as error:
        missing = pd.isna(values)
        wrong = [
            start + i
            for i, (value, gone) in enumerate(zip(values, missing, strict=True), start=1)
            if not gone and not _crosses(value)
        ]
        raise _uncrossable(name, wrong) from error
    return text.dictionary_encode()


def character(name: str, column: pa.ChunkedArray) -> Sexp:
    """An R character vector from Arrow's text or dictionary of text, NA where null.

    Raises:
        ConversionError: if R cannot hold one of the texts.
    """
    if not pa.types.is_dictionary(column.type):
        column = column.cast(_TEXT)
        if _looks_distinct(column):
            return _from_bytes(name, column.combine_chunks())
        if column.num_chunks == 1 and (found := positions_of_short_texts(column.chunk(0))):
            codes, texts = found
            return _taken(_distinct(name, texts, codes), codes)
        column = column.dictionary_encode()
    codes, levels = positions(name, column)
    return _taken(levels, codes)


def _taken(levels: Sexp, codes: npt.NDArray[Any]) -> Sexp:
    """The texts at some positions, NA where one is negative."""
    index, memory = allocated("integer", len(codes))
    np.add(codes, 1, out=memory, dtype=np.int32, casting="unsafe")
    memory[memory == 0] = NA_INTEGER
    taken = base("[", levels, index)
    if len(codes) > _MANY:
        # R would keep the index until it next looks, and by then hold more than it needs.
        del index, memory
        base("gc")
    return taken


def positions(name: str, column: pa.ChunkedArray) -> tuple[npt.NDArray[Any], Sexp]:
    """A dictionary column as positions, -1 where missing, in an R vector of its distinct texts.

    Raises:
        ConversionError: if R cannot hold one of the texts.
    """
    column = column.unify_dictionaries()
    if column.num_chunks == 0:
        return np.empty(0, dtype=np.int32), character_of_list(name, [])
    dictionary = column.chunk(0).dictionary
    pieces = [chunk.indices.cast(pa.int32()).fill_null(-1).to_numpy() for chunk in column.chunks]
    codes = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    return codes, _distinct(name, dictionary.cast(_TEXT), codes)


def _distinct(name: str, texts: pa.Array, codes: npt.NDArray[Any]) -> Sexp:
    try:
        return _from_bytes(name, texts)
    except ConversionError as error:
        wrong = np.flatnonzero(_unfit(texts))
        if len(wrong):
            raise _uncrossable(name, list(np.flatnonzero(np.isin(codes, wrong)) + 1)) from error
        raise


def _looks_distinct(column: pa.ChunkedArray) -> bool:
    """Whether the first texts are mostly distinct, so that to look for repeated ones is in vain."""
    sample = column.slice(0, _SAMPLE)
    return len(column) > _FEW and pc.count_distinct(sample).as_py() > len(sample) / 2


def _from_bytes(name: str, texts: pa.Array) -> Sexp:
    """Arrow's texts, one by one where they are few, else as bytes that R reads at once."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid as error:
        raise refused(name, f"text that is no UTF-8: {error}", "mend it") from error
    if len(texts) <= _FEW:
        return character_of_list(name, texts.to_pylist())
    unfit = _unfit(texts)
    if unfit.any():
        raise _uncrossable(name, list(np.flatnonzero(unfit) + 1))
    ended = pc.binary_join_element_wise(
        pc.fill_null(texts, ""), pa.scalar("", _TEXT), pa.scalar("\0", _TEXT)
    )
    first, last = np.frombuffer(ended.buffers()[1], np.int64)[
        [ended.offset, ended.offset + len(ended)]
    ]
    content = np.frombuffer(ended.buffers()[2], np.uint8)[first:last]
    raw, memory = allocated("raw", len(content))
    np.copyto(memory, content)
    what, n = ri.StrSexpVector(["character"]), _number(len(texts))
    result = base("readBin", raw, what, n)
    if (content > 0x7F).any():
        result = base("Encoding<-", result, value=ri.StrSexpVector(["UTF-8"]))
    if texts.null_count:
        gone = np.flatnonzero(np.asarray(texts.is_null())) + 1.0
        na = ri.StrSexpVector([ri.NA_Character])
        result = base("[<-", result, ri.FloatSexpVector.from_memoryview(gone.data), na)
    return result


def _unfit(texts: pa.Array) -> npt.NDArray[np.bool_]:
    """Which texts hold a NUL."""
    has_nul = pc.fill_null(pc.match_substring(texts, "\0"), False)
    return np.asarray(has_nul.to_numpy(zero_copy_only=False), dtype=np.bool_)


def texts_of(name: str, value: Sexp) -> pa.Array:
    """The texts of an R character vector, null where NA.

    Raises:
        ConversionError: if one is no text, but bytes.
    """
    if len(value) <= _FEW:
        texts = _require_text(name, value)
        return pa.array([None if item is ri.NA_Character else str(item) for item in texts], _TEXT)
    plain = base("as.vector", value) if len(value.list_attrs()) else value
    unique = base("unique", _rows(plain, 0, _SAMPLE))
    if len(unique) > min(len(plain), _SAMPLE) / 2:
        starts = range(0, len(plain), _ROWS_AT_ONCE)
        utf8 = _require_text(name, plain)
        return pa.concat_arrays([_texts_at_once(_rows(utf8, i, _ROWS_AT_ONCE)) for i in starts])
    codes = copied(_matched(plain, unique))
    if (codes == NA_INTEGER).any():
        unique = base("unique", plain)
        codes = copied(_matched(plain, unique))
    try:
        texts = texts_of(name, unique)
    except ConversionError:
        _require_text(name, plain)  # names the rows of the whole
        raise
    return texts.take(pa.array(codes - np.int32(1)))


def _matched(value: Sexp, table: Sexp) -> Sexp:
    """Positions of texts in a table, NA where it lacks one; faster than R's own `match()`."""
    chmatch = base("getExportedValue", *map(ri.StrSexpVector, (["data.table"], ["chmatch"])))
    return chmatch(value, table)


def _rows(value: Sexp, start: int, n: int) -> Sexp:
    if start == 0 and len(value) <= n:
        return value
    stop = min(start + n, len(value))
    return base("[", value, base("seq.int", _number(start + 1), _number(stop)))


def _number(value: int) -> Sexp:
    return ri.FloatSexpVector([float(value)])


def _texts_at_once(value: Sexp) -> pa.Array:
    """UTF-8 texts from the bytes that R writes, each ended by a NUL."""
    use_bytes = {"useBytes": ri.BoolSexpVector([True])}
    raw = base("writeBin", value, ri.ByteSexpVector.from_iterable(b""), **use_bytes)
    content = in_place(raw)
    ends = np.flatnonzero(content == 0)
    # Arrow has no bytes between texts: each NUL goes, and with it a byte of each later offset.
    offsets = np.concatenate([[0], ends - np.arange(len(ends))]).astype(np.int64)
    gone = copied(base("is.na", value)) != 0
    valid = pa.array(~gone).buffers()[1] if gone.any() else None
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(content[content != 0])]
    return pa.Array.from_buffers(_TEXT, len(value), buffers)


def _require_text(name: str, value: Sexp) -> Sexp:
    """The same texts as UTF-8, whether R holds them so or in latin1."""
    if len(value) == 0:
        return value
    encodings = base("Encoding", value)
    marked_bytes, latin1 = (_equal(encodings, mark) for mark in ("bytes", "latin1"))
    # R itself would write the bytes of a broken text out, as "<ff>".
    wrong = marked_bytes | ~(latin1 | (copied(base("validUTF8", value)) != 0))
    if wrong.any():
        raise ConversionError(
            f"'{name}' must be text in R.",
            found=f"bytes that are no text in {list_rows(np.flatnonzero(wrong) + 1)}",
            fix='say what they are: Encoding(x) <- "latin1", or iconv(x, from, "UTF-8")',
        )
    return base("enc2utf8", value)


def _equal(texts: Sexp, text: str) -> npt.NDArray[np.bool_]:
    return np.asarray(copied(base("==", texts, ri.StrSexpVector([text]))) != 0, dtype=np.bool_)
