"""Go on where a run stopped: find it, and see that it is the same training."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pyside.errors import RunError, TrainingError
from pyside.runs import Run
from pyside.training.checkpoint import Checkpoint, latest_checkpoint
from pyside.training.config import FREE_TO_CHANGE, TrainConfig
from pyside.training.sources import absolute_data

logger = logging.getLogger(__name__)


def config_to_resume(run: Run, **changes: Any) -> TrainConfig:
    """The options of a run that is to go on, with what may be changed about it.

    Args:
        run: the run.
        **changes: options that are given anew.

    Raises:
        RunError: if there is no such run, or an option may not change.
        TrainingError: if an option cannot be used.
    """
    stated = run.read_config().get("config")
    if not isinstance(stated, Mapping):
        raise RunError(
            "A run must state its options to go on.",
            found=f"none in '{run.config_path}'",
            fix="train anew, into another folder",
        )
    config = TrainConfig.from_json(stated)
    changed = replace(config, **{**changes, "out": str(run.folder)})
    _check_same(run, config, changed)
    return changed


def run_to_resume(folder: Path, config: TrainConfig) -> Run | None:
    """The run in a folder, if there is one and these options are to go on with it.

    Raises:
        RunError: if the folder holds a run with other options, naming them.
    """
    run = Run(folder)
    if config.overwrite or not run.config_path.is_file():
        return None
    _check_same(run, config_to_resume(run), config)
    return run


def _check_same(run: Run, stated: TrainConfig, asked: TrainConfig) -> None:
    differences = _differences(stated, asked)
    if differences:
        raise RunError(
            "A run must go on with the options that it began with.",
            found=f"in '{run.folder}': {'; '.join(differences)}",
            fix="state the same, name another folder, or replace the run (--overwrite)",
        )


def _differences(stated: TrainConfig, asked: TrainConfig) -> list[str]:
    """What is asked for otherwise; what is left open is as it was."""
    found = []
    for field in fields(TrainConfig):
        was, now = getattr(stated, field.name), getattr(asked, field.name)
        if field.name == "data":
            was, now = absolute_data(was), absolute_data(now)
        is_open = now is None or (field.name == "augment" and now == "auto")
        if field.name not in FREE_TO_CHANGE and not is_open and now != was:
            found.append(f"{field.name} was {was!r}, now {now!r}")
    return found


def checkpoint_to_resume(
    run: Run, *, data_digest: str, classes: tuple[str, ...]
) -> Checkpoint | None:
    """Where to go on; none where the run stopped before its first save.

    Raises:
        TrainingError: if no checkpoint can be used, or the images have changed.
    """
    checkpoint = latest_checkpoint(run)
    if checkpoint is None:
        return None
    if checkpoint.data_digest != data_digest or checkpoint.classes != list(classes):
        was = run.read_config()
        raise TrainingError(
            "A run must go on with the images that it began with.",
            found=f"classes {', '.join(checkpoint.classes)} and digest "
            f"{checkpoint.data_digest[:12]} of {_count(was)} images then; "
            f"{', '.join(classes)} and {data_digest[:12]} now",
            fix="restore the images, or train anew (--overwrite, or another folder)",
        )
    return checkpoint


def _count(config: Mapping[str, Any]) -> int:
    return sum(sum(part.values()) for part in config.get("images", {}).values())
