from __future__ import annotations

import logging
import os
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torchvision.models import resnet18
from torchvision.transforms.v2 import functional as reference

from pyside.errors import TrainingError
from pyside.training.device import resolve_device
from pyside.training.model import DEVIATION, MEAN, build_model, load_weights, normalize
from pyside.training.schedule import SampleSchedule, factor
from pyside.training.seeds import random_state, restore_random_state, seed_everything


@pytest.fixture(scope="module")
def foreign() -> dict[str, torch.Tensor]:
    """The state dict of a ResNet-18 with ImageNet's thousand classes."""
    torch.manual_seed(7)
    state: dict[str, torch.Tensor] = resnet18(weights=None).state_dict()
    return state


def test_the_last_layer_fits_the_classes() -> None:
    model = build_model(3).eval()
    assert model(torch.zeros(2, 3, 32, 32)).shape == (2, 3)


def test_pixels_are_normalized_as_torchvision_does() -> None:
    pixels = torch.arange(256, dtype=torch.uint8).repeat(3).view(1, 3, 16, 16)
    expected = reference.normalize(
        reference.to_dtype(pixels, torch.float32, scale=True), list(MEAN), list(DEVIATION)
    )
    torch.testing.assert_close(normalize(pixels), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda state: state,
        lambda state: {"state_dict": state, "epoch": 3},
        lambda state: {"model": state},
        lambda state: {f"module.{name}": value for name, value in state.items()},
        lambda state: {n: v for n, v in state.items() if not n.endswith("num_batches_tracked")},
        lambda state: OrderedDict((n, v) for n, v in state.items() if n[:3] != "fc."),
    ],
    ids=["bare", "state_dict", "model", "module", "old", "no classifier"],
)
def test_weights_are_loaded_but_for_the_classifier(
    tmp_path: Path,
    foreign: dict[str, torch.Tensor],
    wrap: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    torch.save(wrap(foreign), tmp_path / "w.pt")
    model = build_model(2)
    head = model.state_dict()["fc.weight"].clone()
    load_weights(model, tmp_path / "w.pt")
    state = model.state_dict()
    assert all(torch.equal(state[n], v) for n, v in foreign.items() if not n.startswith("fc."))
    assert torch.equal(state["fc.weight"], head)
    assert "classifier" in caplog.text


def test_the_ignored_shapes_are_said(
    tmp_path: Path, foreign: dict[str, torch.Tensor], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    torch.save(foreign, tmp_path / "w.pt")
    load_weights(build_model(2), tmp_path / "w.pt")
    assert "fc.weight (1000, 512), fc.bias (1000,)" in caplog.text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: {n: v for n, v in s.items() if n != "conv1.weight"}, "missing key 'conv1.weig"),
        (lambda s: {**s, "extra.bias": torch.zeros(1)}, r"unknown key 'extra\.bias'"),
        (lambda s: {**s, "bn1.bias": torch.zeros(3)}, r"misshapen key 'bn1\.bias'"),
        (lambda s: {"state": 3}, "state dict"),
        (lambda s: [1, 2], "holds a list"),
    ],
)
def test_weights_that_do_not_fit_are_named(
    tmp_path: Path, foreign: dict[str, torch.Tensor], change: Any, message: str
) -> None:
    torch.save(change(foreign), tmp_path / "w.pt")
    with pytest.raises(TrainingError, match=message):
        load_weights(build_model(2), tmp_path / "w.pt")


class Attack:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_weights_cannot_run_code(tmp_path: Path) -> None:
    torch.save({"state_dict": Attack()}, tmp_path / "w.pt")
    with pytest.raises(TrainingError, match="without running code"):
        load_weights(build_model(2), tmp_path / "w.pt")


@pytest.mark.parametrize("content", [None, b"", b"text"])
def test_weights_that_are_no_such_file(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "w.pt").write_bytes(content)
    with pytest.raises(TrainingError, match=r"w\.pt"):
        load_weights(build_model(2), tmp_path / "w.pt")


def test_after_the_warm_up_the_rate_is_torchs_cosine() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
    for percent in range(10, 101):
        assert factor(percent / 100) == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-12)
        optimizer.step()
        cosine.step()


def test_the_schedule_counts_samples_and_not_steps() -> None:
    def learned(batch: int) -> float:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        schedule = SampleSchedule(optimizer, 0.5, total=1000)
        area = sum(schedule.advance(batch) * batch for _ in range(1000 // batch))
        assert optimizer.param_groups[0]["lr"] < 0.01
        return area

    # the area under ramp and cosine: 0.5 * (100 / 2 + 900 / 2)
    assert learned(10) == pytest.approx(250, rel=1e-3)
    assert learned(50) == pytest.approx(250, rel=1e-2)


def test_one_batch_in_all_is_still_learned_from() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    assert SampleSchedule(optimizer, 1.0, total=8).advance(8) > 0.1


def test_random_states_come_back() -> None:
    import random

    def draw() -> tuple[float, float, float]:
        return random.random(), float(np.random.rand()), float(torch.rand(1))

    seed_everything(3)
    state = random_state()
    first = draw()
    assert draw() != first
    restore_random_state(state)
    assert draw() == first
    seed_everything(3)
    assert draw() == first


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without cuda")
def test_a_device_that_is_not_there_is_an_error() -> None:
    assert resolve_device("auto") == torch.device("cpu")
    with pytest.raises(TrainingError, match="--device cpu"):
        resolve_device("cuda")
