"""rpy2's `%%R` magic, with pyside's conversion in the place of pandas2ri's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyside.bridge.embedded import session
from pyside.bridge.request import table_arguments
from pyside.errors import ConversionError
from pyside.predictions import Predictions


def register(shell: Any) -> None:
    """Register `%R`, `%%R` and their companions in a shell, and attach rside."""
    r = session()
    with r.gate():
        from rpy2.ipython.rmagic import RMagics

        r.attach()
        shell.register_magics(RMagics(shell, converter=_converter()))


def _converter() -> Any:
    """rpy2's default rules, with ours in front of them."""
    import rpy2.rinterface as ri
    from rpy2.robjects import conversion, default_converter

    from pyside.bridge.convert import to_r

    ours = conversion.Converter("pyside")
    for kind in (pd.DataFrame, pd.Series, np.ndarray, list, tuple, dict):
        ours.py2rpy.register(kind, to_r)
    ours.py2rpy.register(Predictions, _checked_table)
    for kind in (
        ri.BoolSexpVector,
        ri.FloatSexpVector,
        ri.IntSexpVector,
        ri.ListSexpVector,
        ri.StrSexpVector,
    ):
        ours.rpy2py.register(kind, _back)
    return default_converter + ours


def _checked_table(predictions: Predictions) -> Any:
    """A checked table as an `rside_predictions`, with its classes, positive class and threshold."""
    from pyside.bridge.convert import data_frame, to_r

    arguments = {name: to_r(value) for name, value in table_arguments(predictions).items()}
    return session().function("as_predictions")(data_frame(predictions.table), **arguments)


def _back(value: Any) -> Any:
    from pyside.bridge.convert import from_r

    try:
        return from_r(value)
    except ConversionError:
        return value  # an R object without a counterpart stays one, for R to use again
