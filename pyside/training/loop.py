"""One epoch of training."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm

from pyside.errors import TrainingError
from pyside.training.data import Batch, augment
from pyside.training.device import autocast_dtype, place_pixels
from pyside.training.memory import MicroBatches
from pyside.training.model import normalize
from pyside.training.schedule import SampleSchedule

LOOK_EVERY = 10


class DivergedError(TrainingError):
    """The loss, or a gradient, is no finite number any more."""


@dataclass
class EpochProgress:
    """How far an epoch is, and what it has come to so far.

    Attributes:
        sums: of the loss and of the images classified rightly, `(2,)`, on the device.
        batches: how many of its batches have been learned.
        samples: how many images those had.
        seconds: how long they took.
        lr: the learning rate of the last one.
    """

    sums: torch.Tensor
    batches: int = 0
    samples: int = 0
    seconds: float = 0.0
    lr: float = 0.0

    @classmethod
    def begin(cls, device: torch.device) -> EpochProgress:
        """Nothing has been learned yet."""
        return cls(torch.zeros(2, dtype=torch.float64, device=device))

    @classmethod
    def from_json(cls, values: Mapping[str, Any], device: torch.device) -> EpochProgress:
        """What `to_json` gave."""
        sums = torch.tensor(values["sums"], dtype=torch.float64, device=device)
        return cls(**{**values, "sums": sums})

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "sums": self.sums.tolist()}

    @property
    def loss(self) -> float:
        """The mean loss so far, while it learned; reading it waits for the device."""
        return float(self.sums[0]) / max(self.samples, 1)

    @property
    def accuracy(self) -> float:
        """The share classified rightly so far, while it learned."""
        return float(self.sums[1]) / max(self.samples, 1)


class Trainer:
    """A model and what changes it.

    Attributes:
        model: on the device already.
        device: where it computes.
        optimizer: AdamW.
        schedule: the learning rate by samples seen.
        scaler: of the gradients, where half precision needs it; off elsewhere.
        micro_batches: the parts in which a batch is learned, where memory is short.
        is_whole: whether the state is that after a whole step, and none in the midst of one.
    """

    def __init__(
        self, model: nn.Module, device: torch.device, *, lr: float, weight_decay: float, total: int
    ) -> None:
        self.model = model
        self.device = device
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=weight_decay)
        self.schedule = SampleSchedule(self.optimizer, lr, total)
        self._dtype = autocast_dtype(device)
        self.scaler = torch.amp.GradScaler(device.type, enabled=self._dtype == torch.float16)
        self.is_whole = True
        self.micro_batches = MicroBatches()

    def run_epoch(
        self,
        loader: DataLoader[Batch],
        progress: EpochProgress,
        *,
        total: int,
        augmentation: str,
        generator: torch.Generator,
        title: str,
        after_step: Callable[[], None],
        show: bool = False,
    ) -> None:
        """Train on what is left of an epoch, and keep its progress.

        Args:
            loader: the batches of the epoch that have not been learned.
            progress: how far the epoch is.
            total: how many batches the epoch has.
            augmentation: see `TrainConfig.augment`.
            generator: of the augmentation's random numbers.
            title: of the bar.
            after_step: called after each step; what it raises ends the epoch.
            show: whether to show a bar.

        Raises:
            DivergedError: if the loss is not a finite number.
        """
        self.model.train()
        last = time.perf_counter()
        bar = tqdm(loader, title, total, leave=False, disable=not show, initial=progress.batches)
        for batch in bar:
            pixels = augment(place_pixels(batch.pixels, self.device), augmentation, generator)
            targets = batch.targets.to(self.device, non_blocking=self.device.type == "cuda")
            self.is_whole = False
            progress.lr = self.schedule.advance(len(targets))
            loss, logits = self._step(pixels, targets)
            progress.sums[0] += loss * len(targets)
            progress.sums[1] += (logits.argmax(1) == targets).sum()
            progress.batches += 1
            progress.samples += len(targets)
            now = time.perf_counter()
            progress.seconds, last = progress.seconds + now - last, now
            self.is_whole = True
            # Reading a number waits for the device, so it is not done at every step.
            if progress.batches % LOOK_EVERY == 0 or progress.batches == total:
                self.check_finite(progress)
                bar.set_postfix(loss=f"{progress.loss:.4f}", accuracy=f"{progress.accuracy:.4f}")
            after_step()

    def check_finite(self, progress: EpochProgress) -> None:
        """See that the training has not diverged.

        Raises:
            DivergedError: if the loss is not a finite number.
        """
        if not math.isfinite(progress.loss):
            raise DivergedError(
                "The loss must be a finite number.",
                found=f"{progress.loss} after {self.schedule.seen} samples, "
                f"at learning rate {progress.lr:.3g}",
                fix="train again with a lower --lr, or with --on-divergence back",
            )

    def _step(
        self, pixels: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Learn a batch; returns its mean loss and its logits."""
        before = [buffer.clone() for buffer in self.model.buffers()]

        def learn(parts: list[slice]) -> tuple[torch.Tensor, torch.Tensor]:
            # An attempt that ran out of memory has moved the means that BatchNorm keeps.
            for buffer, value in zip(self.model.buffers(), before, strict=True):
                buffer.copy_(value)
            self.optimizer.zero_grad(set_to_none=True)
            found = [self._learn_part(pixels[part], targets[part], len(targets)) for part in parts]
            losses, logits = zip(*found, strict=True)
            return torch.stack(losses).sum(), torch.cat(logits)

        found = self.micro_batches.run(len(targets), learn)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return found

    def _learn_part(
        self, pixels: torch.Tensor, targets: torch.Tensor, whole: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add the gradient of a part of a batch of `whole` images."""
        inputs = normalize(pixels)
        if self.device.type == "cuda":
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, self._dtype, enabled=self._dtype is not None):
            logits = self.model(inputs)
            loss = nn.functional.cross_entropy(logits, targets)
        if len(targets) < whole:
            loss = loss * (len(targets) / whole)
        torch.autograd.backward(self.scaler.scale(loss))
        return loss.detach(), logits.detach()
