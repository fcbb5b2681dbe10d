"""What all results have in common, and how they are read from R's plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from pyside.bridge.request import Call
from pyside.opinions import Opinion

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RResult:
    """What one of rside's functions gave.

    Attributes:
        call: the call that it answers, which `RSide.methods_text` asks about; None of a part of
            another result.
    """

    call: Call | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True)
class MethodsText:
    """What `rside::methods_text()` gives.

    Attributes:
        text: the paragraph, with citations as names and years.
        marked: the same with `[@key]` for every citation, as R Markdown and Quarto read it.
        references: the works cited, in the order of the text, each as one line.
        bibtex: their BibTeX entries.
    """

    text: str
    marked: str
    references: list[str]
    bibtex: str


@dataclass(frozen=True)
class Note:
    """What a reader of the numbers must know: an assumption, an omission, a suspicion."""

    code: str
    text: str


def read(kind: type[T], value: Mapping[str, Any], **stated: object) -> T:
    """A result from R's named list, by the types of its fields.

    Args:
        kind: the result, a dataclass.
        value: the named list.
        **stated: fields that do not come from R.
    """
    types = get_type_hints(kind)
    read = {
        f.name: _value(types[f.name], value[f.name])
        for f in fields(kind)  # type: ignore[arg-type]  # T is a dataclass
        if f.name not in stated and f.name != "call"
    }
    return kind(**read, **stated)


def _value(kind: Any, value: Any) -> Any:
    """A part of a result, by its type."""
    if NoneType in get_args(kind):
        return None if _is_missing(value) else _value(get_args(kind)[0], value)
    if kind is pd.DataFrame:
        return value
    if kind == list[Opinion]:
        return [_opinion(row) for row in value.to_dict("records")]
    if kind == list[Note]:
        return [Note(**row) for row in value[["code", "text"]].to_dict("records")]
    if get_origin(kind) is list:
        return [get_args(kind)[0](item) for item in value]
    if get_origin(kind) is dict:
        return {name: _value(get_args(kind)[1], item) for name, item in value.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        return read(kind, value)
    return str(value[0]) if get_origin(kind) is Literal else kind(value[0])


def _is_missing(value: Any) -> bool:
    """Whether R gave NULL, or one NA."""
    if isinstance(value, (np.ndarray, pd.api.extensions.ExtensionArray)):
        return len(value) == 1 and bool(pd.isna(value[0]))
    return value is None


def _opinion(row: Mapping[Any, Any]) -> Opinion:
    def text(name: str) -> str | None:
        return None if pd.isna(row[name]) else str(row[name])

    return Opinion(
        metric=str(row["metric"]),
        estimator=str(row["estimator"]),
        class_name=text("class"),
        estimate=float(row["estimate"]),
        lower=float(row["lower"]),
        upper=float(row["upper"]),
        method=text("method"),
        reason=text("reason"),
        std_error=float(row["std_error"]),
    )
