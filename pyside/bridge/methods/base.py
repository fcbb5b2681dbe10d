"""What every method does: take a table, and ask R."""

from __future__ import annotations

from typing import Any, TypeAlias

from pyside.bridge.backend import Backend
from pyside.bridge.request import Call
from pyside.interchange import Frame
from pyside.predictions import Predictions

TableLike: TypeAlias = Predictions | Frame
"""A checked table, or a frame that `Predictions.from_frame` takes."""


class Caller:
    """Calls rside through a backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def _ask(self, call: Call) -> Any:
        return self._backend.call(call)


def one_table(predictions: TableLike) -> dict[str, Predictions]:
    """The table of a function that takes one, by the name of R's parameter.

    Raises:
        PredictionTableError: if it breaks the contract.
    """
    return {"predictions": checked(predictions)}


def checked(predictions: TableLike) -> Predictions:
    """The table, checked.

    Raises:
        PredictionTableError: if it breaks the contract.
    """
    if isinstance(predictions, Predictions):
        return predictions
    return Predictions.from_frame(predictions)
