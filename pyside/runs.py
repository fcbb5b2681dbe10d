"""The run folder: everything that one training leaves behind.

```
RUN/config.json            what was asked for and what it became: options, classes, counts
RUN/metrics.csv            one row per epoch
RUN/checkpoints/best.pt    the epoch that did best on the validation images
RUN/checkpoints/last.pt    where the training is, or how it ended
RUN/checkpoints/previous.pt   the same one save before, should the last one be damaged
RUN/preds.csv, preds.json  the predictions of the test images, a prediction table
RUN/validation.json        what both languages say of them, once they were validated
RUN/summary.json           how it ended; written last, so its presence says that it ended
```
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pyside.errors import RunError
from pyside.files import atomic_path

CHECKPOINTS = ("best", "last", "previous")


@dataclass(frozen=True)
class Run:
    """A run folder.

    Attributes:
        folder: where the run lies.
    """

    folder: Path

    @classmethod
    def create(cls, folder: str | Path, *, overwrite: bool = False) -> Run:
        """Make a new run folder, and refuse one that is taken.

        Args:
            folder: where to make it.
            overwrite: remove the files of a run that is there; files of other kinds stay.

        Raises:
            RunError: if the folder holds a run and `overwrite` is off, or holds other things.
        """
        run = cls(Path(folder))
        run.check_free(overwrite=overwrite)
        try:
            run._remove_files()
            (run.folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(
                f"A run folder must be possible to make at '{folder}'.",
                found=str(error),
                fix="name another one",
            ) from error
        return run

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """Open an existing run folder.

        Raises:
            RunError: if there is none.
        """
        run = cls(Path(folder))
        if not run.config_path.is_file():
            there = "no such folder" if not run.folder.exists() else "no config.json in it"
            raise RunError(
                f"'{folder}' must be a run folder.",
                found=there,
                fix="name the folder that `pyside train` printed at its end",
            )
        return run

    @property
    def config_path(self) -> Path:
        """What was asked for and what it became."""
        return self.folder / "config.json"

    @property
    def metrics_path(self) -> Path:
        """One row per epoch."""
        return self.folder / "metrics.csv"

    @property
    def summary_path(self) -> Path:
        """How the run ended."""
        return self.folder / "summary.json"

    @property
    def predictions_path(self) -> Path:
        """The prediction table of the test images; its sidecar lies beside it."""
        return self.folder / "preds.csv"

    @property
    def validation_path(self) -> Path:
        """What `pyside validate` said of the predictions of the test images."""
        return self.folder / "validation.json"

    def checkpoint_path(self, which: str = "best") -> Path:
        """The checkpoint `best`, `last` or `previous`."""
        if which not in CHECKPOINTS:
            known = ", ".join(f"'{name}'" for name in CHECKPOINTS)
            raise RunError(f"The checkpoint must be one of {known}.", found=f"'{which}'")
        return self.folder / "checkpoints" / f"{which}.pt"

    def check_free(self, *, overwrite: bool = False) -> None:
        """Raise `RunError` unless a new run can be made here."""
        if not self.folder.exists() or (self.folder.is_dir() and not any(self.folder.iterdir())):
            return
        if self.config_path.is_file():
            if overwrite:
                return
            raise RunError(
                "A new run must not replace another one.",
                found=f"'{self.folder}' holds a run already",
                fix="name another folder, or overwrite it (--overwrite)",
            )
        raise RunError(
            "A run needs a folder of its own.",
            found=f"'{self.folder}' exists and is not a run",
            fix="name another folder",
        )

    def write_config(self, config: Mapping[str, Any]) -> None:
        """Write `config.json`."""
        write_json(self.config_path, config)

    def read_config(self) -> dict[str, Any]:
        """Read `config.json`."""
        return _read_json(self.config_path)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Write `summary.json`."""
        write_json(self.summary_path, summary)

    def read_summary(self) -> dict[str, Any]:
        """Read `summary.json`; a run that did not end has none."""
        return _read_json(self.summary_path)

    @property
    def finished(self) -> bool:
        """Whether the run ended as it should."""
        return self.summary_path.is_file()

    def add_metrics(self, row: Mapping[str, float | int | None]) -> None:
        """Add one epoch to `metrics.csv`; `None` is an empty field."""
        self._write_metrics(
            [*self.read_metrics(), {name: _text(value) for name, value in row.items()}]
        )

    def keep_metrics(self, epochs: int) -> None:
        """Keep the first epochs of `metrics.csv`: a resumed run writes the others anew."""
        rows = self.read_metrics()
        kept = [row for row in rows if int(row["epoch"]) <= epochs]
        if len(kept) < len(rows):
            self._write_metrics(kept)

    def _write_metrics(self, rows: list[dict[str, str]]) -> None:
        if not rows:
            self.metrics_path.unlink(missing_ok=True)
            return
        with (
            atomic_path(self.metrics_path) as temporary,
            temporary.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def read_metrics(self) -> list[dict[str, str]]:
        """The rows of `metrics.csv` as text; none where no epoch has ended yet."""
        if not self.metrics_path.is_file():
            return []
        with self.metrics_path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def _remove_files(self) -> None:
        for path in (
            *(self.checkpoint_path(which) for which in CHECKPOINTS),
            self.metrics_path,
            self.predictions_path,
            self.predictions_path.with_suffix(".json"),
            self.validation_path,
            self.summary_path,
            self.config_path,
        ):
            path.unlink(missing_ok=True)


def default_run_folder(name: str, now: datetime | None = None) -> Path:
    """A free folder `runs/<YYYYmmdd-HHMMSS>-<name>` in the current folder."""
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    stem = f"{now or datetime.now():%Y%m%d-%H%M%S}-{safe}"
    folder, count = Path("runs") / stem, 1
    while folder.exists():
        count += 1
        folder = Path("runs") / f"{stem}-{count}"
    return folder


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write plain values as JSON, whole or not at all."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def copy_whole(source: Path, target: Path) -> None:
    """Make `target` a copy of `source`, whole or not at all.

    A hard link serves where the file system has them: files here are replaced, never changed in
    place, so the two cannot influence each other.
    """
    with atomic_path(target) as temporary:
        temporary.unlink()
        try:
            temporary.hardlink_to(source)
        except OSError:
            shutil.copyfile(source, temporary)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"'{path}' must be readable JSON.", found=str(error)) from error
    if not isinstance(content, dict):
        raise RunError(f"'{path}' must hold a JSON object.", found=type(content).__name__)
    return content


def _text(value: float | int | None) -> str:
    return "" if value is None else repr(value)
