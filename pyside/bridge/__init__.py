"""The bridge to R: find it, match rpy2 to it, start it once, convert by type, return typed results.

rpy2 is imported in this package and nowhere else, and only when R is started.
"""

from __future__ import annotations

from pyside.bridge.api import BackendWarning, RSide
from pyside.bridge.backend import Backend, BackendName, RWarning
from pyside.bridge.results import (
    AucInterval,
    Calibration,
    Comparison,
    Confusion,
    MethodsText,
    MulticlassAuc,
    Note,
    OperatingPoints,
    PartialAuc,
    PrCurve,
    RocBand,
    RocCurve,
    RResult,
    RValidation,
    Slices,
)
from pyside.bridge.runtime import RInstallation, find_r

__all__ = [
    "AucInterval",
    "Backend",
    "BackendName",
    "BackendWarning",
    "Calibration",
    "Comparison",
    "Confusion",
    "MethodsText",
    "MulticlassAuc",
    "Note",
    "OperatingPoints",
    "PartialAuc",
    "PrCurve",
    "RInstallation",
    "RResult",
    "RSide",
    "RValidation",
    "RWarning",
    "RocBand",
    "RocCurve",
    "Slices",
    "find_r",
]
