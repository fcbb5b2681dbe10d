"""A call of one of rside's functions, as both backends send it: JSON beside the tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from pyside.checks import PROBABILITY_PREFIX
from pyside.errors import ConversionError
from pyside.predictions import Predictions

RFunction: TypeAlias = Literal[
    "validate",
    "confusion",
    "roc_curve",
    "auc_ci",
    "multiclass_auc",
    "calibration",
    "compare_models",
    "operating_points",
    "partial_auc",
    "pr_curve",
    "roc_band",
    "slices",
    "metrics",
]

_Json: TypeAlias = "bool | int | float | str | list[_Json] | dict[str, _Json] | None"

_COUNTED = ("true_label", "pred_label", "weight")
_MAX_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Call:
    """A call of one of rside's functions.

    Attributes:
        function: the R function.
        tables: its tables, by the names of R's parameters.
        arguments: its other arguments, by name.
        columns: the optional columns that the numbers depend on, "id" and groups. The others are
            not sent, since text is slow to copy.
        methods: whether the methods text of the result is asked for instead of the result.
    """

    function: RFunction
    tables: Mapping[str, Predictions]
    arguments: Mapping[str, object]
    columns: Sequence[str] = ()
    methods: bool = False

    def rows(self) -> int:
        """How many rows the tables have together."""
        return sum(len(table.table) for table in self.tables.values())

    def needed(self) -> dict[str, Predictions]:
        """The tables, with the columns that the numbers depend on."""
        return {name: self._needed(table) for name, table in self.tables.items()}

    def _needed(self, predictions: Predictions) -> Predictions:
        names = [
            name
            for name in predictions.table.columns
            if name in (*_COUNTED, *self.columns) or name.startswith(PROBABILITY_PREFIX)
        ]
        return replace(predictions, table=predictions.table[names])

    def to_json(self, paths: Mapping[str, Path] | None = None) -> str:
        """What R is asked, as text; `R/bridge.R` reads it.

        Args:
            paths: the CSV files of the tables, if R reads them from there.

        Raises:
            ConversionError: if an argument has no counterpart in R.
        """
        request = {
            "function": self.function,
            "tables": {
                name: {
                    "csv": str(paths[name]) if paths else None,
                    "stated": _encoded(table_arguments(table)),
                    "dropped": table.dropped,
                    "source": _source(table),
                }
                for name, table in self.tables.items()
            },
            "arguments": _encoded(self.arguments),
            "methods": self.methods,
        }
        return json.dumps(request, ensure_ascii=False, allow_nan=False)


def table_arguments(predictions: Predictions) -> dict[str, object]:
    """What R must be told to read the table as Python did; what was assumed is left to R to assume.

    Both assume the same, and R then says so in its notes.
    """
    stated: dict[str, object] = {"sum_tolerance": predictions.sum_tolerance}
    if "classes" not in predictions.assumed:
        stated["classes"] = list(predictions.classes)
    if predictions.positive is not None and "positive" not in predictions.assumed:
        stated["positive"] = predictions.positive
    if predictions.threshold is not None and "threshold" not in predictions.assumed:
        stated["threshold"] = predictions.threshold
    return stated


def _source(predictions: Predictions) -> dict[str, str] | None:
    """The file that a table was read from; what of its name is not UTF-8 is shown as "?"."""
    if predictions.source is None:
        return None
    return {
        name: text.encode("utf-8", "replace").decode() for name, text in predictions.source.items()
    }


def _encoded(arguments: Mapping[str, object]) -> dict[str, _Json]:
    return {name: _argument(name, value) for name, value in arguments.items()}


def _argument(name: str, value: object) -> _Json:
    """A plain value; a list is an R vector, or an R list where it holds lists."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, int) and abs(value) <= _MAX_EXACT:
        return int(value)
    if isinstance(value, float):
        # JSON has no number for these.
        return float(value) if math.isfinite(value) else {"number": str(float(value))}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return _array(name, value)
    raise _refused(name, repr(value), "pass numbers, text, or lists of one of them")


def _array(name: str, values: Sequence[object]) -> list[_Json]:
    items = [_argument(name, value) for value in values]
    kinds = {_kind(item) for item in items}
    if None in values or not (len(kinds) <= 1 or kinds <= {"text", "list"}):
        found = f"a list of {', '.join(sorted(kinds))}"
        raise _refused(name, found, "make all of one kind: R would convert them silently")
    return items


def _kind(item: _Json) -> str:
    if isinstance(item, list):
        return "list"
    if isinstance(item, str):
        return "text"
    return "True or False" if isinstance(item, bool) else "None" if item is None else "numbers"


def _text(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refused(name, "text with a lone surrogate", "mend or remove it") from None
    if "\0" in text:
        raise _refused(name, "text with a NUL, which R cannot hold", "mend or remove it")
    return str(text)


def _refused(name: str, found: str, fix: str) -> ConversionError:
    return ConversionError(f"'{name}' must have an exact counterpart in R.", found=found, fix=fix)
