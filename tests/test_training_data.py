from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from training_images import truncate, write_folder, write_image

from pyside.errors import ImageDataError
from pyside.training.data import (
    EpochBatches,
    PixelDataset,
    augment,
    choose_image_size,
    divide,
    eval_loader,
    read_pixels,
    train_loader,
)
from pyside.training.sources import ImageSet, open_images

CPU = torch.device("cpu")


def image_set(labels: list[str], parts: list[str] | None = None) -> ImageSet:
    """Images of nothing: only labels and parts matter."""
    return ImageSet(
        "made",
        items=(np.zeros((8, 8), np.uint8),) * len(labels),
        ids=tuple(str(index) for index in range(len(labels))),
        labels=tuple(labels),
        parts=tuple(parts or [""] * len(labels)),
    )


def found(data: Path | str) -> ImageSet:
    with open_images(str(data)) as images:
        return images


@given(
    counts=st.lists(st.integers(2, 40), min_size=2, max_size=5),
    test=st.floats(0.05, 0.9),
    val=st.floats(0, 0.9),
    seed=st.integers(0, 99),
)
def test_a_division_is_complete_disjoint_and_stratified(
    counts: list[int], test: float, val: float, seed: int
) -> None:
    labels = [f"c{index}" for index, count in enumerate(counts) for _ in range(count)]
    images = image_set(labels)
    split = divide(
        images, sorted(set(images.labels)), test_fraction=test, val_fraction=val, seed=seed
    )
    together = np.concatenate([split.train, split.val, split.test])
    assert sorted(together) == list(range(len(labels)))
    for index, count in enumerate(counts):
        in_test = sum(labels[i] == f"c{index}" for i in split.test)
        assert in_test == min(max(round(count * test), 1), count - 1)
        assert sum(labels[i] == f"c{index}" for i in split.train) >= 1


def test_a_division_depends_on_the_seed_alone() -> None:
    images = image_set(["a", "b"] * 50)

    def test_part(seed: int, val: float) -> list[int]:
        return divide(
            images, sorted(set(images.labels)), test_fraction=0.2, val_fraction=val, seed=seed
        ).test.tolist()

    assert test_part(0, 0.1) == test_part(0, 0.1)
    assert test_part(0, 0.1) == test_part(0, 0.5)  # the test images do not follow the others
    assert test_part(0, 0.1) != test_part(1, 0.1)


def test_validation_is_taken_from_the_training_images_only() -> None:
    parts = ["train"] * 40 + ["test"] * 10
    split = divide(
        image_set(["a", "b"] * 25, parts), ["a", "b"], test_fraction=0.5, val_fraction=0.1, seed=0
    )
    assert split.test.tolist() == list(range(40, 50))
    assert len(split.val) == 4
    assert split.val.max() < 40


def test_a_validation_folder_is_used_as_it_is() -> None:
    parts = ["train"] * 6 + ["val"] * 2 + ["test"] * 2
    split = divide(
        image_set(["a", "b"] * 5, parts), ["a", "b"], test_fraction=0.5, val_fraction=0.5, seed=0
    )
    assert [part.tolist() for part in (split.train, split.val, split.test)] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7],
        [8, 9],
    ]


def test_a_class_too_small_to_validate_is_named(caplog: pytest.LogCaptureFixture) -> None:
    parts = ["train"] * 23 + ["test"]
    images = image_set(["big"] * 20 + ["tiny"] * 3 + ["big"], parts)
    split = divide(images, sorted(set(images.labels)), test_fraction=0.5, val_fraction=0.1, seed=0)
    assert Counter(images.labels[i] for i in split.val) == {"big": 2}
    assert "class 'tiny' too small" in caplog.text


def test_a_class_that_cannot_be_split_is_named() -> None:
    with pytest.raises(ImageDataError, match="1 image of class 'lone'"):
        divide(
            image_set(["a", "a", "lone"]), ["a", "lone"], test_fraction=0.2, val_fraction=0, seed=0
        )


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [(10, 4, [4, 4, 2]), (9, 4, [4, 5]), (8, 4, [4, 4]), (3, 4, [3]), (1, 4, [1]), (5, 2, [2, 3])],
)
def test_each_image_is_in_one_batch_and_none_is_left_alone(
    count: int, size: int, expected: list[int]
) -> None:
    indices = np.arange(100, 100 + count)
    batches = EpochBatches(indices, size, seed=0)
    drawn = list(batches)
    assert [len(batch) for batch in drawn] == expected
    assert len(batches) == len(expected)
    assert sorted(index for batch in drawn for index in batch) == indices.tolist()
    assert max(expected) <= batches.largest


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        batches = EpochBatches(np.arange(50), 8, seed=seed)
        batches.epoch = epoch
        return list(batches)

    assert order(0, 3) == order(0, 3)
    assert order(0, 3) != order(0, 4)
    assert order(0, 3) != order(1, 3)


