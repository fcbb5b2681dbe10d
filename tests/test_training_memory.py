"""Memory that runs out: the batch stays as large, and no image is lost or repeated."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from pyside.errors import TrainingError
from pyside.training.data import Batch
from pyside.training.loop import EpochProgress, Trainer
from pyside.training.memory import MicroBatches
from pyside.training.prediction import run_model

CPU = torch.device("cpu")


class SmallDevice(nn.Module):
    """A model on a device whose memory holds few images: torch's own error beyond."""

    def __init__(self, body: nn.Module, images: int) -> None:
        super().__init__()
        self.body = body
        self.images = images
        self.seen: list[int] = []

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.body(inputs)
        if len(inputs) > self.images:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.seen.append(len(inputs))
        return logits


def network(*, with_batch_norm: bool = False) -> nn.Module:
    torch.manual_seed(0)
    norm = [nn.BatchNorm2d(4)] if with_batch_norm else []
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), *norm, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)
    )


def batches(count: int = 3, size: int = 10) -> list[Batch]:
    rng = torch.Generator().manual_seed(1)
    return [
        Batch(
            torch.randint(0, 256, (size, 3, 8, 8), generator=rng, dtype=torch.uint8),
            torch.randint(0, 3, (size,), generator=rng),
            torch.arange(i * size, (i + 1) * size),
        )
        for i in range(count)
    ]


def trained(model: nn.Module) -> tuple[nn.Module, EpochProgress]:
    trainer = Trainer(model, CPU, lr=0.01, weight_decay=0.0, total=30)
    progress = EpochProgress.begin(CPU)
    trainer.run_epoch(
        batches(),  # type: ignore[arg-type]
        progress,
        total=3,
        augmentation="none",
        generator=torch.Generator(),
        title="",
        after_step=lambda: None,
    )
    return model, progress


def test_a_batch_that_does_not_fit_is_learned_in_parts(caplog: pytest.LogCaptureFixture) -> None:
    whole, expected = trained(network())
    with caplog.at_level(logging.WARNING):
        small, progress = trained(SmallDevice(network(), images=3))
    for one, other in zip(whole.parameters(), small.body.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)
    assert progress.samples == expected.samples == 30
    assert progress.loss == pytest.approx(expected.loss, abs=1e-6)
    assert progress.accuracy == expected.accuracy
    assert sum(small.seen) == 30
    assert max(small.seen) == 3
    assert "out of memory with 10 images at once: going on with 5" in caplog.text
    assert "going on with 3" in caplog.text


def test_a_failed_attempt_leaves_no_trace_in_batch_norm() -> None:
    small = SmallDevice(network(with_batch_norm=True), images=5)
    trained(small)
    # Two parts of five in each of three steps, and the attempt at ten counted nowhere.
    assert int(small.body[1].num_batches_tracked) == 6


def test_prediction_goes_on_in_parts() -> None:
    expected = run_model(network().eval(), batches(), CPU)  # type: ignore[arg-type]
    found = run_model(SmallDevice(network(), images=4), batches(), CPU)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.logits, expected.logits, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found.indices, np.arange(30))


def test_memory_for_less_than_two_images_is_an_error() -> None:
    with pytest.raises(TrainingError, match="must hold 2 images"):
        trained(SmallDevice(network(), images=1))


@given(st.integers(2, 300), st.integers(2, 300))
def test_parts_hold_every_image_once_and_none_alone(n: int, at_once: int) -> None:
    micro_batches = MicroBatches()
    micro_batches.at_once = at_once
    parts = micro_batches.parts(n)
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(n))
    assert all(part.stop - part.start >= 2 for part in parts)
