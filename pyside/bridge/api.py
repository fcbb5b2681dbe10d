"""`RSide`: rside's functions as typed Python methods."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from pyside.bridge.backend import Backend, BackendName
from pyside.bridge.methods import CurveMethods, DecisionMethods, ReportMethods
from pyside.bridge.request import Call
from pyside.bridge.results import MethodsText, RResult
from pyside.bridge.results.base import read
from pyside.bridge.subprocess import SubprocessBackend
from pyside.checks import NUMBERS
from pyside.errors import PysideError, Rpy2MismatchError

LONGEST_TIMEOUT = 1_000_000


class BackendWarning(UserWarning):
    """R runs in a process of its own, because it cannot run in this one."""


class RSide(ReportMethods, CurveMethods, DecisionMethods):
    """Calls rside on prediction tables.

    Every method has the name, the arguments and the defaults of R's function, and gives what that
    gives, as a frozen dataclass. A table is a checked one, or a frame that `Predictions.from_frame`
    takes.

    Args:
        backend: "embedded" runs R in this process (rpy2), "subprocess" in its own (Rscript), and
            "auto" picks the first where it can, and says so where it cannot.
        timeout: seconds that R may take for a call; None sets no limit.

    Raises:
        BridgeError: if R, rpy2 or an R package is missing, or does not fit.

    Example:
        >>> rside = RSide()
        >>> rside.auc_ci(preds_df, interval="bootstrap").lower
        >>> print(rside.methods_text(rside.validate(preds_df)).text)
    """

    def __init__(
        self, backend: BackendName | Backend = "auto", *, timeout: float | None = None
    ) -> None:
        if timeout is not None and not _is_timeout(timeout):
            raise PysideError(
                f"A timeout must be a number of seconds, above 0 and up to {LONGEST_TIMEOUT:,}.",
                found=repr(timeout),
                fix="None sets no limit",
            )
        super().__init__(_open(backend, timeout) if isinstance(backend, str) else backend)

    @property
    def backend(self) -> str:
        """The name of the backend: "embedded" or "subprocess"."""
        return self._backend.name

    def methods_text(self, x: RResult) -> MethodsText:
        """The methods paragraph for a paper, with the works it cites; `rside::methods_text()`.

        R computes the result once more, as the results themselves stay in Python.

        Args:
            x: what another method gave.

        Raises:
            PysideError: if it is no whole result.
            BridgeError: if R cannot answer.
        """
        if not isinstance(x, RResult) or x.call is None:
            raise PysideError(
                "methods_text() takes what another method of RSide gave.",
                found=f"a part of a result, {type(x).__qualname__}"
                if isinstance(x, RResult)
                else repr(x),
                fix="pass the result of validate(), confusion(), roc_curve() or another",
            )
        return read(MethodsText, self._ask(replace(x.call, methods=True)))

    def metrics(self, name: str | Sequence[str] | None = None) -> pd.DataFrame:
        """The registry of metrics, as R shows it; `rside::metrics()`.

        Args:
            name: the names of the metrics to show; None shows all.

        Returns:
            One row per metric: `name`, `title`, `tasks`, `formula`, `range`, `direction`,
            `interval`, `undefined`, `differs`, `tolerance`, `source`, `aliases`.

        Raises:
            BridgeError: if R cannot answer, or there is no such metric.
        """
        frame: pd.DataFrame = self._ask(Call("metrics", {}, {"name": name}))
        return frame


def _is_timeout(value: object) -> bool:
    is_number = isinstance(value, NUMBERS) and not isinstance(value, bool)
    return is_number and 0 < value <= LONGEST_TIMEOUT  # type: ignore[operator]


def _open(name: BackendName, timeout: float | None) -> Backend:
    if name == "subprocess":
        return SubprocessBackend(timeout=timeout)
    if name not in ("auto", "embedded"):
        raise PysideError('A backend must be "auto", "embedded" or "subprocess".', found=repr(name))
    from pyside.bridge.embedded import EmbeddedBackend, started_elsewhere

    if name == "auto" and started_elsewhere():
        message = "R runs in a process of its own, since this one was forked from one with R in it."
        warnings.warn(message, BackendWarning, stacklevel=3)
        return SubprocessBackend(timeout=timeout)
    try:
        return EmbeddedBackend(timeout=timeout)
    except Rpy2MismatchError as error:
        if name == "embedded":
            raise
        message = f"R runs in a process of its own, since rpy2 does not fit.\n{error}"
        warnings.warn(message, BackendWarning, stacklevel=3)
        return SubprocessBackend(timeout=timeout)
