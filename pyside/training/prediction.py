"""From a trained model and images to a prediction table."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm

from pyside.errors import TrainingError
from pyside.runs import Run
from pyside.training.checkpoint import Checkpoint, load_checkpoint
from pyside.training.config import TrainConfig
from pyside.training.data import Batch, PixelDataset, eval_loader, read_pixels
from pyside.training.device import place_model, place_pixels, resolve_device
from pyside.training.memory import MicroBatches
from pyside.training.model import ARCHITECTURE, build_model, normalize
from pyside.training.sources import (
    ImageSet,
    absolute_data,
    check_known_classes,
    data_name,
    open_images,
)

if TYPE_CHECKING:
    from pyside.predictions import Predictions

logger = logging.getLogger(__name__)

Scores = npt.NDArray[np.float64]


class Output(NamedTuple):
    """What a model says of images: `logits` `(N, K)`, and `targets` and `indices` `(N,)`."""

    logits: Scores
    targets: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int64]

    @property
    def accuracy(self) -> float:
        """The share of images whose largest logit is that of their class."""
        return float((self.logits.argmax(axis=1) == self.targets).mean())

    @property
    def loss(self) -> float:
        """The mean cross-entropy."""
        logits, targets = torch.from_numpy(self.logits), torch.from_numpy(self.targets)
        return float(nn.functional.cross_entropy(logits, targets))


@torch.no_grad()
def run_model(
    model: nn.Module,
    loader: DataLoader[Batch],
    device: torch.device,
    *,
    progress: bool = False,
    after_step: Callable[[], None] | None = None,
) -> Output:
    """The logits of all images of a loader, in single precision, kept in double.

    What `after_step` raises after a batch ends the work.
    """
    model.eval()
    rows: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
    micro_batches = MicroBatches()
    for batch in tqdm(loader, "predicting", leave=False, disable=not progress):

        def look(parts: list[slice], pixels: torch.Tensor = batch.pixels) -> torch.Tensor:
            found = [model(normalize(place_pixels(pixels[part], device))) for part in parts]
            return torch.cat([logits.double().cpu() for logits in found])

        logits = micro_batches.run(len(batch.targets), look)
        rows.append((logits, batch.targets, batch.indices))
        if after_step is not None:
            after_step()
    return Output(*(torch.cat(column).numpy() for column in zip(*rows, strict=True)))


def softmax(logits: Scores) -> Scores:
    """Probabilities `(N, K)` from logits, computed in double precision."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Scores = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities


def count_saturated(logits: Scores, probabilities: Scores) -> npt.NDArray[np.int64]:
    """By class, how many distinct scores became equal to another one as probabilities.

    Float64 has no numbers between 1 - 1.1e-16 and 1, so very sure predictions turn into ties,
    which change an AUC. The score of a class is its log odds against all others.
    """
    lost = []
    for k in range(logits.shape[1]):
        others = np.logaddexp.reduce(np.delete(logits, k, axis=1), axis=1)
        lost.append(len(np.unique(logits[:, k] - others)) - len(np.unique(probabilities[:, k])))
    return np.maximum(lost, 0)


def predict(
    run: Run | Path | str,
    data: str,
    *,
    checkpoint: str = "best",
    device: str = "auto",
    batch_size: int | None = None,
    workers: int | None = None,
    limit_corrupt: int = 0,
    progress: bool | None = None,
) -> Predictions:
    """Predict images with a trained run.

    Args:
        run: the run, or its folder.
        data: what `train` takes. Test images are predicted where the data is divided into parts,
            or is what the run was trained on; else all images are.
        checkpoint: `best` or `last`.
        device: `auto`, `cpu` or `cuda`.
        batch_size: images at a time; as in training if none.
        workers: processes that decode images that do not fit into memory; chosen if none.
        limit_corrupt: unreadable images that are skipped and named before it is an error.
        progress: show a bar; if none, where a person watches.

    Returns:
        A prediction table; the classes are those of the run, by name.

    Raises:
        RunError: if there is no such run.
        TrainingError: if the checkpoint or an option cannot be used.
        ImageDataError: if the images cannot, or one is of a class that the run does not know.
    """
    run = run if isinstance(run, Run) else Run.open(run)
    saved = load_checkpoint(run.checkpoint_path(checkpoint))
    trained = TrainConfig.from_json(saved.config)
    options = TrainConfig(  # checks them
        data=data,
        device=device,
        batch_size=trained.batch_size if batch_size is None else batch_size,
        workers=workers,
        limit_corrupt=limit_corrupt,
        seed=trained.seed,
        image_size=trained.image_size,
        cache_mb=trained.cache_mb,
    )
    watched = is_watched() if progress is None else progress
    where = resolve_device(device)
    model = restore_model(saved, where)
    with open_images(data, seed=options.seed) as images:
        check_known_classes(images, saved.classes)
        find_again = not images.divided and absolute_data(data) == absolute_data(trained.data)
        if images.divided:
            images = images.take(i for i, part in enumerate(images.parts) if part == "test")
        assert options.image_size is not None
        images, pixels, _ = read_pixels(
            images,
            options.image_size,
            limit_corrupt=limit_corrupt,
            cache_bytes=options.cache_mb * 2**20,
            progress=watched,
        )
        dataset = PixelDataset(images, pixels, options.image_size, saved.classes)
        chosen = np.arange(len(images))
        if find_again:
            chosen = _test_images(run, images)
        logger.info("%s: predicting %d of %d images", images.name, len(chosen), len(images))
        loader = eval_loader(dataset, chosen, options.batch_size, workers=workers, device=where)
        output = run_model(model, loader, where, progress=watched)
    return make_predictions(
        output,
        images,
        saved.classes,
        positive=trained.positive,
        provenance=provenance(run, checkpoint, saved, data),
    )


