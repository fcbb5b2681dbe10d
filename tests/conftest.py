"""Fixtures that several test modules share."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import PREDICTIONS


@pytest.fixture(scope="session")
def binary_csv() -> Path:
    """A small table of two classes, with its sidecar."""
    return PREDICTIONS / "ok_binary.csv"


@pytest.fixture(scope="session")
def multiclass_csv() -> Path:
    """A small table of three classes, with its sidecar."""
    return PREDICTIONS / "ok_multiclass.csv"
