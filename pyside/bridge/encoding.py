"""Read the typed JSON of `R/bridge.R` into the values that `convert.from_r` gives.

Doubles come as text of 17 digits, so that both backends give the same numbers to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def decode(encoded: Mapping[str, Any]) -> Any:
    """A Python value from its encoding."""
    kind = encoded["type"]
    if kind == "null":
        return None
    if kind == "list":
        items = [decode(item) for item in encoded["values"]]
        names = encoded.get("names")
        return items if names is None else dict(zip(names, items, strict=True))
    if kind == "data.frame":
        columns = [decode(column) for column in encoded["columns"]]
        return pd.DataFrame(
            dict(zip(encoded["names"], columns, strict=True)), index=pd.RangeIndex(encoded["rows"])
        )
    if kind == "factor":
        codes = [-1 if code is None else code - 1 for code in encoded["codes"]]
        levels = pd.Index(encoded["levels"], dtype=object)
        return pd.Categorical.from_codes(codes, categories=levels)
    values = encoded["values"]
    if kind == "double":
        missing = {"NA": "nan"}
        return np.array([float(missing.get(text, text)) for text in values], dtype=np.float64)
    if kind == "character":
        return pd.array(values, dtype="string")
    has_missing = None in values
    if kind == "logical":
        return pd.array(values, dtype="boolean") if has_missing else np.array(values, dtype=bool)
    return pd.array(values, dtype="Int64") if has_missing else np.array(values, dtype=np.int64)
