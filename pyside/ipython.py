"""`%load_ext pyside`: `%%R` with rside attached and exact conversion, and `%Rvalidate`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from pyside.errors import PysideError

if TYPE_CHECKING:
    from pyside.report import ValidationReport


def load_ipython_extension(shell: Any) -> None:
    """Start R, attach rside, and register `%%R` with pyside's conversion, and `%Rvalidate`.

    `%%R -i preds` passes a frame or a `Predictions` by the rules of `pyside.bridge.convert`, and
    `-o result` brings a value back by them: nothing is turned into text, nothing is dropped.
    `%Rvalidate preds` is `pyside.validate(preds)`. Load `rpy2.ipython` before or not at all: loaded
    afterwards it puts its own magics, and conversion, in the place of these.

    Args:
        shell: the IPython shell.

    Raises:
        BridgeError: if R, rpy2 or an R package is missing, or does not fit.
    """
    from pyside.bridge.magics import register

    register(shell)
    shell.register_magic_function(_rvalidate_of(shell), "line", "Rvalidate")


def _rvalidate_of(shell: Any) -> Callable[[str], ValidationReport]:
    def rvalidate(line: str) -> ValidationReport:
        """Validate what a name holds: `%Rvalidate preds`, `%Rvalidate preds --positive dog`."""
        from pyside.validation import validate

        asked = _options(line)
        if asked.name not in shell.user_ns:
            raise PysideError(
                "%Rvalidate must be given the name of a prediction table.",
                found=f"nothing is called '{asked.name}' here",
                fix="preds = pyside.read_predictions('preds.csv'), then %Rvalidate preds",
            )
        return validate(
            shell.user_ns[asked.name],
            positive=asked.positive,
            threshold=asked.threshold,
            conf_level=asked.conf_level,
            na=asked.na,
            backend="embedded",
        )

    return rvalidate


def _options(line: str) -> argparse.Namespace:
    from IPython.core.error import UsageError

    parser = _Parser("%Rvalidate", add_help=False)
    parser.add_argument("name")
    parser.add_argument("--positive")
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--conf-level", type=float, default=0.95)
    parser.add_argument("--na", choices=["refuse", "drop"], default="refuse")
    try:
        return parser.parse_args(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"{parser.format_usage().strip()}\n{error}") from None


class _Parser(argparse.ArgumentParser):
    """Raises where others print and exit."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)
