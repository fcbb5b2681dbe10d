"""Where images come from: folders, zips, digits, CIFAR-10, and made-up ones.

Whatever the source, it becomes one `ImageSet`: images with their class by name, and the part of
the data (`train`, `val`, `test`) that they belong to where the source says so.
"""

from __future__ import annotations

import logging
import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pyside.errors import ImageDataError, list_names
from pyside.training.archives import extract_images
from pyside.training.images import SUFFIXES, Item, is_image_name

logger = logging.getLogger(__name__)

MADE = ("digits", "fake")
CIFAR10 = "cifar10:"
NAMES = "digits, cifar10:DIR, fake"
UNDIVIDED = ""
VALIDATION_FOLDERS = ("val", "valid", "validation")
_CIFAR_BATCHES = "cifar-10-batches-py"
_HIDDEN = ("__MACOSX",)


@dataclass(frozen=True)
class ImageSet:
    """Images, not yet decoded.

    Attributes:
        name: a short name of the data.
        items: a file, or the pixels as `(height, width)` or `(height, width, 3)`, per image.
        ids: a unique name per image: the path inside the folder or archive, or a counted name.
        labels: the class of each image by name.
        parts: `train`, `val` or `test` per image, or `""` where the source does not divide.
        natural: whether they are photographs, which a left-right flip leaves what they are.
    """

    name: str
    items: tuple[Item, ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...]
    natural: bool = True

    def __len__(self) -> int:
        return len(self.items)

    @property
    def divided(self) -> bool:
        """Whether the source says which images are for training, and which for testing."""
        return "train" in self.parts or "test" in self.parts

    def take(self, indices: Iterable[int]) -> ImageSet:
        """The images at these positions, in this order."""
        chosen = list(indices)
        return ImageSet(
            self.name,
            items=tuple(self.items[index] for index in chosen),
            ids=tuple(self.ids[index] for index in chosen),
            labels=tuple(self.labels[index] for index in chosen),
            parts=tuple(self.parts[index] for index in chosen),
            natural=self.natural,
        )


def data_name(data: str) -> str:
    """A short name of the data: for run folders, and for what is shared with others."""
    if data in MADE:
        return data
    if data.startswith(CIFAR10):
        return CIFAR10.removesuffix(":")
    path = Path(data).expanduser().resolve()
    return path.name if path.is_dir() else path.stem


def absolute_data(data: str) -> str:
    """The data source, named so that it means the same from any folder."""
    if data in MADE:
        return data
    prefix = CIFAR10 if data.startswith(CIFAR10) else ""
    return prefix + str(Path(data.removeprefix(prefix)).expanduser().resolve())


@contextmanager
def open_images(data: str, *, seed: int = 0) -> Iterator[ImageSet]:
    """Find the images of a data source.

    The files of an `ImageSet` from a zip exist until the block ends.

    Args:
        data: an image folder, a zip of one, or `digits`, `cifar10:DIR`, `fake`.
        seed: of the images that `fake` makes up.

    Yields:
        The images that were found.

    Raises:
        ImageDataError: if there are none, or their layout cannot be used.
    """
    if data == "digits":
        yield _digits()
    elif data == "fake":
        yield _fake(seed)
    elif data.startswith(CIFAR10):
        yield _cifar10(Path(data.removeprefix(CIFAR10)).expanduser())
    else:
        path = Path(data).expanduser()
        if path.is_dir():
            yield find_images(path, data_name(data))
        elif path.is_file():
            with tempfile.TemporaryDirectory(prefix="pyside-") as folder:
                extract_images(path, Path(folder))
                yield find_images(Path(folder), data_name(data))
        else:
            raise ImageDataError(
                "The data must be an image folder, a zip of one, or a known name.",
                found=f"'{data}' does not exist",
                fix=f"check the path; known names: {NAMES}",
            )


