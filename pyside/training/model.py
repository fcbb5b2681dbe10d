"""ResNet-18, for any number of classes, from scratch or from a local file."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn
from torchvision.models import resnet18

from pyside.errors import TrainingError, list_names
from pyside.training.checkpoint import first_line

logger = logging.getLogger(__name__)

ARCHITECTURE = "resnet18"
# of ImageNet, which pretrained weights expect
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)


def build_model(classes: int) -> nn.Module:
    """A ResNet-18 with random weights, its last layer sized for the classes."""
    model: nn.Module = resnet18(weights=None, num_classes=classes)
    return model


def normalize(pixels: torch.Tensor) -> torch.Tensor:
    """Bytes `(N, 3, S, S)` to what the network takes: floats, centred and scaled by channel."""
    mean, deviation = (
        torch.tensor(values, device=pixels.device).view(3, 1, 1) * 255
        for values in (MEAN, DEVIATION)
    )
    return (pixels.float() - mean) / deviation


def load_weights(model: nn.Module, path: Path) -> None:
    """Load a ResNet-18 state dict, all but the classifier.

    Taken as they come: a bare state dict, one under `state_dict` or `model` (a checkpoint of
    pyside too), and names that start with `module.`, as DataParallel leaves them.

    Raises:
        TrainingError: if the file is no such state dict, naming the first keys that differ.
    """
    state = _read_state(path)
    classifier = [name for name in state if name.startswith("fc.")]
    logger.info(
        "weights from '%s'; ignored: the classifier (%s), which starts anew",
        path,
        ", ".join(f"{name} {tuple(state[name].shape)}" for name in classifier) or "none in it",
    )
    body = {name: value for name, value in state.items() if name not in classifier}
    expected = {name: value for name, value in model.state_dict().items() if name[:3] != "fc."}
    # counters that files from before torch 0.4.1 lack
    counters = {name: value for name, value in expected.items() if name.endswith("_tracked")}
    body = {**counters, **body}
    problems = [
        list_names(f"{what} key", names)
        for what, names in (
            ("missing", [name for name in expected if name not in body]),
            ("unknown", [name for name in body if name not in expected]),
            (
                "misshapen",
                [n for n in body if n in expected and body[n].shape != expected[n].shape],
            ),
        )
        if names
    ]
    if problems:
        raise TrainingError(
            f"The weights must be those of a {ARCHITECTURE}.",
            found=f"'{path}': {'; '.join(problems)}",
            fix="save model.state_dict() of torchvision.models.resnet18",
        )
    model.load_state_dict(body, strict=False)


def _read_state(path: Path) -> dict[str, torch.Tensor]:
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a file of another kind makes torch raise almost anything
        raise TrainingError(
            "The weights must be a file that torch can load without running code.",
            found=f"'{path}': {first_line(error)}",
            fix="save them with torch.save(model.state_dict(), path)",
        ) from error
    for name in ("state_dict", "model"):
        if isinstance(content, Mapping) and isinstance(content.get(name), Mapping):
            content = content[name]
    if not isinstance(content, Mapping) or not all(
        isinstance(name, str) and isinstance(value, torch.Tensor) for name, value in content.items()
    ):
        raise TrainingError(
            "The weights must be a state dict: tensors by name.",
            found=f"'{path}' holds a {type(content).__name__} of other things",
            fix="save them with torch.save(model.state_dict(), path)",
        )
    return {name.removeprefix("module."): value for name, value in content.items()}
