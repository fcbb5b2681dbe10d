"""rside's functions as methods, by subject; `pyside.bridge.api.RSide` has them all."""

from __future__ import annotations

from pyside.bridge.methods.curves import CurveMethods
from pyside.bridge.methods.decisions import DecisionMethods
from pyside.bridge.methods.reports import ReportMethods

__all__ = ["CurveMethods", "DecisionMethods", "ReportMethods"]
