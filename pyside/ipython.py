"""`%load_ext pyside`: `%%R` cells with rside attached and values converted exactly."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Start R, attach rside, and register rpy2's `%%R` with pyside's conversion.

    `%%R -i preds` passes a frame or a `Predictions` by the rules of `pyside.bridge.convert`, and
    `-o result` brings a value back by them: nothing is turned into text, nothing is dropped.

    Args:
        shell: the IPython shell.

    Raises:
        BridgeError: if R, rpy2 or an R package is missing, or does not fit.
    """
    from pyside.bridge.magics import register

    register(shell)
