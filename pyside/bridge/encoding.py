"""Read the typed JSON of `R/encoding.R` into the values that `convert.from_r` gives.

Doubles come as text of 17 digits, so that both backends give the same numbers to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pyside.bridge import values
from pyside.bridge.exact import NA_INTEGER, NA_REAL


def decode(encoded: Mapping[str, Any], name: str = "value") -> Any:
    """A Python value from its encoding.

    Args:
        encoded: the parsed JSON.
        name: what a message calls the value.

    Raises:
        ConversionError: if there is no exact counterpart.
    """
    kind, names = encoded["type"], encoded.get("names")
    if kind == "null":
        return None
    if kind == "data.frame":
        return _frame(encoded)
    if kind == "list":
        if names is None:
            return [decode(item, str(i)) for i, item in enumerate(encoded["values"], start=1)]
        items = zip(names, encoded["values"], strict=True)
        return values.mapping(names, [decode(item, str(own)) for own, item in items])
    plain = _vector(name, kind, encoded)
    if "dim" in encoded:
        return values.array(name, plain, encoded["dim"], encoded.get("dimnames"))
    return plain if names is None else values.named(name, plain, names)


def _frame(encoded: Mapping[str, Any]) -> pd.DataFrame:
    names, row_names = encoded["names"], encoded.get("row_names")
    pairs = zip(names, encoded["columns"], strict=True)
    columns = [decode(column, str(name)) for name, column in pairs]
    return values.frame(names, columns, encoded["rows"], _row_names(row_names))


def _row_names(row_names: Sequence[Any] | None) -> Any:
    if row_names is None:
        return None
    return values.index(row_names) if isinstance(row_names[0], str) else pd.Index(row_names)


def _vector(name: str, kind: str, encoded: Mapping[str, Any]) -> Any:
    match kind:
        case "logical":
            return values.logical(_codes(encoded["values"]))
        case "integer":
            return values.integer(_codes(encoded["values"]))
        case "double":
            return _numbers(encoded["values"])
        case "character":
            return values.character(pa.array(encoded["values"], pa.large_string()))
        case "factor":
            codes, levels = _codes(encoded["codes"]), encoded["levels"]
            return values.factor(name, codes, levels, ordered=encoded["ordered"])
        case "date":
            return values.date(name, _numbers(encoded["values"]))
        case "posixct":
            return values.posixct(name, _numbers(encoded["values"]), encoded["zone"])
        case "difftime":
            return values.difftime(name, _numbers(encoded["values"]), encoded["units"])
        case "integer64":
            bits = np.array([int(digits, 16) for digits in encoded["values"]], dtype=np.uint64)
            return values.integer64(bits.view(np.int64))
    raise values.refused(name, f"the type '{kind}'")


def _codes(numbers: Sequence[int | None]) -> npt.NDArray[np.int32]:
    return np.array([NA_INTEGER if n is None else n for n in numbers], dtype=np.int32)


def _numbers(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.array([NA_REAL if text == "NA" else float(text) for text in texts], dtype=np.float64)
