"""What a way to R must offer, and what comes back from it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from pyside.bridge.library import missing_packages
from pyside.bridge.request import Call
from pyside.bridge.runtime import RInstallation
from pyside.errors import BridgeError, PredictionTableError, RConditionError

BackendName: TypeAlias = Literal["auto", "embedded", "subprocess"]

_logger = logging.getLogger("pyside.bridge")


class RWarning(UserWarning):
    """A warning that an R function gave."""


class Backend(Protocol):
    """Runs one of rside's functions."""

    name: str
    r: RInstallation

    def call(self, call: Call) -> Any:
        """The function's result, as plain Python values.

        Args:
            call: the function, its tables and its other arguments.

        Raises:
            ConversionError: if an argument has no counterpart in R.
            BridgeError: if R is not to be reached, or the function stops with an error.
        """


def timed_out(seconds: float) -> BridgeError:
    """The error of a call that took too long."""
    return BridgeError(
        f"R must answer within {seconds:g} s.",
        found="no answer; R was stopped",
        fix="allow more time, or pass fewer rows",
    )


def opened(envelope: Mapping[str, Any]) -> Any:
    """What R's envelope holds; R's warnings become Python's, its messages go to the log.

    Raises:
        PredictionTableError: if R refused the table.
        RPackageError: if an R package is missing.
        RConditionError: if the function stopped with another error.
    """
    if envelope["ok"][0]:
        for message in envelope["messages"]:
            _logger.info("%s", message)
        for warning in envelope["warnings"]:
            warnings.warn(str(warning), RWarning, stacklevel=5)
        return envelope["value"]
    message = str(envelope["message"][0])
    if (check := _first(envelope.get("check"))) is not None:
        raise PredictionTableError(check, message)
    condition = [str(name) for name in envelope["class"]]
    if (package := _first(envelope.get("package"))) is not None:
        raise missing_packages([package], f"R said: {message}")
    raise RConditionError(
        message,
        condition=condition,
        call=_first(envelope.get("call")),
        traceback=[str(line) for line in envelope["traceback"]],
    )


def _first(values: Sequence[Any] | None) -> str | None:
    return None if values is None or len(values) == 0 else str(values[0])
