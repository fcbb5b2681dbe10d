"""Train an image classifier, export its predictions, and have R validate the numbers.

Importing this module starts neither R nor torch: each public name is loaded when it is used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _distribution_version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyside.bridge import RSide
    from pyside.errors import PysideError
    from pyside.ipython import load_ipython_extension
    from pyside.predictions import Predictions, read_predictions, write_predictions
    from pyside.report import ValidationReport
    from pyside.training import TrainConfig, predict, train
    from pyside.validation import render_report, validate

_HOMES = {
    "Predictions": "pyside.predictions",
    "PysideError": "pyside.errors",
    "RSide": "pyside.bridge",
    "TrainConfig": "pyside.training",
    "ValidationReport": "pyside.report",
    "load_ipython_extension": "pyside.ipython",
    "predict": "pyside.training",
    "read_predictions": "pyside.predictions",
    "render_report": "pyside.validation",
    "train": "pyside.training",
    "validate": "pyside.validation",
    "write_predictions": "pyside.predictions",
}

__all__ = [
    "Predictions",
    "PysideError",
    "RSide",
    "TrainConfig",
    "ValidationReport",
    "load_ipython_extension",
    "predict",
    "read_predictions",
    "render_report",
    "train",
    "validate",
    "write_predictions",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _distribution_version("pyside-rside")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    message = f"module 'pyside' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
