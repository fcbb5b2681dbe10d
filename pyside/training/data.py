"""Decoded images, their division into parts, and the batches made of them."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader, Dataset, Sampler
from tqdm import tqdm

from pyside.errors import ImageDataError, list_names
from pyside.training.images import Item, Pixels, decode, smaller_side
from pyside.training.sources import ImageSet

logger = logging.getLogger(__name__)

Indices = npt.NDArray[np.int64]

SIZES_SAMPLED = 500
PREFETCH = 2


class Batch(NamedTuple):
    """What belongs together: `pixels` `(N, 3, S, S)` in bytes, `targets` and `indices` `(N,)`."""

    pixels: torch.Tensor
    targets: torch.Tensor
    indices: torch.Tensor


@dataclass(frozen=True)
class Split:
    """The positions of the images of each part."""

    train: Indices
    val: Indices
    test: Indices


class DecodedImages(NamedTuple):
    """Images that can be read.

    Attributes:
        images: the readable ones.
        pixels: theirs, `(N, 3, S, S)` in bytes, if they fit into memory.
        digest: of their names, classes, parts and pixels: equal for equal data.
    """

    images: ImageSet
    pixels: torch.Tensor | None
    digest: str


def choose_image_size(images: ImageSet) -> int:
    """The size to train at: the median smaller side, in steps of 32, from 32 to 224."""
    step = max(1, len(images) // SIZES_SAMPLED)
    sides = [side for item in images.items[::step] if (side := smaller_side(item))]
    median = float(np.median(sides)) if sides else 224.0
    return int(np.clip(round(median / 32) * 32, 32, 224))


def read_pixels(
    images: ImageSet,
    size: int,
    *,
    limit_corrupt: int = 0,
    cache_bytes: int = 2 * 2**30,
    progress: bool = False,
) -> DecodedImages:
    """Decode every image once, so that a bad one is found now and not hours later.

    Args:
        images: the images.
        size: the side in pixels to decode them to.
        limit_corrupt: images that may be unreadable; they are left out, and logged by name.
        cache_bytes: what the decoded images may take in memory.
        progress: show a bar.

    Raises:
        ImageDataError: naming the first unreadable images, if they are more than the limit.
    """
    fits = len(images) * 3 * size**2 <= cache_bytes
    pixels = torch.empty((len(images), 3, size, size) if fits else (0,), dtype=torch.uint8)
    bad: dict[int, ImageDataError] = {}
    digest = hashlib.sha256()
    with ThreadPoolExecutor(_cores()) as pool:
        results = pool.map(partial(_try_decode, size=size), images.items)
        bar = tqdm(results, "reading images", len(images), leave=False, disable=not progress)
        for index, result in enumerate(bar):
            if isinstance(result, ImageDataError):
                bad[index] = result
                logger.warning("unreadable image '%s': %s", images.ids[index], result.__cause__)
                if len(bad) > limit_corrupt:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise _too_many_corrupt(images, bad, limit_corrupt)
                continue
            name = f"{images.ids[index]}\0{images.labels[index]}\0{images.parts[index]}\0"
            digest.update(name.encode() + zlib.crc32(result.data).to_bytes(4))
            if fits:
                pixels[index] = torch.from_numpy(result)
    if bad:
        good = [index for index in range(len(images)) if index not in bad]
        logger.warning("%d unreadable of %d images skipped", len(bad), len(images))
        images, pixels = images.take(good), pixels[good] if fits else pixels
    return DecodedImages(images, pixels if fits else None, digest.hexdigest())


def divide(
    images: ImageSet,
    classes: Sequence[str],
    *,
    test_fraction: float,
    val_fraction: float,
    seed: int,
) -> Split:
    """Divide images into parts, by class and by seed, where their source has not done so.

    Validation images are taken out of the training images, never out of the test images. A class
    too small to give any keeps all of its images for training, and is named in the log.

    Raises:
        ImageDataError: if a class has no image for training, or cannot be split in two.
    """
    parts = np.array(images.parts)
    labels = np.array(images.labels)
    rng = np.random.default_rng(seed)
    test = np.flatnonzero(parts == "test")
    rest = np.flatnonzero((parts != "test") & (parts != "val"))
    if not images.divided:
        rest, test = _split_for_test(rest, labels, test_fraction, rng)
    val = np.flatnonzero(parts == "val")
    train = rest
    if not len(val) and val_fraction:
        train, val, small = _split(rest, labels, val_fraction, rng, least=0)
        if small:
            logger.warning(
                "%s too small to hold out %g of: all images stay in training",
                list_names("class", small),
                val_fraction,
            )
    if not len(test):
        raise ImageDataError("There must be readable images for testing.", found="none")
    missing = sorted(set(classes) - set(labels[train]))
    if missing:
        raise ImageDataError(
            "Every class must have readable images for training.",
            found=f"none of {list_names('class', missing)}",
            fix="add some, or leave the class out",
        )
    return Split(train, val, test)


def _split_for_test(
    indices: Indices, labels: npt.NDArray[np.str_], fraction: float, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    kept, test, small = _split(indices, labels, fraction, rng, least=1)
    if small:
        raise ImageDataError(
            "Every class must have at least 2 images to be split into training and test images.",
            found=f"1 image of {list_names('class', small)}",
            fix="add images, or divide the data yourself into train/ and test/",
        )
    return kept, test


def _split(
    indices: Indices,
    labels: npt.NDArray[np.str_],
    fraction: float,
    rng: np.random.Generator,
    *,
    least: int,
) -> tuple[Indices, Indices, list[str]]:
    """Take a share of each class out; also name the classes that gave nothing."""
    taken, small = [], []
    for label in np.unique(labels[indices]):
        members = rng.permutation(indices[labels[indices] == label])
        count = min(max(round(len(members) * fraction), least), len(members) - 1)
        taken.append(members[:count])
        if not count:
            small.append(str(label))
    out = np.sort(np.concatenate([indices[:0], *taken]))
    return np.setdiff1d(indices, out), out, small


class PixelDataset(Dataset[Batch]):
    """Images at some positions, served in batches: from memory, or decoded when asked for."""

    def __init__(
        self, images: ImageSet, pixels: torch.Tensor | None, size: int, classes: Sequence[str]
    ) -> None:
        number = {label: index for index, label in enumerate(classes)}
        self.targets = torch.tensor([number[label] for label in images.labels])
        self._items: tuple[Item, ...] = images.items if pixels is None else ()
        self._pixels = pixels
        self._size = size

    @property
    def in_memory(self) -> bool:
        """Whether the images are decoded already."""
        return self._pixels is not None

    @property
    def image_bytes(self) -> int:
        """The bytes of one decoded image."""
        return 3 * self._size**2

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, index: int) -> Batch:
        return self.__getitems__([index])

    def __getitems__(self, indices: list[int]) -> Batch:
        """What a DataLoader calls for a whole batch."""
        where = torch.tensor(indices)
        if self._pixels is not None:
            pixels = self._pixels[where]
        else:
            decoded = [decode(self._items[index], self._size) for index in indices]
            pixels = torch.from_numpy(np.stack(decoded))
        return Batch(pixels, self.targets[where], where)


class EpochBatches(Sampler[list[int]]):
    """The batches of an epoch: all indices once, in an order given by seed and epoch alone.

    A last batch of one image would break BatchNorm, so it joins the batch before.

    Attributes:
        epoch: the epoch that the next iteration is for.
        skip: how many of its batches are left out, as they have been learned already.
    """

    def __init__(self, indices: Indices, size: int, *, seed: int) -> None:
        self.epoch = 1
        self.skip = 0
        self._indices = indices
        self._size = size
        self._seed = seed

    @property
    def largest(self) -> int:
        """The most images that a batch can have."""
        return self._size + 1

    def __len__(self) -> int:
        return len(self._starts()) - 1

    def __iter__(self) -> Iterator[list[int]]:
        order = np.random.default_rng([self._seed, self.epoch]).permutation(self._indices)
        for start, stop in list(pairwise(self._starts()))[self.skip :]:
            yield order[start:stop].tolist()

    def _starts(self) -> list[int]:
        count = len(self._indices)
        starts = [*range(0, count, self._size), count]
        if count % self._size == 1 and len(starts) > 2:
            del starts[-2]
        return starts


def train_loader(
    dataset: PixelDataset, batches: EpochBatches, *, workers: int | None, device: torch.device
) -> DataLoader[Batch]:
    """Batches in the order of the sampler."""
    return _loader(dataset, batches, batches.largest, workers, device)


def eval_loader(
    dataset: PixelDataset,
    indices: Indices,
    batch_size: int,
    *,
    workers: int | None,
    device: torch.device,
) -> DataLoader[Batch]:
    """Batches of the images at these positions, in this order."""
    batches = [
        indices[start : start + batch_size].tolist() for start in range(0, len(indices), batch_size)
    ]
    return _loader(dataset, batches, batch_size, workers, device)


def _loader(
    dataset: PixelDataset,
    batches: Sampler[list[int]] | list[list[int]],
    largest: int,
    workers: int | None,
    device: torch.device,
) -> DataLoader[Batch]:
    count = 0 if dataset.in_memory else min(4, _cores()) if workers is None else workers
    if count:
        count = _fit_shared_memory(count, largest * dataset.image_bytes)
    return DataLoader(
        dataset,
        batch_sampler=batches,
        collate_fn=_as_it_is,
        num_workers=count,
        persistent_workers=count > 0,
        prefetch_factor=PREFETCH if count else None,
        pin_memory=device.type == "cuda",
        # fork would copy the threads' locks, and those of an R that runs in this process
        multiprocessing_context="forkserver" if count else None,
    )


def _fit_shared_memory(workers: int, batch_bytes: int) -> int:
    """No workers where their batches would not fit into shared memory: a bus error else."""
    shared = Path("/dev/shm")
    needed = workers * (PREFETCH + 1) * batch_bytes
    if shared.is_dir() and shutil.disk_usage(shared).free < needed:
        logger.warning("/dev/shm has no room for %d bytes: decoding without workers", needed)
        return 0
    return workers


def augment(pixels: torch.Tensor, kind: str, generator: torch.Generator) -> torch.Tensor:
    """Flip half of the images left to right; with `flip-shift`, move them by up to an eighth.

    What moves in at the border is mirrored from inside. The random numbers are drawn on the CPU,
    so that they are the same on every device.
    """
    if kind == "none":
        return pixels
    count, _, _, size = pixels.shape
    reach = size // 8 if kind == "flip-shift" else 0
    moves = torch.randint(-reach, reach + 1, (2, count, 1), generator=generator)
    flips = torch.rand((count, 1), generator=generator) < 0.5
    rows, columns = (_mirrored(torch.arange(size) + move, size) for move in moves)
    columns = torch.where(flips, size - 1 - columns, columns)
    images = torch.arange(count)[:, None, None]
    where = (images, rows[:, :, None], columns[:, None, :])
    images, rows, columns = (index.to(pixels.device, non_blocking=True) for index in where)
    return pixels.permute(0, 2, 3, 1)[images, rows, columns].permute(0, 3, 1, 2)


def _mirrored(positions: torch.Tensor, size: int) -> torch.Tensor:
    return size - 1 - (size - 1 - positions.abs()).abs()


def _try_decode(item: Item, size: int) -> Pixels | ImageDataError:
    try:
        return decode(item, size)
    except ImageDataError as error:
        return error


def _too_many_corrupt(
    images: ImageSet, bad: dict[int, ImageDataError], limit: int
) -> ImageDataError:
    names = list_names("image", [images.ids[index] for index in bad])
    last = list(bad.values())[-1]
    return ImageDataError(
        f"At most {limit} images may be unreadable." if limit else "Every image must be readable.",
        found=f"{names}: {last.__cause__}",
        fix="remove or replace them, or allow more to be skipped (--limit-corrupt N)",
    )


def _as_it_is(batch: Any) -> Any:
    return batch


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
