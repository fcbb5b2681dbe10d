"""A whole training: from options to a finished run folder."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pyside.errors import TrainingError
from pyside.runs import Run, default_run_folder
from pyside.training.checkpoint import first_line, load_checkpoint
from pyside.training.config import TrainConfig, seconds_of
from pyside.training.data import (
    PixelDataset,
    Split,
    choose_image_size,
    divide,
    eval_loader,
    read_pixels,
)
from pyside.training.device import place_model, resolve_device
from pyside.training.fit import Fit, chosen_by
from pyside.training.loop import Trainer
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
from pyside.training.resume import checkpoint_to_resume, run_to_resume
from pyside.training.seeds import seed_everything
from pyside.training.sources import ImageSet, absolute_data, class_order, data_name, open_images
from pyside.training.stopping import Watch

logger = logging.getLogger(__name__)


def train(config: TrainConfig, *, resume: Run | None = None, progress: bool | None = None) -> Run:
    """Train ResNet-18 on images, and leave a finished run folder.

    The validation images that choose the best epoch are held out of the training images; the
    test images are predicted once, by the best epoch, and have no other influence.

    A run that was interrupted goes on where it was saved last, each image once per epoch: where
    `resume` names it, or where its folder and its options are stated again.

    Args:
        config: the options.
        resume: the run to go on with; its options are `config`, see `config_to_resume`.
        progress: show bars; if none, where a person watches.

    Returns:
        The run, with predictions of the test images.

    Raises:
        InterruptedWorkError: if SIGTERM or Ctrl-C came, or the time budget is nearly spent.
        ImageDataError: if the images cannot be used.
        TrainingError: if an option cannot be used, or the training fails.
        RunError: if the run folder is taken.
    """
    watched = is_watched() if progress is None else progress
    started = time.monotonic()
    folder = (
        Path(config.out).expanduser() if config.out else default_run_folder(data_name(config.data))
    )
    resume = resume or run_to_resume(folder, config)
    if resume is None:
        Run(folder).check_free(overwrite=config.overwrite)
    elif resume.finished:
        logger.info("'%s' is finished: there is nothing to do", folder)
        return resume
    limit = None if config.max_time is None else seconds_of(config.max_time)
    watch = Watch(60 * config.save_minutes, limit, started)
    with watch.listening(), _device_errors_named(folder):
        return _train(config, folder, resume, watch, watched, started)


def _train(
    config: TrainConfig,
    folder: Path,
    resume: Run | None,
    watch: Watch,
    watched: bool,
    started: float,
) -> Run:
    device = resolve_device(config.device)
    seed_everything(config.seed)
    with open_images(config.data, seed=config.seed) as images:
        classes = class_order(images, config.classes)
        _check_positive(config.positive, classes)
        config = _resolve(config, images, folder)
        assert config.image_size is not None
        images, pixels, digest = read_pixels(
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
        if config.weights and resume is None:
            load_weights(model, Path(config.weights).expanduser())
        trainer = Trainer(
            place_model(model, device),
            device,
            lr=config.lr,
            weight_decay=config.weight_decay,
            total=config.epochs * len(split.train),
        )
        checkpoint = None
        if resume is not None:
            checkpoint = checkpoint_to_resume(resume, data_digest=digest, classes=classes)
        run = resume or Run.create(folder, overwrite=config.overwrite)
        if resume is None:
            run.write_config(_description(config, images, split, classes, digest, device))
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
        fit = Fit(run, trainer, dataset, split, config, classes, digest, watch, show=watched)
        fit.begin(checkpoint)
        best = fit.to_the_end()
        output = _predict_test(run, images, dataset, split, config, device, fit, watched)
    run.write_summary(
        {
            "best": asdict(best),
            "test_accuracy": output.accuracy,
            "test_images": len(output.targets),
            "seconds": round(time.monotonic() - started, 1),
        }
    )
    return run


@contextmanager
def _device_errors_named(folder: Path) -> Iterator[None]:
    """A device that is lost on the way ends in a plain message, and not in a trace."""
    try:
        yield
    except (RuntimeError, torch.AcceleratorError) as error:
        if "CUDA" not in str(error) or isinstance(error, torch.OutOfMemoryError):
            raise
        raise TrainingError(
            "The device must stay while it trains.",
            found=first_line(error),
            fix=f"go on from the last save, in a new process: pyside train --resume {folder}",
        ) from error


def _predict_test(
    run: Run,
    images: ImageSet,
    dataset: PixelDataset,
    split: Split,
    config: TrainConfig,
    device: torch.device,
    fit: Fit,
    progress: bool,
) -> Output:
    from pyside.predictions import write_predictions

    saved = load_checkpoint(run.checkpoint_path("best"))
    loader = eval_loader(
        dataset, split.test, config.batch_size, workers=config.workers, device=device
    )
    output = run_model(
        restore_model(saved, device),
        loader,
        device,
        progress=progress,
        after_step=fit.stop_if_asked,
    )
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
    digest: str,
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
        "data_digest": digest,
        "best_chosen_by": chosen_by(len(split.val)),
        "device": str(device),
        "versions": versions(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
