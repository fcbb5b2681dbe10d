"""The runs below a folder: list them, compare them, keep the good ones, take them elsewhere.

A run is a folder with a `config.json` that states `config`; nothing is read from the names of
files. Its numbers are those of its last epoch, of its summary, and R's of `validation.json`, which
`pyside validate RUN/preds.csv` writes.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pyside.errors import RunError
from pyside.files import atomic_path
from pyside.runs import Run

LOWER_IS_BETTER = ("loss", "brier_score", "error", "seconds")
_KEPT_OPTIONS = ("data", "seed", "epochs", "batch_size", "lr", "image_size")


@dataclass(frozen=True)
class RunFacts:
    """What a list of runs shows of one.

    Attributes:
        run: the run.
        started: when, as it was written.
        state: `finished`, or how many epochs are done.
        options: what it was asked for.
        numbers: its metrics by name.
    """

    run: Run
    started: str
    state: str
    options: Mapping[str, Any]
    numbers: Mapping[str, float]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.run.folder.name


def find_runs(root: Path) -> list[RunFacts]:
    """The runs at or below a folder, the latest first.

    Raises:
        RunError: if there is no such folder.
    """
    if not root.is_dir():
        raise RunError(
            "Runs are looked for in a folder that exists.",
            found=f"no folder '{root}'",
            fix="name another one (--root), or train first",
        )
    found = [facts for folder in _folders(root) if (facts := facts_of(Run(folder))) is not None]
    return sorted(found, key=lambda facts: facts.started, reverse=True)


def facts_of(run: Run) -> RunFacts | None:
    """The facts of a run; none where the folder holds something else."""
    try:
        stated = run.read_config()
        summary = run.read_summary() if run.finished else {}
    except RunError:
        return None
    if not isinstance(stated.get("config"), dict):
        return None
    options = stated["config"]
    rows = run.read_metrics()
    last = {name: text for name, text in rows[-1].items() if name != "epoch"} if rows else {}
    numbers = {**_numbers(last), **_numbers(summary), **_validation(run)}
    done = f"{len(rows)} of {options.get('epochs', '?')} epochs"
    return RunFacts(
        run=run,
        started=str(stated.get("started", "")),
        state="finished" if run.finished else done,
        options={name: options.get(name) for name in _KEPT_OPTIONS},
        numbers=numbers,
    )


def sort_runs(runs: list[RunFacts], metric: str) -> list[RunFacts]:
    """The runs that have a number, the best first.

    Raises:
        RunError: if no run has it, with those that there are.
    """
    have = [facts for facts in runs if metric in facts.numbers]
    if not have:
        known = sorted({name for facts in runs for name in facts.numbers})
        raise RunError(
            "Runs are sorted by a number that they have.",
            found=f"no run has '{metric}'",
            fix=f"there are {', '.join(known)}" if known else "no run has a number yet",
        )
    sign = 1 if any(word in metric for word in LOWER_IS_BETTER) else -1
    return sorted(have, key=lambda facts: sign * facts.numbers[metric])


def differences(one: RunFacts, other: RunFacts) -> list[tuple[str, Any, Any]]:
    """Name and both values of every option that differs, and of every number."""
    names = [name for name in _KEPT_OPTIONS if one.options[name] != other.options[name]]
    options = [(name, one.options[name], other.options[name]) for name in names]
    shared = dict.fromkeys([*one.numbers, *other.numbers])
    return options + [(name, one.numbers.get(name), other.numbers.get(name)) for name in shared]


def prune(runs: list[RunFacts], metric: str, keep: int, *, really: bool = False) -> list[RunFacts]:
    """Remove all finished runs but the best; those that are not finished stay.

    Args:
        runs: the runs.
        metric: the number by which the best are found; a run that lacks it stays.
        keep: how many stay, 1 or more.
        really: remove them; without it they are only named.

    Returns:
        The runs that were, or would be, removed.

    Raises:
        RunError: if no run has the number, or none is to stay.
    """
    if keep < 1:
        raise RunError("At least one run must stay.", found=f"keep {keep}")
    removed = sort_runs([facts for facts in runs if facts.run.finished], metric)[keep:]
    if really:
        for facts in removed:
            shutil.rmtree(facts.run.folder)
    return removed


def export_run(run: Run, path: Path) -> Path:
    """Write a run as one zip, whole or not at all; hidden files stay behind.

    Raises:
        RunError: if the name does not end in `.zip`.
    """
    if path.suffix != ".zip":
        raise RunError("A run is exported to a file '*.zip'.", found=f"'{path}'")
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for file in sorted(run.folder.rglob("*")):
            inside = file.relative_to(run.folder)
            if file.is_file() and not any(part.startswith(".") for part in inside.parts):
                # Checkpoints hardly shrink: to store them is as small and much faster.
                stored = file.suffix == ".pt"
                method = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
                archive.write(file, Path(run.folder.name, inside), method)
    return path


def import_run(path: Path, root: Path) -> Run:
    """Take back a run that `export_run` wrote, whole or not at all.

    Raises:
        RunError: if the file is no such zip, or a run of that name is there already.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
            name = _only_folder(names, path)
            target = root / name
            if target.exists():
                raise RunError(
                    "A run that is taken back must not replace another one.",
                    found=f"'{target}' exists",
                    fix="name another folder (--root), or move it away",
                )
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=root, prefix=".import-") as folder:
                archive.extractall(folder, names)
                Run.open(Path(folder) / name)
                (Path(folder) / name).rename(target)
    except (OSError, zipfile.BadZipFile) as error:
        raise RunError("A run is taken back from a zip.", found=f"'{path}': {error}") from error
    return Run.open(target)


def _only_folder(names: list[str], path: Path) -> str:
    """The one folder that all files of an archive lie in, none of them outside it."""
    parts = [PurePosixPath(name).parts for name in names]
    tops = {part[0] for part in parts if part}
    safe = all(
        len(part) > 1 and ".." not in part and not PurePosixPath(name).is_absolute()
        for name, part in zip(names, parts, strict=True)
    )
    if len(tops) != 1 or not safe or "\\" in "".join(names):
        raise RunError(
            "The zip of a run must hold one folder, and nothing outside it.",
            found=f"'{path}' holds {', '.join(sorted(tops)[:5]) or 'nothing'}",
            fix="name a zip that `pyside runs export` wrote",
        )
    return tops.pop()


def _folders(root: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(root):
        if "config.json" in files:
            yield Path(parent)
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))


def _validation(run: Run) -> dict[str, float]:
    path = run.validation_path
    if not path.is_file():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {
        f"{row['metric']}:{row['estimator']}": float(row["r"])
        for row in rows
        if row.get("class") is None and isinstance(row.get("r"), int | float)
    }


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for name, value in values.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        if math.isfinite(number) and not isinstance(value, bool):
            found[name] = number
    return found
