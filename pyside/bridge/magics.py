"""rpy2's `%%R` magic, with pyside's conversion in the place of pandas2ri's.

Ctrl-C stops a cell, and an error in R is shown as R says it, without Python's own way there.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from pyside.bridge.embedded import session
from pyside.bridge.request import table_arguments
from pyside.errors import ConversionError, RConditionError
from pyside.predictions import Predictions


def register(shell: Any) -> None:
    """Register `%R`, `%%R` and their companions in a shell, and attach rside."""
    r = session()
    with r.gate():
        r.attach()
        shell.register_magics(_magics()(shell, converter=_converter()))


class RCellError(RConditionError):
    """R stopped with an error in a cell."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in the place of a traceback, which would lead through rpy2 only."""
        return [str(self)]


def _magics() -> Any:
    from rpy2.ipython.rmagic import RInterpreterError, RMagics
    from rpy2.rinterface_lib._rinterface_capi import RParsingError

    class PysideMagics(RMagics):  # type: ignore[misc]
        """rpy2's magics; R code runs behind the gate of every other call."""

        def eval(self, code: str) -> Any:
            with session().gate():
                _mark_last_error()
                try:
                    return super().eval(code)
                except RInterpreterError as error:
                    message = error.err.strip()
                    said = _plain(error.stdout.replace(message, "")).strip()
                    if said:
                        print(said)
                    # An interrupt is no error to R: it leaves the last one as it was.
                    if _MARK in message:
                        raise KeyboardInterrupt from None
                    raise RCellError(_plain(message)) from None
                except RParsingError:
                    raise RCellError(_parse_error(code)) from None

    return PysideMagics


_MARK = "no error since this cell began"
# What R calls a cell that rpy2 evaluates: rpy2's own call, deparsed.
_CELL = re.compile(
    r"(?:(Error) )?in \(function \(expr, envir = parent\.frame\(\), enclos = .*?: *\n? *", re.I
)


def _mark_last_error() -> None:
    """Give R a last error of our own."""
    import rpy2.rinterface as ri

    (code,) = ri.parse(f'try(stop("{_MARK}", call. = FALSE), silent = TRUE)')
    ri.baseenv["eval"](code)


def _plain(message: str) -> str:
    """R's message without the call that rpy2 made of the cell."""
    return _CELL.sub(lambda match: "Error: " if match[1] else "", message)


def _parse_error(code: str) -> str:
    """What R says of code that it cannot parse: rpy2 knows only that it cannot."""
    import rpy2.rinterface as ri

    try:
        ri.baseenv["parse"](text=ri.StrSexpVector([code]))
    except ri.embedded.RRuntimeError as error:
        found = str(error).strip()
        return "Error: " + found[max(found.find("<text>"), 0) :]
    return "Error: R cannot parse this cell."


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
