"""What the tests of the conversion share: R code, the documented tables, strict equality."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DOCUMENT = Path(__file__).parents[1] / "docs" / "conversion.md"


def evaluate(code: str) -> Any:
    """What R code of a test gives, as an R object."""
    import rpy2.rinterface as ri

    value: Any = ri.NULL
    for expression in ri.parse(code):
        value = ri.baseenv["eval"](expression)
    return value


def in_r(code: str, x: Any) -> Any:
    """What R code of a test gives for an R object `x`."""
    import rpy2.rinterface as ri

    return evaluate(f"function(x) {code}")(x) if x is not ri.NULL else evaluate(code)


def round_trip(value: object) -> Any:
    from pyside.bridge.convert import from_r, to_r

    return from_r(to_r(value))


def through_json(value: Any) -> Any:
    """An R object by the way of the other backend."""
    from pyside.bridge.embedded import session
    from pyside.bridge.encoding import decode

    encoded = session().function("as_json")(session().function("encode")(value))
    return decode(json.loads(encoded[0]))


def documented(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table below a heading of docs/conversion.md, its cells without backquotes."""
    text = DOCUMENT.read_text("utf-8")
    (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[2:]]
    return [tuple(c.strip().replace("`", "").replace("\\|", "|") for c in row) for row in cells]


def described(value: Any) -> str:
    """The type of a Python value, as the tables call it."""
    if isinstance(value, np.ndarray):
        dimensions = "" if value.ndim == 1 else f", {value.ndim} dimensions"
        return f"array of {'text' if value.dtype == object else value.dtype}{dimensions}"
    if isinstance(value, pd.Categorical):
        return "Categorical, ordered" if value.ordered else "Categorical"
    if isinstance(value, pd.Series):
        return f"Series of {value.dtype}, by name"
    if hasattr(value, "dtype"):
        return f"array of {value.dtype}"
    return type(value).__name__


def same(one: Any, other: Any) -> bool:
    """Equal in value, type and, for doubles, every bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, pd.DataFrame):
        return (
            one.index.identical(other.index)
            and one.columns.identical(other.columns)
            and all(same(one.iloc[:, i], other.iloc[:, i]) for i in range(one.shape[1]))
        )
    if isinstance(one, pd.Series):
        return one.index.identical(other.index) and same(one.array, other.array)
    if isinstance(one, pd.arrays.NumpyExtensionArray):
        return same(one.to_numpy(), other.to_numpy())
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        return one.tolist() == other.tolist() if one.dtype == object else bits(one) == bits(other)
    if hasattr(one, "dtype"):
        return bool(one.dtype == other.dtype and one.equals(other))
    return bool(one == other)


def bits(values: Any) -> bytes:
    return np.ascontiguousarray(values).tobytes()
