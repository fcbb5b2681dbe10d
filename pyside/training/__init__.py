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


def train(config: TrainConfig, *, progress: bool | None = None) -> Run:
    """Train ResNet-18 on images; see `pyside.training.trainer.train`."""
    _share_the_cores()
    from pyside.training.trainer import train

    return train(config, progress=progress)


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
