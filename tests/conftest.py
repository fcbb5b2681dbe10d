"""Fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="session")
def shell() -> Iterator[Any]:
    """IPython, of which a process has one, after `%load_ext pyside`."""
    from IPython.testing.globalipapp import start_ipython

    shell = start_ipython()
    # Whoever loaded rpy2's own magics before gets ours all the same.
    shell.run_line_magic("load_ext", "rpy2.ipython")
    shell.run_line_magic("load_ext", "pyside")
    yield shell
    shell.run_line_magic("reset", "-f")
