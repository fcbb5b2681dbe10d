"""The options of a training, checked in one place."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from typing import Any

from pyside.errors import TrainingError, list_names

DEVICES = ("auto", "cpu", "cuda")
AUGMENTATIONS = ("auto", "none", "flip", "flip-shift")
ON_DIVERGENCE = ("stop", "back")
# What may differ between two parts of one training: it decides how it runs, not what it gives.
FREE_TO_CHANGE = frozenset(
    ("out", "overwrite", "device", "workers", "cache_mb", "save_minutes", "max_time")
)


@dataclass(frozen=True)
class TrainConfig:
    """What to train on, and how.

    Attributes:
        data: an image folder, a zip of one, or `digits`, `cifar10:DIR`, `fake`.
        out: the run folder; `runs/<time>-<data>` if none.
        overwrite: replace a run that is in `out`.
        epochs: times that each training image is seen.
        batch_size: images per step.
        lr: the highest learning rate (AdamW; warm-up, then cosine to zero).
        weight_decay: of AdamW.
        image_size: the side of the square that the network sees, in pixels; chosen from the
            data if none, and then stated in the run's config.
        augment: `none`, `flip` (left-right), `flip-shift` (and up to an eighth of the side in
            each direction), or `auto`: `flip-shift` for photographs, `none` for digits and fake.
        weights: a file with a ResNet-18 state dict to start from; its classifier is ignored.
        device: `auto` is `cuda` where there is one.
        seed: of the split, the initial weights, the order and the augmentation.
        test_fraction: share of each class that is test images where the data is not divided.
        val_fraction: share of each class of the training images that chooses the best epoch.
        workers: processes that decode images that do not fit into memory; chosen if none.
        cache_mb: decoded images are kept in memory up to this size, in MiB.
        classes: the class order; the sorted names if none.
        positive: the positive class of the exported predictions.
        limit_corrupt: unreadable images that are skipped and named before it is an error.
        save_minutes: how long to train between two saves; each epoch is saved besides.
        max_time: how long the training may take, such as `11h30m`: it stops before, saved.
        on_divergence: where the loss is no number any more: `stop`, or go `back` to the last
            good state with half the learning rate, three times at most.
    """

    data: str
    out: str | None = None
    overwrite: bool = False
    epochs: int = 12
    batch_size: int = 64
    lr: float = 1e-3
    weight_decay: float = 0.05
    image_size: int | None = None
    augment: str = "auto"
    weights: str | None = None
    device: str = "auto"
    seed: int = 0
    test_fraction: float = 0.2
    val_fraction: float = 0.1
    workers: int | None = None
    cache_mb: int = 2048
    classes: tuple[str, ...] | None = None
    positive: str | None = None
    limit_corrupt: int = 0
    save_minutes: float = 5.0
    max_time: str | None = None
    on_divergence: str = "stop"

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            TrainingError: naming the first option that cannot be used.
        """
        _check_text("data", self.data)
        for name in ("out", "weights", "positive", "max_time"):
            if getattr(self, name) is not None:
                _check_text(name, getattr(self, name))
        _check_int("epochs", self.epochs, 1)
        _check_int("batch_size", self.batch_size, 2, "BatchNorm cannot train on one image")
        _check_int("seed", self.seed, 0, most=2**32 - 1)
        _check_int("cache_mb", self.cache_mb, 0)
        _check_int("limit_corrupt", self.limit_corrupt, 0)
        if self.image_size is not None:
            _check_int("image_size", self.image_size, 8, most=4096)
        if self.workers is not None:
            _check_int("workers", self.workers, 0)
        _check_number("lr", self.lr, above=0)
        _check_number("save_minutes", self.save_minutes, above=0)
        if self.max_time is not None:
            seconds_of(self.max_time)
        _check_number("weight_decay", self.weight_decay, least=0)
        _check_number("test_fraction", self.test_fraction, above=0, below=1)
        _check_number("val_fraction", self.val_fraction, least=0, below=1)
        _check_choice("device", self.device, DEVICES)
        _check_choice("augment", self.augment, AUGMENTATIONS)
        _check_choice("on_divergence", self.on_divergence, ON_DIVERGENCE)
        if self.classes is not None:
            object.__setattr__(self, "classes", _checked_classes(self.classes))

    def to_json(self) -> dict[str, Any]:
        """The options as plain JSON values."""
        values = asdict(self)
        values["classes"] = None if self.classes is None else list(self.classes)
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> TrainConfig:
        """The options from what `to_json` gave.

        Raises:
            TrainingError: on an unknown name, with the nearest known one, or a bad value.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                close = get_close_matches(name, known, n=1)
                raise TrainingError(
                    "Every option must be a known one.",
                    found=f"'{name}'",
                    fix=f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known)}",
                )
        if "data" not in values:
            raise TrainingError("The option 'data' must be given.", found="none")
        return cls(**values)


def seconds_of(duration: str) -> float:
    """Seconds from a duration such as `11h30m`, `90m`, `45s` or `1h`.

    Raises:
        TrainingError: if it is none.
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)([hms])", duration)
    seconds = sum(float(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)
    if "".join(map("".join, parts)) != duration or seconds <= 0:
        raise TrainingError(
            "A duration must be one such as 11h30m, 90m or 45s.", found=repr(duration)
        )
    return seconds


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise TrainingError(f"{name} must be a text that is not empty.", found=repr(value))


def _check_int(
    name: str, value: object, least: int, why: str | None = None, *, most: int | None = None
) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise TrainingError(f"{name} must be a whole number {limits}.", found=repr(value), fix=why)


def _check_number(
    name: str,
    value: object,
    *,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> None:
    limits = [
        f"{word} {limit:g}"
        for word, limit in (("at least", least), ("above", above), ("below", below))
        if limit is not None
    ]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if (
        not number
        or not math.isfinite(value)  # type: ignore[arg-type]
        or (least is not None and value < least)  # type: ignore[operator]
        or (above is not None and value <= above)  # type: ignore[operator]
        or (below is not None and value >= below)  # type: ignore[operator]
    ):
        raise TrainingError(f"{name} must be a number {' and '.join(limits)}.", found=repr(value))


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise TrainingError(f"{name} must be one of {', '.join(choices)}.", found=repr(value))


def _checked_classes(classes: object) -> tuple[str, ...]:
    names = tuple(classes) if isinstance(classes, list | tuple) else ()
    if len(names) < 2 or not all(isinstance(name, str) and name for name in names):
        raise TrainingError("classes must be at least two names.", found=repr(classes))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TrainingError("classes must differ.", found=f"twice: {list_names('class', twice)}")
    return names