def find_images(root: Path, name: str) -> ImageSet:
    """Find the images of a folder: `train/<class>/*` and `test/<class>/*`, or `<class>/*`.

    A single folder around the layout is looked through. Hidden folders and files, and files that
    are no images by their suffix, are passed over.

    Raises:
        ImageDataError: if the folder holds no images in such a layout.
    """
    try:
        root = _unwrap(root)
        parts = _part_folders(root)
        found = [
            (path, path.relative_to(root), class_folder.name, part)
            for part, folder in parts.items()
            for class_folder in _visible_folders(folder)
            for path in _image_files(class_folder)
        ]
        _check_no_empty_class(parts, {(part, label) for _, _, label, part in found})
    except OSError as error:
        raise ImageDataError("The image folder must be readable.", found=str(error)) from error
    if not found:
        raise ImageDataError(
            "The folder must hold images as train/<class>/* and test/<class>/*, or <class>/*.",
            found=f"no images in '{name}'",
            fix="put the images of each class into a folder named as the class",
        )
    return ImageSet(
        name,
        items=tuple(path for path, _, _, _ in found),
        ids=tuple(_printable(relative) for _, relative, _, _ in found),
        labels=tuple(label for _, _, label, _ in found),
        parts=tuple(part for _, _, _, part in found),
    )


def class_order(images: ImageSet, classes: Sequence[str] | None = None) -> tuple[str, ...]:
    """The classes to train on, in order, after a check that the images allow it.

    Args:
        images: the images; all parts of them.
        classes: the order asked for; the names sorted by code point if none.

    Raises:
        ImageDataError: if there are fewer than two classes, `classes` names others, or the
            images for testing or validation have a class that those for training lack.
    """
    held_out = [part in ("val", "test") for part in images.parts]
    known = {label for label, out in zip(images.labels, held_out, strict=True) if not out}
    if len(known) < 2:
        raise ImageDataError(
            "Training needs images of at least two classes.",
            found=list_names("class", sorted(known)) if known else "no class",
            fix="put the images of each class into a folder named as the class",
        )
    check_known_classes(images, known)
    if classes is None:
        return tuple(sorted(known))
    if set(classes) != known:
        raise ImageDataError(
            "The classes asked for must be those of the training images.",
            found="; ".join(
                f"{list_names('class', sorted(names))} {where}"
                for names, where in (
                    (set(classes) - known, "not in the data"),
                    (known - set(classes), "not asked for"),
                )
                if names
            ),
            fix="name each class folder once (--classes a,b)",
        )
    return tuple(classes)


def check_known_classes(images: ImageSet, known: Iterable[str]) -> None:
    """Raise `ImageDataError` if an image has a class that is not known.

    Fewer classes than known are fine: classes are told apart by name, never by position.
    """
    unknown = sorted(set(images.labels) - set(known))
    if unknown:
        example = images.ids[images.labels.index(unknown[0])]
        raise ImageDataError(
            "Every image must be of a class that the training knows.",
            found=f"unknown {list_names('class', unknown)}, as in '{example}'",
            fix=f"known are {', '.join(sorted(known))}; rename or remove the folder",
        )


def _unwrap(root: Path) -> Path:
    """Go down while a folder holds nothing but one folder with the layout in it."""
    while True:
        folders = _visible_folders(root)
        if len(folders) != 1 or not _visible_folders(folders[0]) or folders[0].name == "train":
            return root
        root = folders[0]


def _part_folders(root: Path) -> dict[str, Path]:
    # Train/ and TEST/ are the parts too, and no classes.
    parts_by_any_case = ("train", "test", *VALIDATION_FOLDERS)
    folders = {
        folder.name.lower() if folder.name.lower() in parts_by_any_case else folder.name: folder
        for folder in _visible_folders(root)
    }
    if "train" not in folders or not _visible_folders(folders["train"]):
        return {UNDIVIDED: root}
    parts = {UNDIVIDED if "test" not in folders else "train": folders.pop("train")}
    if "test" in folders:
        parts["test"] = folders.pop("test")
    for name in VALIDATION_FOLDERS:
        if name in folders:
            parts["val"] = folders.pop(name)
            break
    if folders:
        logger.warning("passed over beside 'train': %s", list_names("folder", sorted(folders)))
    return parts


def _check_no_empty_class(parts: dict[str, Path], filled: set[tuple[str, str]]) -> None:
    for part, folder in parts.items():
        names = [child.name for child in _visible_folders(folder)]
        empty = [name for name in names if (part, name) not in filled]
        nothing = len(empty) == len(names)
        if part in ("test", "val") and not nothing:
            continue  # a part may lack a class
        if empty or nothing:
            what = f"{list_names('folder', empty)} without images" if empty else "no folder"
            raise ImageDataError(
                "Every class folder must hold images.",
                found=f"{what} in '{folder.name}'",
                fix=f"fill or remove it; images end in {', '.join(sorted(SUFFIXES))}",
            )


