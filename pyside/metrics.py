"""The registry of metrics: `inst/metrics.json` of the R package, read by both languages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pyside.resources import r_package_source


@dataclass(frozen=True)
class Metric:
    """One row of the registry: what a metric is, wherever it is computed.

    Attributes:
        name: its name in every report.
        title: its name in words.
        tasks: the kinds of table it is defined for, "binary" and "multiclass".
        formula: its definition.
        range: the least and the greatest value; None where unbounded.
        direction: whether "higher" or "lower" is better, "target 0" or "target 1" where that value
            is ideal, "none" of what describes the data.
        interval: how its interval is computed, if it has one.
        undefined: when it is undefined.
        differs: where scikit-learn's default is another definition, and which.
        tolerance: up to which absolute difference two opinions agree.
        source: where formula and interval come from.
        aliases: its name in other libraries.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    formula: str
    range: tuple[float | None, float | None]
    direction: str
    interval: str | None
    undefined: str
    differs: str | None
    tolerance: float
    source: str
    aliases: Mapping[str, str]


@cache
def registry() -> Mapping[str, Metric]:
    """Every metric by name, in the order of a report."""
    text = (r_package_source() / "inst" / "metrics.json").read_text(encoding="utf-8")
    return {
        row["name"]: Metric(
            **{**row, "tasks": tuple(row["tasks"]), "range": tuple(row["range"])},
        )
        for row in json.loads(text)
    }
