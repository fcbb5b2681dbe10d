"""The columns of a table as they came, from a pandas frame or from a CSV, behind one face.

A column is read as text or as numbers, exactly; what does not fit is marked, never guessed.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from pyside import checks
from pyside.checks import PROBABILITY_PREFIX, Floats, Mask
from pyside.errors import PredictionTableError, list_names, list_rows
from pyside.interchange import Frame, arrow_table

_CHUNK = 1 << 24


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: NaN where missing or wrong, which rows are wrong, and what they hold."""

    values: Floats
    wrong: Mask
    held: Sequence[object] = ()


class Columns(Protocol):
    """The columns of a table, by name."""

    names: Sequence[str]
    rows: int

    def text(self, name: str) -> pa.Array:
        """A column as text, null where missing."""

    def numbers(self, name: str) -> Numbers:
        """A column as float64, NaN where missing."""


class _FrameColumns:
    def __init__(self, frame: pd.DataFrame) -> None:
        self.names: Sequence[str] = list(frame.columns)
        self.rows = len(frame)
        self._frame = frame

    def text(self, name: str) -> pa.Array:
        series = self._frame[name]
        if isinstance(series.dtype, pd.CategoricalDtype):
            categories = [_plain_text(value) for value in series.cat.categories]
            codes = pa.array(series.cat.codes.to_numpy(), mask=(series.cat.codes < 0).to_numpy())
            texts = _arrow_text(name, categories)
            return pa.DictionaryArray.from_arrays(codes, texts).cast(pa.string())
        values = series.to_numpy(dtype=object)
        missing = np.asarray(series.isna(), dtype=np.bool_)
        plain = [None if gone else _plain_text(v) for v, gone in zip(values, missing, strict=True)]
        return _arrow_text(name, plain)

    def numbers(self, name: str) -> Numbers:
        series = self._frame[name]
        missing = np.asarray(series.isna(), dtype=np.bool_)
        if pd.api.types.is_float_dtype(series.dtype) or pd.api.types.is_integer_dtype(series.dtype):
            values = series.to_numpy(dtype=np.float64, na_value=np.nan)
            return Numbers(values, np.zeros(len(series), dtype=np.bool_))
        held = series.to_numpy(dtype=object)
        wrong = np.array(
            [not gone and not _is_number(v) for v, gone in zip(held, missing, strict=True)],
            dtype=np.bool_,
        )
        values = np.full(len(series), np.nan)
        usable = ~wrong & ~missing
        values[usable] = held[usable].astype(np.float64)
        return Numbers(values, wrong, list(held))


def columns_of_frame(frame: Frame) -> Columns:
    """The columns of a frame, whose names must be unique text.

    Raises:
        PredictionTableError: if they are not.
    """
    if not isinstance(frame, pd.DataFrame):
        frame = _pandas(frame)
    not_text = [name for name in frame.columns if not isinstance(name, str)]
    if not_text:
        raise PredictionTableError(
            "unnamed_column",
            "Every column must have a name, as text.",
            found=f"{list_names('name', map(repr, not_text))}",
            fix="rename the columns: frame.columns = frame.columns.map(str)",
        )
    checks.column_names(list(frame.columns))
    for name in frame.columns:
        _arrow_text("a column name", [name])
    return _FrameColumns(frame)