def _test_images(run: Run, images: ImageSet) -> npt.NDArray[np.int64]:
    """The images that the run was tested on, by their ids.

    Dividing the folder again would not do: one more or one fewer file divides it otherwise, and
    images of the training would be among the test images.
    """
    from pyside.predictions import read_predictions

    tested = set(read_predictions(run.predictions_path).ids or ())
    chosen = [index for index, name in enumerate(images.ids) if name in tested]
    if not chosen:
        raise TrainingError(
            "The data that the run was trained on must still hold its test images.",
            found=f"none of the {len(tested)} images in '{run.predictions_path}'",
            fix="name other data, or the folder as it was",
        )
    if len(chosen) < len(tested):
        logger.warning(
            "%d of the run's %d test images are no longer there",
            len(tested) - len(chosen),
            len(tested),
        )
    return np.array(chosen, dtype=np.int64)


def restore_model(checkpoint: Checkpoint, device: torch.device) -> nn.Module:
    """The model of a checkpoint, on the device.

    Raises:
        TrainingError: if the weights do not fit the model.
    """
    model = build_model(len(checkpoint.classes))
    try:
        model.load_state_dict(checkpoint.model)
    except RuntimeError as error:
        raise TrainingError(
            f"The checkpoint must hold a {ARCHITECTURE} of {len(checkpoint.classes)} classes.",
            found=str(error),
        ) from error
    return place_model(model, device)


def make_predictions(
    output: Output,
    images: ImageSet,
    classes: list[str],
    *,
    positive: str | None,
    provenance: dict[str, Any],
) -> Predictions:
    """A prediction table from a model's output; truth, id and scores come from the same row."""
    from pyside.predictions import Predictions

    probabilities = softmax(output.logits)
    for name, lost in zip(classes, count_saturated(output.logits, probabilities), strict=True):
        if lost:
            logger.warning(
                "class '%s': %d distinct scores became equal probabilities; they tie in an AUC",
                name,
                lost,
            )
    return Predictions.build(
        true_label=[classes[target] for target in output.targets],
        probabilities=probabilities,
        classes=tuple(classes),
        ids=[images.ids[index] for index in output.indices],
        positive=positive,
        threshold=None,
        provenance=provenance,
    )


def provenance(run: Run, which: str, checkpoint: Checkpoint, data: str) -> dict[str, Any]:
    """Where predictions come from, as plain JSON values."""
    return {
        "run": run.folder.name,
        "checkpoint": which,
        "epoch": checkpoint.epoch,
        "chosen_by": checkpoint.best["chosen_by"],
        "model": ARCHITECTURE,
        "image_size": checkpoint.config["image_size"],
        "seed": checkpoint.config["seed"],
        "trained_on": data_name(checkpoint.config["data"]),
        "data": data_name(data),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """The versions of the libraries that numbers depend on."""
    import PIL
    import torchvision

    return {
        "python": sys.version.split()[0],
        "torch": str(torch.__version__),
        "torchvision": str(torchvision.__version__),
        "numpy": np.__version__,
        "pillow": PIL.__version__,
    }


def is_watched() -> bool:
    """Whether a person sees the progress: in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules
