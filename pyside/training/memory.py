"""Batches that do not fit the device at once are taken in parts."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

import torch

from pyside.errors import TrainingError
from pyside.training.checkpoint import first_line

logger = logging.getLogger(__name__)

T = TypeVar("T")
LEAST = 2
"""BatchNorm cannot train on one image."""


class MicroBatches:
    """How many images the device takes at once: half as many each time that memory runs out.

    Attributes:
        at_once: how many it takes; all of a batch if none.
    """

    def __init__(self) -> None:
        self.at_once: int | None = None

    def run(self, n: int, work: Callable[[list[slice]], T]) -> T:
        """What `work` gives on the parts of a batch of `n`; again with smaller ones if it must.

        Args:
            n: how many images the batch has.
            work: must begin anew each time: what an earlier attempt left half done is void.

        Raises:
            TrainingError: if not even two images fit.
        """
        while True:
            try:
                return work(self.parts(n))
            except torch.OutOfMemoryError as error:
                found = first_line(error)
            # Beyond the `except` nothing holds on to the tensors of the attempt.
            self._halve(n, found)

    def parts(self, n: int) -> list[slice]:
        """Parts of nearly equal size, none of a single image where there are more."""
        count = 1 if self.at_once is None else math.ceil(n / self.at_once)
        count = min(count, max(n // LEAST, 1))
        edges = [round(i * n / count) for i in range(count + 1)]
        return [slice(start, stop) for start, stop in pairwise(edges)]

    def _halve(self, n: int, found: str) -> None:
        now = n if self.at_once is None else min(self.at_once, n)
        if now <= LEAST:
            raise TrainingError(
                f"The memory of the device must hold {LEAST} images.",
                found=found,
                fix="train at a smaller --image-size, or free the device",
            )
        self.at_once = max(math.ceil(now / 2), LEAST)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        logger.warning(
            "out of memory with %d images at once: going on with %d, each batch as large as before",
            now,
            self.at_once,
        )
