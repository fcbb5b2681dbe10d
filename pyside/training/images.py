"""From a file, or an array, to the pixels that the network sees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from pyside.errors import ImageDataError

Pixels = npt.NDArray[np.uint8]
Item = Path | Pixels

SUFFIXES = frozenset(
    (".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff")
) | {".webp"}


def is_image_name(name: str) -> bool:
    """Whether a file name ends as those of images do."""
    return Path(name).suffix.lower() in SUFFIXES


def decode(item: Item, size: int) -> Pixels:
    """Decode one image as `(3, size, size)`, RGB: scaled, and cropped at the centre to a square.

    Raises:
        ImageDataError: naming the file, if it cannot be decoded.
    """
    try:
        with _open(item) as image:
            square = ImageOps.fit(to_rgb(image), (size, size), Image.Resampling.BILINEAR)
    except Exception as error:  # decoders raise whatever they like on a damaged file
        raise ImageDataError(
            "Every image must be readable.",
            found=f"'{item if isinstance(item, Path) else 'array'}': {error or type(error)}",
            fix="remove or replace it, or allow some to be skipped (--limit-corrupt N)",
        ) from error
    return np.ascontiguousarray(np.asarray(square).transpose(2, 0, 1))


def smaller_side(item: Item) -> int:
    """The smaller side of an image in pixels, without decoding it; 0 if it cannot be opened."""
    try:
        with _open(item) as image:
            return min(image.size)
    except Exception:
        return 0


def to_rgb(image: Image.Image) -> Image.Image:
    """Turn upright by EXIF, and convert any mode to RGB.

    Sixteen bits are scaled to eight (Pillow would clip them); transparency lies on white.
    """
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):
        wide = np.clip(np.asarray(image), 0, 65535)
        image = Image.fromarray((wide // 257).astype(np.uint8))
    elif image.mode == "F":
        raise ValueError("floating point images have no fixed range")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("RGB")


def _open(item: Item) -> Image.Image:
    return Image.open(item) if isinstance(item, Path) else Image.fromarray(item)
