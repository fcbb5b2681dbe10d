"""`RSide`: rside's functions as typed Python methods."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from pyside.bridge.backend import Backend, BackendName, RFunction
from pyside.bridge.results import AucInterval, Confusion, Note, RocCurve, RValidation
from pyside.bridge.subprocess import SubprocessBackend
from pyside.errors import PysideError, Rpy2MismatchError
from pyside.opinions import Opinion
from pyside.predictions import Predictions


class BackendWarning(UserWarning):
    """R runs in a process of its own, because it cannot run in this one."""


class RSide:
    """Calls rside on prediction tables.

    Args:
        backend: "embedded" runs R in this process (rpy2), "subprocess" in its own (Rscript), and
            "auto" picks the first where it can, and says so where it cannot.

    Raises:
        BridgeError: if R, rpy2 or an R package is missing, or does not fit.
    """

    def __init__(self, backend: BackendName | Backend = "auto") -> None:
        self._backend = _open(backend) if isinstance(backend, str) else backend

    @property
    def backend(self) -> str:
        """The name of the backend: "embedded" or "subprocess"."""
        return self._backend.name

    def validate(self, predictions: Predictions, *, conf_level: float = 0.95) -> RValidation:
        """Every number of a report; `rside::validate()`.

        Args:
            predictions: the table.
            conf_level: the level of the intervals, between 0 and 1.
        """
        result = self._call("validate", predictions, conf_level=conf_level)
        roc = result["roc"]
        return RValidation(
            opinions=_opinions(result["metrics"]),
            counts=result["confusion"],
            roc=None if roc is None else _roc(roc),
            n=int(result["n"][0]),
            notes=[
                Note(str(code), str(text))
                for code, text in zip(result["notes"]["code"], result["notes"]["text"], strict=True)
            ],
            versions={name: str(value[0]) for name, value in result["versions"].items()},
        )

    def confusion(self, predictions: Predictions, *, conf_level: float = 0.95) -> Confusion:
        """The confusion matrix with exact intervals; `rside::confusion()`."""
        result = self._call("confusion", predictions, conf_level=conf_level)
        return Confusion(
            counts=result["counts"],
            overall=_opinions(result["overall"]),
            by_class=_opinions(result["by_class"]),
            positive=_text(result["positive"]),
        )

    def roc_curve(self, predictions: Predictions, *, conf_level: float = 0.95) -> RocCurve:
        """The ROC curve of two classes; `rside::roc_curve()`."""
        return _roc(self._call("roc_curve", predictions, conf_level=conf_level))

    def auc_ci(self, predictions: Predictions, *, conf_level: float = 0.95) -> AucInterval:
        """The AUC of two classes with DeLong's interval; `rside::auc_ci()`."""
        result = self._call("auc_ci", predictions, conf_level=conf_level)
        return AucInterval(
            estimate=float(result["estimate"][0]),
            lower=float(result["lower"][0]),
            upper=float(result["upper"][0]),
            std_error=float(result["std_error"][0]),
            method=_text(result["method"]),
            reason=_text(result["reason"]),
            auto=float(result["auto"][0]),
            positive=str(result["positive"][0]),
        )

    def multiclass_auc(
        self, predictions: Predictions, *, conf_level: float = 0.95
    ) -> list[Opinion]:
        """Hand-Till, one-vs-rest and micro areas; `rside::multiclass_auc()`."""
        result = self._call("multiclass_auc", predictions, conf_level=conf_level)
        return _opinions(result["values"])

    def _call(self, function: RFunction, predictions: Predictions, **arguments: object) -> Any:
        return self._backend.call(function, predictions, arguments)


def _open(name: BackendName) -> Backend:
    if name == "subprocess":
        return SubprocessBackend()
    if name not in ("auto", "embedded"):
        raise PysideError('A backend must be "auto", "embedded" or "subprocess".', found=repr(name))
    from pyside.bridge.embedded import EmbeddedBackend

    try:
        return EmbeddedBackend()
    except Rpy2MismatchError as error:
        if name == "embedded":
            raise
        message = f"R runs in a process of its own, since rpy2 does not fit.\n{error}"
        warnings.warn(message, BackendWarning, stacklevel=3)
        return SubprocessBackend()


def _opinions(frame: pd.DataFrame) -> list[Opinion]:
    return [
        Opinion(
            metric=str(row["metric"]),
            estimator=str(row["estimator"]),
            class_name=_text([row["class"]]),
            estimate=float(row["estimate"]),
            lower=float(row["lower"]),
            upper=float(row["upper"]),
            method=_text([row["method"]]),
            reason=_text([row["reason"]]),
        )
        for row in frame.to_dict("records")
    ]


def _roc(result: dict[str, Any]) -> RocCurve:
    return RocCurve(
        curve=result["curve"],
        auc=float(result["auc"][0]),
        lower=float(result["lower"][0]),
        upper=float(result["upper"][0]),
        std_error=float(result["std_error"][0]),
        method=_text(result["method"]),
        reason=_text(result["reason"]),
        auto=float(result["auto"][0]),
        positive=str(result["positive"][0]),
    )


def _text(values: Any) -> str | None:
    """The first value as text, None for NULL and NA."""
    return None if values is None or pd.isna(values[0]) else str(values[0])
