"""What a way to R must offer, and what comes back from it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from pyside.bridge.library import missing_packages
from pyside.bridge.runtime import RInstallation
from pyside.errors import PredictionTableError, RConditionError
from pyside.predictions import Predictions

BackendName: TypeAlias = Literal["auto", "embedded", "subprocess"]
RFunction: TypeAlias = Literal["validate", "confusion", "roc_curve", "auc_ci", "multiclass_auc"]

_logger = logging.getLogger("pyside.bridge")


class RWarning(UserWarning):
    """A warning that an R function gave."""


class Backend(Protocol):
    """Runs one of rside's functions on a prediction table."""

    name: str
    r: RInstallation

    def call(
        self, function: RFunction, predictions: Predictions, arguments: Mapping[str, object]
    ) -> Any:
        """The function's result, as plain Python values.

        Args:
            function: the R function.
            predictions: its first argument.
            arguments: its other arguments, by name.

        Raises:
            BridgeError: if R is not to be reached, or the function stops with an error.
        """


def table_arguments(predictions: Predictions) -> dict[str, object]:
    """What R must be told to read the table as Python did; what was assumed is left to R to assume.

    Both assume the same, and R then says so in its notes.
    """
    stated: dict[str, object] = {"sum_tolerance": predictions.sum_tolerance}
    if "classes" not in predictions.assumed:
        stated["classes"] = list(predictions.classes)
    if predictions.positive is not None and "positive" not in predictions.assumed:
        stated["positive"] = predictions.positive
    if predictions.threshold is not None and "threshold" not in predictions.assumed:
        stated["threshold"] = predictions.threshold
    return stated


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
            warnings.warn(str(warning), RWarning, stacklevel=4)
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
