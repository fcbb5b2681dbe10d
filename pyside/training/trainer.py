"""A whole training: from options to a finished run folder."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pyside.errors import TrainingError
from pyside.runs import Run, copy_whole, default_run_folder
from pyside.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from pyside.training.config import TrainConfig
from pyside.training.data import (
    EpochBatches,
    PixelDataset,
    Split,
    choose_image_size,
    divide,
    eval_loader,
    read_pixels,
    train_loader,
)
from pyside.training.device import place_model, resolve_device
from pyside.training.loop import EpochResult, Trainer
from pyside.training.model import build_model, load_weights
from pyside.training.prediction import (
    Output,
    is_watched,
    make_predictions,
    provenance,
    restore_model,
    run_model,
    versions,
)
from pyside.training.seeds import random_state, seed_everything
from pyside.training.sources import ImageSet, absolute_data, class_order, data_name, open_images

logger = logging.getLogger(__name__)

_AUGMENTATION = 1  # sets its random numbers apart from those of the order


@dataclass(frozen=True)
class _Best:
    """The best epoch so far."""

    epoch: int
    accuracy: float | None
    loss: float | None
    chosen_by: str

    def is_beaten_by(self, other: _Best) -> bool:
        """By accuracy, then by loss; without validation images the later epoch wins."""
        if self.accuracy is None or self.loss is None:
            return True
        assert other.accuracy is not None
        assert other.loss is not None
        return (other.accuracy, -other.loss) > (self.accuracy, -self.loss)


def train(config: TrainConfig, *, progress: bool | None = None) -> Run:
    """Train ResNet-18 on images, and leave a finished run folder.

    The validation images that choose the best epoch are held out of the training images; the
    test images are predicted once, by the best epoch, and have no other influence.

    Args:
        config: the options.
        progress: show bars; if none, where a person watches.

    Returns:
        The run, with predictions of the test images.

    Raises:
        ImageDataError: if the images cannot be used.
        TrainingError: if an option cannot be used, or the training fails.
        RunError: if the run folder is taken.
    """
    watched = is_watched() if progress is None else progress
    started = time.perf_counter()
    folder = (
        Path(config.out).expanduser() if config.out else default_run_folder(data_name(config.data))
    )
    Run(folder).check_free(overwrite=config.overwrite)
    device = resolve_device(config.device)
    seed_everything(config.seed)
    with open_images(config.data, seed=config.seed) as images:
        classes = class_order(images, config.classes)
        _check_positive(config.positive, classes)
        config = _resolve(config, images, folder)
        assert config.image_size is not None
        images, pixels = read_pixels(
            images,
            config.image_size,
            limit_corrupt=config.limit_corrupt,
            cache_bytes=config.cache_mb * 2**20,
            progress=watched,
        )
        split = divide(
            images,
            classes,
            test_fraction=config.test_fraction,
            val_fraction=config.val_fraction,
            seed=config.seed,
        )
        dataset = PixelDataset(images, pixels, config.image_size, classes)
        model = build_model(len(classes))
        if config.weights:
            load_weights(model, Path(config.weights).expanduser())
        trainer = Trainer(
            place_model(model, device),
            device,
            lr=config.lr,
            weight_decay=config.weight_decay,
            total=config.epochs * len(split.train),
        )
        run = Run.create(folder, overwrite=config.overwrite)
        run.write_config(_description(config, images, split, classes, device))
        logger.info(
            "%s: %d training, %d validation, %d test images of %d classes, %d px, on %s; run %s",
            images.name,
            len(split.train),
            len(split.val),
            len(split.test),
            len(classes),
            config.image_size,
            device,
            folder,
        )
        best = _fit(run, trainer, dataset, split, config, classes, watched)
        output = _predict_test(run, images, dataset, split, config, device, watched)
    run.write_summary(
        {
            "best": asdict(best),
            "test_accuracy": output.accuracy,
            "test_images": len(output.targets),
            "seconds": round(time.perf_counter() - started, 1),
        }
    )
    return run


def _fit(
    run: Run,
    trainer: Trainer,
    dataset: PixelDataset,
    split: Split,
    config: TrainConfig,
    classes: tuple[str, ...],
    progress: bool,
) -> _Best:
    device, workers = trainer.device, config.workers
    batches = EpochBatches(split.train, config.batch_size, seed=config.seed)
    loader = train_loader(dataset, batches, workers=workers, device=device)
    val = eval_loader(dataset, split.val, config.batch_size, workers=workers, device=device)
    best: _Best | None = None
    for epoch in range(1, config.epochs + 1):
        batches.epoch = epoch
        result = trainer.run_epoch(
            loader,
            augmentation=config.augment,
            generator=_generator(config.seed, epoch),
            title=f"epoch {epoch}/{config.epochs}",
            progress=progress,
        )
        output = run_model(trainer.model, val, device) if len(split.val) else None
        candidate = _candidate(epoch, output)
        improved = best is None or best.is_beaten_by(candidate)
        best = candidate if best is None or improved else best
        run.add_metrics(_metrics_row(epoch, result, candidate))
        checkpoint = Checkpoint(
            epoch=epoch,
            config=config.to_json(),
            classes=list(classes),
            best=asdict(best),
            model=trainer.model.state_dict(),
            optimizer=trainer.optimizer.state_dict(),
            scheduler=trainer.schedule.state_dict(),
            scaler=trainer.scaler.state_dict() or None,
            random=random_state(),
        )
        save_checkpoint(checkpoint, run.checkpoint_path("last"))
        if improved:
            copy_whole(run.checkpoint_path("last"), run.checkpoint_path("best"))
        logger.info("%s", _epoch_line(config.epochs, epoch, result, candidate, improved))
    assert best is not None
    return best


def _predict_test(
    run: Run,
    images: ImageSet,
    dataset: PixelDataset,
    split: Split,
    config: TrainConfig,
    device: torch.device,
    progress: bool,
) -> Output:
    from pyside.predictions import write_predictions

    saved = load_checkpoint(run.checkpoint_path("best"))
    loader = eval_loader(
        dataset, split.test, config.batch_size, workers=config.workers, device=device
    )
    output = run_model(restore_model(saved, device), loader, device, progress=progress)
    predictions = make_predictions(
        output,
        images,
        saved.classes,
        positive=config.positive,
        provenance=provenance(run, "best", saved, config.data),
    )
    write_predictions(predictions, run.predictions_path)
    return output


def _resolve(config: TrainConfig, images: ImageSet, folder: Path) -> TrainConfig:
    """The options with what was left open filled in from the data."""
    augment = config.augment
    if augment == "auto":
        augment = "flip-shift" if images.natural else "none"
    size = config.image_size
    if size is None:
        size = choose_image_size(images)
        logger.info("image size: %d px, from the images; --image-size N sets another", size)
    return replace(
        config,
        data=absolute_data(config.data),
        image_size=size,
        augment=augment,
        out=str(folder),
    )


def _check_positive(positive: str | None, classes: tuple[str, ...]) -> None:
    if positive is not None and positive not in classes:
        raise TrainingError(
            "The positive class must be one of the classes.",
            found=f"'{positive}'",
            fix=f"name one of {', '.join(classes)}",
        )


def _description(
    config: TrainConfig,
    images: ImageSet,
    split: Split,
    classes: tuple[str, ...],
    device: torch.device,
) -> dict[str, Any]:
    labels = np.array(images.labels)
    return {
        "config": config.to_json(),
        "classes": list(classes),
        "images": {
            part: {name: Counter(labels[indices].tolist())[name] for name in classes}
            for part, indices in asdict(split).items()
        },
        "best_chosen_by": _chosen_by(len(split.val)),
        "device": str(device),
        "versions": versions(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def _generator(seed: int, epoch: int) -> torch.Generator:
    state = np.random.SeedSequence([seed, epoch, _AUGMENTATION]).generate_state(1)
    return torch.Generator().manual_seed(int(state[0]))


def _candidate(epoch: int, output: Output | None) -> _Best:
    if output is None:
        return _Best(epoch, None, None, _chosen_by(0))
    if not math.isfinite(output.loss):
        raise TrainingError(
            "The validation loss must be a finite number.",
            found=f"{output.loss} after epoch {epoch}",
            fix="train again with a lower --lr",
        )
    return _Best(epoch, output.accuracy, output.loss, _chosen_by(len(output.targets)))


def _chosen_by(count: int) -> str:
    if not count:
        return "the last epoch; no images were held out"
    return f"accuracy, then loss, on {count} validation images apart from the test images"


def _metrics_row(epoch: int, result: EpochResult, val: _Best) -> dict[str, float | int | None]:
    return {
        "epoch": epoch,
        "samples": result.samples,
        "lr": result.lr,
        "train_loss": result.loss,
        "train_accuracy": result.accuracy,
        "val_loss": val.loss,
        "val_accuracy": val.accuracy,
        "seconds": round(result.seconds, 3),
    }


def _epoch_line(epochs: int, epoch: int, result: EpochResult, val: _Best, improved: bool) -> str:
    parts = [
        f"epoch {epoch}/{epochs}",
        f"train loss {result.loss:.4f} accuracy {result.accuracy:.4f}",
    ]
    if val.accuracy is not None:
        parts.append(f"validation loss {val.loss:.4f} accuracy {val.accuracy:.4f}")
    parts.append(f"{result.seconds:.1f} s" + (" *" if improved else ""))
    return "  ".join(parts)