def _visible_folders(folder: Path) -> list[Path]:
    children = (path for path in folder.iterdir() if not _is_hidden(path.name) and path.is_dir())
    folders = sorted(children, key=lambda path: path.name)
    for path in folders:
        if not _is_unicode(path.name):
            raise ImageDataError(
                "The name of a class folder must be valid Unicode.",
                found=_printable(Path(path.name)),
                fix="rename the folder",
            )
    return folders


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _image_files(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(files):
            if not _is_hidden(name) and is_image_name(name):
                yield Path(parent, name)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _HIDDEN


def _printable(path: Path) -> str:
    """The path as text that UTF-8 can hold, even where the file system's names cannot."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _digits() -> ImageSet:
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = (digits.images * (255 / 16)).round().astype(np.uint8)
    return _arrays("digits", pixels, [str(label) for label in digits.target])


def _fake(seed: int, count: int = 240, size: int = 32) -> ImageSet:
    """Stripes that lie or stand, under noise."""
    rng = np.random.default_rng(seed)
    stripes = np.tile((np.arange(size) // 4 % 2 * 120)[:, None], (1, size))
    labels = ["horizontal" if index % 2 else "vertical" for index in range(count)]
    clean = [stripes if label == "horizontal" else stripes.T for label in labels]
    noise = rng.integers(0, 120, size=(count, size, size, 3))
    pixels = (np.stack(clean)[..., None] + noise).astype(np.uint8)
    return _arrays("fake", pixels, labels)


def _arrays(name: str, pixels: np.ndarray[Any, Any], labels: list[str]) -> ImageSet:
    return ImageSet(
        name,
        items=tuple(pixels),
        ids=tuple(f"{name}-{index:04d}" for index in range(len(labels))),
        labels=tuple(labels),
        parts=(UNDIVIDED,) * len(labels),
        natural=False,
    )


def _cifar10(folder: Path) -> ImageSet:
    """The Python version of CIFAR-10, as its authors publish it."""
    if (folder / _CIFAR_BATCHES).is_dir():
        folder = folder / _CIFAR_BATCHES
    names = _read_cifar_file(folder / "batches.meta")["label_names"]
    items: list[Item] = []
    labels: list[str] = []
    parts: list[str] = []
    training = [(f"data_batch_{number}", "train") for number in range(1, 6)]
    for file, part in [*training, ("test_batch", "test")]:
        batch = _read_cifar_file(folder / file)
        pixels = np.asarray(batch["data"], dtype=np.uint8).reshape(-1, 3, 32, 32)
        items.extend(pixels.transpose(0, 2, 3, 1))
        labels.extend(names[label] for label in batch["labels"])
        parts.extend([part] * len(pixels))
    return ImageSet(
        "cifar10",
        items=tuple(items),
        ids=tuple(f"cifar10-{part}-{index:05d}" for index, part in enumerate(parts)),
        labels=tuple(labels),
        parts=tuple(parts),
    )


class _ArrayUnpickler(pickle.Unpickler):
    """Reads numpy arrays and plain values, and calls nothing else that a pickle may name."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return super().find_class(module, name)
        if module.startswith("numpy") and name in ("ndarray", "dtype"):
            return getattr(np, name)
        if module.startswith("numpy") and name == "_reconstruct":
            return super().find_class("numpy._core.multiarray", name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong into image data")


def _read_cifar_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return _unpickle(file)
    except Exception as error:  # a damaged pickle raises almost anything
        raise ImageDataError(
            f"cifar10:DIR must name the folder '{_CIFAR_BATCHES}', or the one that holds it.",
            found=f"'{path}': {error}",
            fix="unpack cifar-10-python.tar.gz there",
        ) from error


def _unpickle(file: BinaryIO) -> dict[str, Any]:
    content = _ArrayUnpickler(file, encoding="latin1").load()
    if not isinstance(content, dict):
        raise TypeError(f"a {type(content).__name__} in place of a dict")
    return content
