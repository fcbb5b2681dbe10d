"""R in a process of its own: Rscript over CSV and JSON. It needs no rpy2."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyside.bridge.backend import opened
from pyside.bridge.encoding import decode
from pyside.bridge.library import environment, library_for, script
from pyside.bridge.request import Call
from pyside.bridge.runtime import RInstallation, find_r
from pyside.errors import BridgeError
from pyside.predictions import Predictions, write_predictions
from pyside.sidecar import sidecar_path


class SubprocessBackend:
    """Starts an Rscript for each call.

    Args:
        timeout: seconds that a call may take.
    """

    name = "subprocess"

    def __init__(self, *, timeout: float | None = None) -> None:
        self.r: RInstallation = find_r()
        self._library = library_for(self.r)
        self._timeout = timeout

    def call(self, call: Call) -> Any:
        """See `Backend.call`."""
        with tempfile.TemporaryDirectory(prefix="pyside-") as folder:
            paths = {
                name: _written(table, Path(folder) / f"{name}.csv")
                for name, table in call.needed().items()
            }
            asked, answered = Path(folder) / "request.json", Path(folder) / "response.json"
            asked.write_text(call.to_json(paths), encoding="utf-8")
            stderr = self._run([script("call.R"), asked, answered])
            if not answered.is_file():
                raise BridgeError(
                    "R must answer.",
                    found=f"no answer; R said: {stderr.strip()[-2000:] or 'nothing'}",
                    fix="see that Rscript runs, and that memory and disk suffice",
                )
            return opened(decode(json.loads(answered.read_text(encoding="utf-8"))))

    def render(self, template: Path, params: Mapping[str, object], folder: Path) -> Path:
        """Render an R Markdown template in `folder`; returns the page.

        Raises:
            BridgeError: if rmarkdown or pandoc is missing, or the template stops with an error.
        """
        page, asked = folder / "report.html", folder / "params.json"
        asked.write_text(json.dumps(params), encoding="utf-8")
        stderr = self._run([script("render.R"), template, page, asked])
        if not page.is_file():
            raise BridgeError(
                "R must render the report.",
                found=f"R said: {stderr.strip()[-2000:] or 'nothing'}",
                fix="install rmarkdown, knitr and pandoc "
                "(Debian, Ubuntu: apt-get install r-cran-rmarkdown pandoc)",
            )
        return page

    def _run(self, arguments: list[Path]) -> str:
        try:
            answer = subprocess.run(
                [str(self.r.rscript), *map(str, arguments)],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                env=environment(self._library),
                timeout=self._timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise BridgeError(
                f"R must answer within {self._timeout:g} s.",
                found="no answer; R was stopped",
                fix="allow more time, or pass fewer rows",
            ) from error
        except OSError as error:
            raise BridgeError("Rscript must start.", found=str(error)) from error
        return answer.stderr


def _written(predictions: Predictions, path: Path) -> Path:
    """The table as a CSV alone: the request says what its sidecar says, and what was assumed."""
    write_predictions(predictions, path)
    sidecar_path(path).unlink()
    return path
