"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyside.errors import PysideError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path that takes the place of `path` when the block succeeds.

    The temporary file lies in the same folder, so that the final rename is atomic. It is synced
    to disk before the rename, and removed when the block raises: a reader sees the old file or
    the new one, never a half.

    Args:
        path: the file to write; its folder must exist.

    Yields:
        The path to write to. The file is there already, and empty.

    Raises:
        PysideError: if the folder is not there, or takes no new file.
    """
    require_folder(path)
    if path.is_symlink():
        path = path.resolve()
    if path.exists() and not path.is_file():
        raise PysideError(
            "A file that is replaced must be a regular one.",
            found=f"'{path}' is a folder or a device",
            fix="write to another path",
        )
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise PysideError(
            "A file must be written to a folder that takes new files.",
            found=f"'{path.parent}': {error.strerror}",
            fix="make room, change its permissions, or write elsewhere",
        ) from error
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_usual_mode())  # mkstemp makes files private to their owner
        _sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # not every file system lets a folder be opened and synced
        _sync(path.parent)


def require_folder(path: Path) -> None:
    """See that the folder of a file to be written is there.

    Raises:
        PysideError: if not.
    """
    if not path.parent.is_dir():
        raise PysideError(
            "A file must be written to a folder that exists.",
            found=f"no folder '{path.parent}' for '{path.name}'",
            fix="create the folder, or correct the path",
        )


def _usual_mode() -> int:
    """The mode of a new file under the process's umask."""
    umask = os.umask(0o022)
    os.umask(umask)
    return 0o666 & ~umask


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
