"""Checkpoints: all of a training's state, as plain Python and tensors."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from pyside.errors import TrainingError
from pyside.files import atomic_path
from pyside.runs import Run, copy_whole

logger = logging.getLogger(__name__)

FORMAT = 2


@dataclass(frozen=True)
class Checkpoint:
    """The state between two steps.

    Attributes:
        epoch: the epochs that have ended.
        progress: how far the next one is: `EpochProgress.to_json()` of `pyside.training.loop`.
        config: `TrainConfig.to_json()`, with the image size that was chosen.
        classes: the class names in the order of the model's outputs.
        data_digest: of the images that were trained on, `DecodedImages.digest`.
        best: epoch, accuracy and loss of the best epoch so far; empty before the first has ended.
        model: the model's state dict.
        optimizer: the optimizer's.
        scheduler: the schedule's.
        scaler: the gradient scaler's; none where there is no scaling.
        random: the state of every source of random numbers.
    """

    epoch: int
    progress: dict[str, Any]
    config: dict[str, Any]
    classes: list[str]
    data_digest: str
    best: dict[str, Any]
    model: dict[str, torch.Tensor]
    optimizer: dict[str, Any]
    scheduler: dict[str, Any]
    scaler: dict[str, Any] | None
    random: dict[str, Any]


def save_checkpoint(checkpoint: Checkpoint, path: Path, previous: Path | None = None) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        checkpoint: the state.
        path: the file; a crash leaves it as it was.
        previous: where to keep what `path` held before.
    """
    content = {field.name: getattr(checkpoint, field.name) for field in fields(Checkpoint)}
    with atomic_path(path) as temporary:
        torch.save({"format": FORMAT, **content}, temporary)
        if previous is not None and path.is_file():
            copy_whole(path, previous)


def latest_checkpoint(run: Run) -> Checkpoint | None:
    """The last checkpoint of a run, or the one before where that cannot be used.

    Raises:
        TrainingError: if there are checkpoints and none of them can be used.
    """
    errors = []
    for which in ("last", "previous"):
        path = run.checkpoint_path(which)
        if not path.is_file():
            continue
        try:
            checkpoint = load_checkpoint(path)
        except TrainingError as error:
            logger.warning("'%s' cannot be used: %s", path, error.found)
            errors.append(error)
            continue
        if errors:
            logger.warning("going on from the one before, '%s'", path)
        return checkpoint
    if errors:
        raise errors[0]
    return None


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint onto the CPU, without running any code that may be in the file.

    Raises:
        TrainingError: if the file is missing, truncated, foreign or of another format.
    """
    if not path.is_file():
        raise TrainingError(
            "The checkpoint must be there.", found=f"no file '{path}'", fix="train the run first"
        )
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file makes torch raise almost anything
        raise TrainingError(
            "The checkpoint must be whole, and written by pyside.",
            found=f"'{path}' cannot be read: {first_line(error)}",
            fix="use the other checkpoint of the run (best or last), or train again",
        ) from error
    names = [field.name for field in fields(Checkpoint)]
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        version = content.get("format") if isinstance(content, dict) else None
        raise TrainingError(
            f"The checkpoint must be of pyside's format {FORMAT}.",
            found=f"'{path}' has format {version}",
            fix="name a run that this version of pyside trained",
        )
    missing = [name for name in names if name not in content]
    if missing:
        raise TrainingError(
            "The checkpoint must be complete.", found=f"'{path}' lacks {', '.join(missing)}"
        )
    return Checkpoint(**{name: content[name] for name in names})


def first_line(error: Exception) -> str:
    """The first line of an error, with its kind where that says too little."""
    text = str(error).splitlines()[0] if str(error) else ""
    return text if " " in text else f"{type(error).__name__} {text}".rstrip()
