"""Training of image classifiers, and predictions with them.

Importing this package is cheap: torch is loaded by the first call that needs it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyside.training.config import TrainConfig

if TYPE_CHECKING:
    from pyside.predictions import Predictions
    from pyside.runs import Run

__all__ = ["TrainConfig", "predict", "train"]


def train(config: TrainConfig, *, resume: Run | None = None, progress: bool | None = None) -> Run:
    """Train ResNet-18 on images; see `pyside.training.trainer.train`."""
    _share_the_cores()
    from pyside.training.trainer import train

    return train(config, resume=resume, progress=progress)


def resume(run: Run | Path | str, *, progress: bool | None = None, **changes: Any) -> Run:
    """Go on with a run that was interrupted.

    Args:
        run: the run, or its folder.
        progress: show bars; if none, where a person watches.
        **changes: options of `TrainConfig` that decide how it runs and not what it gives:
            `device`, `workers`, `cache_mb`, `save_minutes`, `max_time`.

    Raises:
        RunError: if there is no such run, or an option may not change.
        TrainingError: if its checkpoints cannot be used, or the training fails.
        ImageDataError: if the images cannot be used.
    """
    from pyside.runs import Run
    from pyside.training.resume import config_to_resume

    run = run if isinstance(run, Run) else Run.open(run)
    return train(config_to_resume(run, **changes), resume=run, progress=progress)


def predict(run: Run | Path | str, data: str, **options: Any) -> Predictions:
    """Predict images with a trained run; see `pyside.training.prediction.predict`."""
    _share_the_cores()
    from pyside.training.prediction import predict

    return predict(run, data, **options)


def _share_the_cores() -> None:
    """Let torch's threads sleep while they wait for each other; it reads this when it is loaded.

    By default they spin. Where another process wants the cores too, each then waits for a thread
    that is not running: an epoch was seen to take nine times as long.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
