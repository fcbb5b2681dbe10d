"""One epoch of training."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm

from pyside.errors import TrainingError
from pyside.training.data import Batch, augment
from pyside.training.device import autocast_dtype, place_pixels
from pyside.training.model import normalize
from pyside.training.schedule import SampleSchedule

LOOK_EVERY = 10


@dataclass(frozen=True)
class EpochResult:
    """What an epoch of training came to; loss and accuracy are means over it, while it learns."""

    samples: int
    loss: float
    accuracy: float
    lr: float
    seconds: float


class Trainer:
    """A model and what changes it.

    Attributes:
        model: on the device already.
        device: where it computes.
        optimizer: AdamW.
        schedule: the learning rate by samples seen.
        scaler: of the gradients, where half precision needs it; off elsewhere.
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

    def run_epoch(
        self,
        loader: DataLoader[Batch],
        *,
        augmentation: str,
        generator: torch.Generator,
        title: str,
        progress: bool = False,
    ) -> EpochResult:
        """Train on every batch of the loader once.

        Raises:
            TrainingError: if the loss is not a finite number.
        """
        start = time.perf_counter()
        self.model.train()
        loss_sum, right = torch.zeros(2, dtype=torch.float64, device=self.device)
        samples, rate = 0, 0.0
        bar = tqdm(loader, title, leave=False, disable=not progress)
        for step, batch in enumerate(bar, 1):
            samples += len(batch.targets)
            rate = self.schedule.advance(len(batch.targets))
            pixels = augment(place_pixels(batch.pixels, self.device), augmentation, generator)
            targets = batch.targets.to(self.device, non_blocking=self.device.type == "cuda")
            loss, logits = self._step(normalize(pixels), targets)
            loss_sum += loss.detach() * len(targets)
            right += (logits.detach().argmax(1) == targets).sum()
            # reading a number waits for the device, so it is not done at every step
            if step % LOOK_EVERY == 0 or step == len(loader):
                mean = float(loss_sum) / samples
                self._check_finite(mean, rate)
                bar.set_postfix(loss=f"{mean:.4f}", accuracy=f"{float(right) / samples:.4f}")
        return EpochResult(
            samples=samples,
            loss=float(loss_sum) / samples,
            accuracy=float(right) / samples,
            lr=rate,
            seconds=time.perf_counter() - start,
        )

    def _step(
        self, inputs: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if self.device.type == "cuda":
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, self._dtype, enabled=self._dtype is not None):
            logits = self.model(inputs)
            loss = nn.functional.cross_entropy(logits, targets)
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(self.scaler.scale(loss))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss, logits

    def _check_finite(self, loss: float, rate: float) -> None:
        if not math.isfinite(loss):
            raise TrainingError(
                "The loss must be a finite number.",
                found=f"{loss} after {self.schedule.seen} samples, at learning rate {rate:.3g}",
                fix="train again with a lower --lr",
            )
