"""rpy2's `%%R` magic, with pyside's conversion in the place of pandas2ri's.

Ctrl-C stops a cell, and an error in R is shown as R says it, without Python's own way there.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

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
    from IPython.core.error import UsageError
    from rpy2.ipython.rmagic import (
        RInterpreterError,
        RMagics,
        _find,
        _parse_assignment_argument,
    )
    from rpy2.rinterface_lib._rinterface_capi import RParsingError

    class PysideMagics(RMagics):  # type: ignore[misc]
        """rpy2's magics; R code runs behind the gate of every other call."""

        def eval(self, code: str) -> Any:
            with session().gate():
                _mark_last_error()
                try:
                    text, value, visible = super().eval(code)
                    return _plain(text), value, visible
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

        def _import_name_into_r(self, arg: str, env: Any, local_ns: dict[str, Any]) -> None:
            # rpy2's own passes over None, and R goes on with what the name held before.
            lhs, rhs = _parse_assignment_argument(arg)
            for names in (local_ns, self.shell.user_ns):
                try:
                    env[lhs] = _find(rhs, names)
                    return
                except NameError:
                    continue
            raise UsageError(f"nothing is called '{rhs}' here")

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

    (said,) = ri.parse(
        'function(x) tryCatch({parse(text = x); "R cannot parse it."}, error = conditionMessage)'
    )
    return f"Error: {ri.baseenv['eval'](said)(ri.StrSexpVector([code]))[0]}"


def _converter() -> Any:
    """rpy2's default rules, with ours in front of them."""
    import rpy2.rinterface as ri
    from rpy2.robjects import conversion, default_converter

    from pyside.bridge.convert import to_r

    ours = conversion.Converter("pyside")
    # Whatever is no R object already; of these kinds rpy2 has rules of its own.
    for kind in (object, bool, int, float, complex, str, type(None), np.ndarray, list, dict):
        ours.py2rpy.register(kind, to_r)
    ours.py2rpy.register(Predictions, _checked_table)
    for kind in (
        ri.BoolSexpVector,
        ri.FloatSexpVector,
        ri.IntSexpVector,
        ri.ListSexpVector,
        ri.StrSexpVector,
        type(ri.NULL),
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