@pytest.mark.parametrize(
    ("sides", "expected"), [((8, 8), 32), ((40, 90), 64), ((300, 500), 224), ((100, 100), 96)]
)
def test_the_image_size_follows_the_median_smaller_side(
    sides: tuple[int, int], expected: int
) -> None:
    pixels = tuple(np.zeros((side, side + 50), np.uint8) for side in sides)
    assert choose_image_size(ImageSet("x", pixels, ("0", "1"), ("a", "b"), ("", ""))) == expected


def test_corrupt_images_are_an_error_beyond_the_limit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_folder(tmp_path, {"a": 3, "b": 3})
    truncate(tmp_path / "a" / "001.png")
    truncate(tmp_path / "b" / "000.png")
    with pytest.raises(ImageDataError, match=r"image 'a/001\.png': .*truncated"):
        read_pixels(found(tmp_path), 32)
    with pytest.raises(ImageDataError, match=r"At most 1 .*\n.*'a/001\.png', 'b/000\.png'"):
        read_pixels(found(tmp_path), 32, limit_corrupt=1)
    caplog.clear()
    images, pixels, _ = read_pixels(found(tmp_path), 32, limit_corrupt=2)
    assert images.ids == ("a/000.png", "a/002.png", "b/001.png", "b/002.png")
    assert pixels is not None
    assert len(pixels) == 4
    named = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "a/001.png" in named[0]
    assert "b/000.png" in named[1]


@pytest.mark.parametrize("workers", [0, 1])
def test_images_that_do_not_fit_into_memory_give_the_same_batches(
    tmp_path: Path, workers: int
) -> None:
    write_folder(tmp_path, {"a": 5, "b": 4})
    images, pixels, _ = read_pixels(found(tmp_path), 32)
    same, none, _ = read_pixels(found(tmp_path), 32, cache_bytes=0)
    assert none is None
    cached = PixelDataset(images, pixels, 32, ["a", "b"])
    lazy = PixelDataset(same, None, 32, ["a", "b"])
    for epoch in (1, 2):
        loaders = []
        for dataset in (cached, lazy):
            batches = EpochBatches(np.arange(9), 4, seed=0)
            batches.epoch = epoch
            loaders.append(train_loader(dataset, batches, workers=workers, device=CPU))
        for left, right in zip(*loaders, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(left, right, strict=True))


def test_a_batch_keeps_pixels_truth_and_position_together(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": 4, "b": 4})
    images, pixels, _ = read_pixels(found(tmp_path), 32)
    assert pixels is not None
    dataset = PixelDataset(images, pixels, 32, ["b", "a"])
    shuffled = np.random.default_rng(0).permutation(8)
    for batch in eval_loader(dataset, shuffled, 3, workers=None, device=CPU):
        for image, target, index in zip(*batch, strict=True):
            assert ["b", "a"][target] == images.labels[index]
            assert torch.equal(image, pixels[index])


def test_augmentation_moves_by_mirroring_as_numpy_pads() -> None:
    rng = np.random.default_rng(0)
    pixels = torch.from_numpy(rng.integers(0, 256, (40, 3, 16, 16), dtype=np.uint8))
    moved = augment(pixels, "flip-shift", torch.Generator().manual_seed(0))
    ways = set()
    for before, after in zip(pixels.numpy(), moved.numpy(), strict=True):
        padded = np.pad(before, ((0, 0), (2, 2), (2, 2)), mode="reflect")
        candidates = {
            (down, right, flip): padded[:, down : down + 16, right : right + 16][:, :, ::flip]
            for down in range(5)
            for right in range(5)
            for flip in (1, -1)
        }
        match = [way for way, image in candidates.items() if np.array_equal(image, after)]
        # a flip turns the direction of a move, so flipped candidates name the same set
        assert len(match) == 1
        ways.add(match[0])
    assert len({way[2] for way in ways}) == 2
    assert len(ways) > 20


def test_augmentation_by_kind() -> None:
    pixels = torch.arange(2 * 3 * 8 * 8, dtype=torch.uint8).view(2, 3, 8, 8)
    generator = torch.Generator().manual_seed(1)
    assert augment(pixels, "none", generator) is pixels
    for before, after in zip(pixels, augment(pixels, "flip", generator), strict=True):
        assert torch.equal(after, before) or torch.equal(after, before.flip(2))


def test_a_class_without_readable_training_images_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, {"train/a": 2, "train/b": 1, "test/a": 1})
    truncate(write_image(tmp_path / "train" / "b" / "000.png"))
    images, _, _ = read_pixels(found(tmp_path), 32, limit_corrupt=1)
    with pytest.raises(ImageDataError, match="none of class 'b'"):
        divide(images, ["a", "b"], test_fraction=0.2, val_fraction=0, seed=0)


def test_no_readable_training_images_at_all_is_an_error() -> None:
    images = image_set(["a", "b"], ["test", "test"])
    with pytest.raises(ImageDataError, match="none of classes 'a', 'b'"):
        divide(images, ["a", "b"], test_fraction=0.2, val_fraction=0.1, seed=0)
