"""Where the R package's sources lie: in the checkout, or inside the wheel."""

from __future__ import annotations

from pathlib import Path

from pyside.errors import RPackageError


def r_package_source() -> Path:
    """The folder that holds DESCRIPTION, R and inst of `rside`.

    In a checkout it is the root of the repository, so that an edit is seen at once; in a wheel it
    is `pyside/_rside`.

    Raises:
        RPackageError: if neither is there.
    """
    package = Path(__file__).parent
    for folder in (package / "_rside", package.parent):
        description = folder / "DESCRIPTION"
        if description.is_file() and "Package: rside\n" in description.read_text(encoding="utf-8"):
            return folder
    raise RPackageError(
        "The sources of the R package rside must come with pyside.",
        found=f"neither {package / '_rside'} nor a checkout around {package}",
        fix="install pyside-rside again",
    )
