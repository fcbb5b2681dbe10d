"""Where to compute, and in which precision."""

from __future__ import annotations

import torch

from pyside.errors import TrainingError


def resolve_device(name: str) -> torch.device:
    """The device for `auto`, `cpu` or `cuda`; `auto` is cuda where there is one.

    Raises:
        TrainingError: if cuda is asked for and not there.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        built = "is built for" if torch.version.cuda else "is built without"
        raise TrainingError(
            "The device 'cuda' must be there to be used.",
            found=f"no CUDA device; torch {torch.__version__} {built} CUDA",
            fix="use --device cpu or auto, or check the driver with nvidia-smi",
        )
    return torch.device("cuda" if name in ("auto", "cuda") and available else "cpu")


def autocast_dtype(device: torch.device) -> torch.dtype | None:
    """The half precision to train in: bfloat16, else float16, on cuda; none elsewhere."""
    if device.type != "cuda":
        return None
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def place_model(model: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """Move a model to the device, in the memory layout that is fast there."""
    if device.type == "cuda":
        model = model.to(memory_format=torch.channels_last)
    return model.to(device)


def place_pixels(pixels: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Move bytes to the device, without waiting where the memory is pinned."""
    return pixels.to(device, non_blocking=device.type == "cuda")
