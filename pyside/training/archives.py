"""Zip archives of images, unpacked without trusting them."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

from pyside.errors import ImageDataError, list_names
from pyside.training.images import is_image_name

MAX_BYTES = 20 * 2**30
MAX_FILES = 2_000_000


def extract_images(archive: Path, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Unpack the images of a zip into a folder; files of other kinds are left out.

    Args:
        archive: the zip.
        folder: an empty folder.
        max_bytes: the most that all images together may take when unpacked.

    Raises:
        ImageDataError: if it is no zip, is damaged, has a name that is absolute, leads out of
            the folder, is a link or appears twice, or unpacks to more than fits.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _checked(archive, opened, folder, max_bytes)
            for member in members:
                target = folder / member.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as source, target.open("xb") as file:
                    shutil.copyfileobj(source, file)
    except ImageDataError:
        raise
    # zipfile reports a password as RuntimeError and a foreign method as NotImplementedError
    except Exception as error:
        raise ImageDataError(
            "The archive must be a zip that can be unpacked.",
            found=f"'{archive}': {error}",
            fix="make or download it again",
        ) from error


def _checked(
    archive: Path, opened: zipfile.ZipFile, folder: Path, max_bytes: int
) -> list[zipfile.ZipInfo]:
    everything = opened.infolist()
    for member in everything:
        problem = _problem(member)
        if problem:
            raise ImageDataError(
                "Every name in the archive must stay inside it.",
                found=f"'{archive}' has '{member.filename}', {problem}",
                fix="make the archive again from plain files",
            )
    images = [
        member for member in everything if is_image_name(member.filename) and not member.is_dir()
    ]
    repeated = [
        name for name, count in Counter(image.filename for image in images).items() if count > 1
    ]
    if repeated:
        raise ImageDataError(
            "Every name in the archive must be there once.",
            found=f"'{archive}' repeats {list_names('name', repeated)}",
            fix="make the archive again from plain files",
        )
    size = sum(member.file_size for member in images)
    room = min(max_bytes, shutil.disk_usage(folder).free)
    if size > room or len(images) > MAX_FILES:
        raise ImageDataError(
            f"The images in an archive must fit into {room:,} bytes and be {MAX_FILES:,} at most.",
            found=f"'{archive}' unpacks to {size:,} bytes in {len(images):,} images",
            fix="unpack it yourself and name the folder",
        )
    return images


def _problem(member: zipfile.ZipInfo) -> str | None:
    name = member.filename
    path = PurePosixPath(name)
    if path.is_absolute() or name[1:2] == ":":
        return "an absolute path"
    if "\\" in name:
        return "a path with a backslash"
    if ".." in path.parts:
        return "a path that leads upwards"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a link"
    return None
