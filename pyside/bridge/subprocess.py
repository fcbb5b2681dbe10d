"""R in a process of its own: Rscript over CSV and JSON. It needs no rpy2."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyside.bridge.backend import opened, timed_out
from pyside.bridge.encoding import decode
from pyside.bridge.library import environment, library_for, script
from pyside.bridge.request import Call
from pyside.bridge.runtime import RInstallation, find_r
from pyside.errors import BridgeError
from pyside.predictions import write_predictions
from pyside.sidecar import sidecar_path


class SubprocessBackend:
    """Starts an Rscript for each call.

    Args:
        timeout: seconds that R may take for a call.
    """

    name = "subprocess"

    def __init__(self, *, timeout: float | None = None) -> None:
        self.r: RInstallation = find_r()
        self._library = library_for(self.r)
        self._timeout = timeout

    def call(self, call: Call) -> Any:
        """See `Backend.call`."""
        with tempfile.TemporaryDirectory(prefix="pyside-") as folder:
            asked, answered = Path(folder) / "request.json", Path(folder) / "response.json"
            try:
                _write(call, asked)
            except OSError as error:
                raise BridgeError(
                    "A call must be written to the temporary folder.",
                    found=str(error),
                    fix="make room there, or name another folder in TMPDIR",
                ) from error
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
            process = subprocess.Popen(
                [str(self.r.rscript), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=environment(self._library),
            )
        except OSError as error:
            raise BridgeError("Rscript must start.", found=str(error)) from error
        with process:
            try:
                said: str = process.communicate(timeout=self._timeout)[1]
            except BaseException as error:
                # Whatever ends the wait, Ctrl-C among it, ends R as well.
                process.kill()
                process.wait()
                if isinstance(error, subprocess.TimeoutExpired):
                    raise timed_out(error.timeout) from None
                raise
        if process.returncode < 0:
            said += f"R was ended by {signal.Signals(-process.returncode).name}"
        return said


def _write(call: Call, path: Path) -> None:
    """Write a call, with its tables beside it.

    They are CSVs alone: the call says what their sidecars say, and what was assumed.
    """
    paths = {name: path.with_name(f"{name}.csv") for name in call.tables}
    for name, table in call.needed().items():
        write_predictions(table, paths[name])
        sidecar_path(paths[name]).unlink()
    path.write_text(call.to_json(paths), encoding="utf-8")
