from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from training_images import truncate, write_image

from pyside.errors import ImageDataError
from pyside.training.images import decode, smaller_side, to_rgb


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (Image.new("L", (2, 2), 77), (77, 77, 77)),
        (Image.new("1", (2, 2), 1), (255, 255, 255)),
        (Image.new("RGB", (2, 2), (1, 2, 3)), (1, 2, 3)),
        (Image.new("LA", (2, 2), (10, 255)), (10, 10, 10)),
        (Image.new("RGBA", (2, 2), (1, 2, 3, 255)), (1, 2, 3)),
        (Image.new("RGBA", (2, 2), (1, 2, 3, 0)), (255, 255, 255)),  # clear: the white below
        (Image.new("CMYK", (2, 2), (0, 0, 0, 255)), (0, 0, 0)),
        (Image.new("CMYK", (2, 2), (255, 0, 0, 0)), (0, 255, 255)),
        # 16 bits to 8: 65535 / 257 = 255 exactly
        (Image.fromarray(np.full((2, 2), 65535, np.uint16)), (255, 255, 255)),
        (Image.fromarray(np.full((2, 2), 128 * 257, np.uint16)), (128, 128, 128)),
        (Image.fromarray(np.full((2, 2), 128 * 257, np.int32)), (128, 128, 128)),
    ],
    ids=lambda value: getattr(value, "mode", None),
)
def test_every_mode_becomes_rgb(image: Image.Image, expected: tuple[int, int, int]) -> None:
    rgb = to_rgb(image)
    assert rgb.mode == "RGB"
    assert rgb.getpixel((0, 0)) == expected


def test_a_palette_with_transparency_is_laid_on_white(tmp_path: Path) -> None:
    image = Image.new("P", (2, 2), 0)
    image.putpalette([9, 9, 9, 200, 0, 0])
    image.putpixel((1, 0), 1)
    image.save(tmp_path / "a.png", transparency=b"\x00\xff")
    pixels = decode(tmp_path / "a.png", 2)
    assert pixels[:, 0, 0].tolist() == [255, 255, 255]
    assert pixels[:, 0, 1].tolist() == [200, 0, 0]


def test_a_sixteen_bit_file_is_scaled_and_not_clipped(tmp_path: Path) -> None:
    ramp = np.arange(0, 65536, 4112, dtype=np.uint16).reshape(4, 4)
    Image.fromarray(ramp).save(tmp_path / "ramp.png")
    assert decode(tmp_path / "ramp.png", 4)[0].tolist() == (ramp // 257).tolist()


@pytest.mark.parametrize(
    ("orientation", "turn"),
    [  # the EXIF standard: how the stored rows must be turned to stand upright
        (1, lambda a: a),
        (2, np.fliplr),
        (3, lambda a: np.rot90(a, 2)),
        (6, lambda a: np.rot90(a, -1)),
        (8, np.rot90),
    ],
)
def test_exif_orientation_is_honoured(tmp_path: Path, orientation: int, turn: object) -> None:
    assert callable(turn)
    stored = np.arange(16, dtype=np.uint8).reshape(4, 4) * 10
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(stored).save(tmp_path / "turned.png", exif=exif)
    assert decode(tmp_path / "turned.png", 4)[0].tolist() == turn(stored).tolist()


def test_the_centre_is_cropped_and_scaled(tmp_path: Path) -> None:
    wide = np.zeros((4, 12, 3), np.uint8)
    wide[:, 3:9] = 200  # a pixel more on both sides, which the scaling looks at
    Image.fromarray(wide).save(tmp_path / "wide.png")
    pixels = decode(tmp_path / "wide.png", 8)
    assert pixels.shape == (3, 8, 8)
    assert (pixels == 200).all()
    assert smaller_side(tmp_path / "wide.png") == 4


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".gif", ".tiff", ".webp"])
def test_a_truncated_file_is_an_error_that_names_it(tmp_path: Path, suffix: str) -> None:
    path = truncate(write_image(tmp_path / f"cut{suffix}", size=64))
    with pytest.raises(ImageDataError, match="cut"):
        decode(path, 32)


def test_a_file_of_another_kind_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "text.png"
    path.write_text("no image")
    with pytest.raises(ImageDataError, match=r"text\.png"):
        decode(path, 32)
    assert smaller_side(path) == 0
