"""Training of image classifiers, and predictions with them.

Importing this package is cheap: torch is loaded by the first call that needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyside.training.config import TrainConfig

if TYPE_CHECKING:
    from pyside.predictions import Predictions
    from pyside.runs import Run

__all__ = ["TrainConfig", "predict", "train"]


def train(config: TrainConfig, *, progress: bool | None = None) -> Run:
    """Train ResNet-18 on images; see `pyside.training.trainer.train`."""
    from pyside.training.trainer import train

    return train(config, progress=progress)


def predict(run: Run | Path | str, data: str, **options: Any) -> Predictions:
    """Predict images with a trained run; see `pyside.training.prediction.predict`."""
    from pyside.training.prediction import predict

    return predict(run, data, **options)
