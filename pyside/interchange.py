"""Tables of other libraries (Polars, DuckDB, cuDF, ...) as Arrow tables, their columns not copied.

The Arrow stream interface is asked first, the older dataframe protocol where there is no other.
"""

from __future__ import annotations

import warnings
from typing import Protocol, TypeAlias

import pandas as pd
import pyarrow as pa


class ArrowStream(Protocol):
    """A table of Polars, Arrow, DuckDB and others: it has the Arrow stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, as a PyCapsule."""


class DataFrameProtocol(Protocol):
    """A table that has the older dataframe protocol."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        """The table, as the protocol's object."""


Frame: TypeAlias = pd.DataFrame | ArrowStream | DataFrameProtocol
"""A table of any library."""


def arrow_table(value: object) -> pa.Table | None:
    """A table as an Arrow table, or None if it is no table."""
    if isinstance(value, pa.Table):
        return value
    if hasattr(value, "__arrow_c_stream__"):
        try:
            return pa.table(value)
        except pa.ArrowInvalid:  # a stream of a column
            return None
    return _by_protocol(value) if hasattr(value, "__dataframe__") else None


def arrow_column(value: object) -> pa.ChunkedArray | None:
    """A column as an Arrow one, or None if it is no column."""
    if isinstance(value, pa.ChunkedArray):
        return value
    if hasattr(value, "__arrow_c_stream__"):
        return pa.chunked_array(value)
    return pa.chunked_array([pa.array(value)]) if hasattr(value, "__arrow_c_array__") else None


def _by_protocol(value: object) -> pa.Table:
    with warnings.catch_warnings():
        # pyarrow reads the protocol, and advises its makers to leave it.
        warnings.simplefilter("ignore")
        from pyarrow.interchange import from_dataframe

        return from_dataframe(value)
