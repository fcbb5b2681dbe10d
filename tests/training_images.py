"""Small image data for the tests of training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from PIL import Image


def write_image(path: Path, seed: int = 0, *, shade: int = 128, size: int = 32) -> Path:
    """A noisy grey square around a shade."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    noise = rng.integers(-40, 41, size=(size, size, 3))
    Image.fromarray(np.clip(shade + noise, 0, 255).astype(np.uint8)).save(path)
    return path


def write_folder(
    root: Path, counts: dict[str, int], *, size: int = 32, first_seed: int = 0
) -> Path:
    """`root/<class>/<number>.png`, darker to lighter by class; a class may hold a `/`."""
    for shade, (name, count) in zip(
        np.linspace(60, 200, len(counts)).astype(int), counts.items(), strict=True
    ):
        for number in range(count):
            write_image(
                root / name / f"{number:03d}.png",
                first_seed + number,
                shade=int(shade),
                size=size,
            )
    return root


def truncate(path: Path, share: float = 0.5) -> Path:
    """Cut a file off, as an interrupted copy does."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return path


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread: for tiny work on a busy machine, threads wait more than they help."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(count)
