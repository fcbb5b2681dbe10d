"""What R's functions give, as frozen Python types.

Their fields have the names, the order and the meaning that R's help pages give them. Undefined
numbers are NaN and undefined text is None; in the columns of a DataFrame both are missing values.
"""

from __future__ import annotations

from pyside.bridge.results.base import MethodsText, Note, RResult
from pyside.bridge.results.curves import (
    AucInterval,
    MulticlassAuc,
    PartialAuc,
    PrCurve,
    RocBand,
    RocCurve,
)
from pyside.bridge.results.decisions import Confusion, OperatingPoints
from pyside.bridge.results.reports import Calibration, Comparison, RValidation, Slices

__all__ = [
    "AucInterval",
    "Calibration",
    "Comparison",
    "Confusion",
    "MethodsText",
    "MulticlassAuc",
    "Note",
    "OperatingPoints",
    "PartialAuc",
    "PrCurve",
    "RResult",
    "RValidation",
    "RocBand",
    "RocCurve",
    "Slices",
]
