"""The learning rate, as a function of the samples seen."""

from __future__ import annotations

import math

import torch

WARM_UP = 0.1


class SampleSchedule:
    """Linear warm-up over the first tenth of all samples, then cosine to zero.

    Counted in samples and not in steps, so that it means the same at any batch size.

    Attributes:
        seen: samples that the optimizer has been told of.
        scale: by what every learning rate is multiplied.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, peak: float, total: int) -> None:
        self.seen = 0
        self._optimizer = optimizer
        self._peak = peak
        self.scale = 1.0
        self._total = total

    def advance(self, samples: int) -> float:
        """Set the learning rate for a step over this many samples, and return it."""
        middle = (self.seen + samples / 2) / self._total
        self.seen += samples
        rate = self._peak * self.scale * factor(middle)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        return rate

    def state_dict(self) -> dict[str, float]:
        """What a checkpoint needs."""
        return {"seen": self.seen, "scale": self.scale}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Go on from a checkpoint."""
        self.seen, self.scale = int(state["seen"]), state["scale"]


def factor(progress: float) -> float:
    """The share of the peak at this share of all samples."""
    if progress < WARM_UP:
        return progress / WARM_UP
    return (1 + math.cos(math.pi * min(1.0, (progress - WARM_UP) / (1 - WARM_UP)))) / 2
