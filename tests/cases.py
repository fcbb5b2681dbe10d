"""The shared prediction tables, for parametrized tests: testthat reads the same list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

PREDICTIONS = Path(__file__).parent / "fixtures" / "predictions"
CASES: list[dict[str, Any]] = json.loads((PREDICTIONS / "cases.json").read_text("utf-8"))


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=Path(case["file"]).stem) for case in cases]


GOOD = _named([case for case in CASES if case["check"] is None])
BAD = _named([case for case in CASES if case["check"] is not None])