def _pandas(frame: object) -> pd.DataFrame:
    """A table of another library; what is no table is refused."""
    table = arrow_table(frame)
    if table is None:
        raise PredictionTableError(
            "missing_column",
            "A prediction table must be a data frame (pandas, Polars, Arrow) or the path of a CSV.",
            found=f"{type(frame).__module__}.{type(frame).__qualname__}",
            fix="make it a DataFrame first",
        )
    checks.column_names(table.column_names)
    converted: pd.DataFrame = table.to_pandas()
    return converted


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _plain_text(value: object) -> str:
    """A label as text: 0 is "0", True is "True", and a whole float such as 1.0 is "1"."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _arrow_text(name: str, values: Sequence[str | None]) -> pa.Array:
    """Text that can cross to R: valid UTF-8 without NUL; an empty text is missing."""
    try:
        text = pa.array(values, type=pa.string())
    except UnicodeEncodeError as error:
        wrong = [i for i, v in enumerate(values, start=1) if v is not None and not _encodes(v)]
        raise _encoding_error(name, f"a lone surrogate in {list_rows(wrong)}") from error
    has_nul = pc.fill_null(pc.match_substring(text, "\0"), False)
    if pc.any(has_nul).as_py():
        rows = checks.row_numbers(np.asarray(has_nul.to_numpy(zero_copy_only=False)))
        raise _encoding_error(name, f"a NUL character in {list_rows(rows)}")
    return _empty_is_missing(text)


def _empty_is_missing(text: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encoding_error(where: str, found: str) -> PredictionTableError:
    return PredictionTableError(
        "encoding",
        "Text must be UTF-8 without NUL.",
        found=f"{found} of column '{where}'",
        fix="mend the text, or write the file again as UTF-8",
    )


class _CsvColumns:
    def __init__(self, table: pa.Table, names: Sequence[str]) -> None:
        self.names: Sequence[str] = list(names)
        self.rows = table.num_rows
        self._columns = dict(zip(names, table.columns, strict=True))

    def text(self, name: str) -> pa.Array:
        return _empty_is_missing(_one_chunk(self._columns[name].cast(pa.string())))

    def numbers(self, name: str) -> Numbers:
        column = _one_chunk(self._columns[name])
        if pa.types.is_floating(column.type):
            values = pc.fill_null(column, np.nan).to_numpy(zero_copy_only=False)
            return Numbers(values, np.zeros(len(column), dtype=np.bool_))
        held = column.to_pylist()
        parsed = [_parse(text) for text in held]
        wrong = np.array([value is None for value in parsed], dtype=np.bool_)
        values = np.array([np.nan if value is None else value for value in parsed])
        return Numbers(values, wrong, held)


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


# Narrower than float(), which takes "1_0", and as wide as R's twin.
_NUMBER = re.compile(r" *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *", re.ASCII)
_SPECIAL = re.compile(r" *(nan|[+-]?inf(inity)?) *", re.ASCII | re.IGNORECASE)


def _parse(text: str | None) -> float | None:
    """A field as a number, NaN where it is empty, None where it is something else."""
    if not text:
        return np.nan
    return float(text) if _NUMBER.fullmatch(text) or _SPECIAL.fullmatch(text) else None


def columns_of_csv(path: Path) -> Columns:
    """The columns of a CSV that `scan` has passed.

    Raises:
        PredictionTableError: if a column has no name of its own, or a row is not whole.
    """
    names = next(_records(path), [])
    checks.column_names(names)
    width = len(names)
    numeric = {i for i, name in enumerate(names) if _holds_numbers(name)}
    try:
        return _CsvColumns(_read_csv(path, width, numeric), names)
    except pa.ArrowInvalid as error:
        if _all_rows_whole(path, width) == 0:
            return _CsvColumns(pa.table([pa.array([], pa.string())] * width, list(names)), names)
        if "conversion error" not in str(error):
            raise _ragged(str(error), width) from error
    return _CsvColumns(_read_csv(path, width, set()), names)


def _records(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from csv.reader(file)
        except csv.Error as error:  # a quote that is never closed makes an endless field
            raise _ragged(str(error), None) from error


def _holds_numbers(name: str) -> bool:
    return name == "weight" or name.startswith(PROBABILITY_PREFIX)


def _read_csv(path: Path, width: int, numeric: set[int]) -> pa.Table:
    """Read a CSV by position, since names may be anything; `numeric` columns as float64."""
    names = [str(i) for i in range(width)]
    types = {names[i]: pa.float64() if i in numeric else pa.string() for i in range(width)}
    return pacsv.read_csv(
        path,
        read_options=pacsv.ReadOptions(column_names=names, skip_rows_after_names=1),
        parse_options=pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pacsv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=False
        ),
    )


def _all_rows_whole(path: Path, width: int) -> int:
    """Name the rows that have more or fewer fields than the header; returns how many there are."""
    lengths = [len(record) for record in _records(path)][1:]
    wrong = [i for i, length in enumerate(lengths, start=1) if length != width]
    if wrong:
        counts = ", ".join(str(lengths[i - 1]) for i in wrong[:5])
        raise _ragged(f"{counts} fields in {list_rows(wrong)}", width)
    return len(lengths)


def _ragged(found: str, width: int | None) -> PredictionTableError:
    fields = "as many" if width is None else str(width)
    return PredictionTableError(
        "truncated",
        f"Every row must have {fields} fields, as the header has.",
        found=found,
        fix="export the table again: the file was cut off, or a text with a comma is not quoted",
    )


def scan(path: Path) -> str:
    """Read a file once: it is there, holds something, is UTF-8 without NUL. Returns its SHA-256."""
    if not path.is_file():
        raise PredictionTableError(
            "file_missing",
            "A prediction table must be a file that exists.",
            found=f"no file '{path}'" + (" (it is a folder)" if path.is_dir() else ""),
            fix="check the path and the working directory",
        )
    digest, decoder, read = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")(), 0
    for chunk in _chunks(path):
        digest.update(chunk)
        if (nul := chunk.find(b"\0")) >= 0:
            raise _file_encoding_error(path, f"a NUL at byte {read + nul}")
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise _file_encoding_error(path, f"a byte that is not UTF-8 ({error})") from error
        read += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _file_encoding_error(path, f"a character cut off at the end ({error})") from error
    if read == 0:
        raise PredictionTableError(
            "file_empty",
            "A prediction table must hold a header and rows.",
            found=f"'{path}' is empty",
            fix="export the table again",
        )
    return digest.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise PredictionTableError(
            "file_missing",
            "A prediction table must be a file that can be read.",
            found=str(error),
            fix="change its permissions, or copy it",
        ) from error


def _file_encoding_error(path: Path, found: str) -> PredictionTableError:
    return PredictionTableError(
        "encoding",
        "A prediction table must be UTF-8 without NUL.",
        found=f"{found} in '{path}'",
        fix="write the file again as UTF-8",
    )
