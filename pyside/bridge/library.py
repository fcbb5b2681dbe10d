"""Install `rside` into a library of pyside's own, once per R version and state of its sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock
from packaging.version import Version
from platformdirs import user_cache_path

from pyside.bridge.runtime import RInstallation, time_zone
from pyside.errors import RPackageError
from pyside.resources import r_package_source

_PARTS = ("DESCRIPTION", "NAMESPACE", "R", "inst")
_INSTALL_SECONDS = 300


def library_for(r: RInstallation) -> Path:
    """The library that holds `rside` for this R; installs it there first if need be.

    Raises:
        RPackageError: if a package that `rside` needs is missing or too old, or R cannot
            install it.
    """
    source = r_package_source()
    cache = _cache() / f"R-{r.version.major}.{r.version.minor}"
    library = cache / _digest(source)
    if not (library / "rside" / "Meta").is_dir():
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with FileLock(cache / "install.lock"):
                if not (library / "rside" / "Meta").is_dir():
                    require_packages(r, source / "DESCRIPTION")
                    _install(r, source, library)
        except OSError as error:
            raise RPackageError(
                "rside must have a cache folder to be installed into.",
                found=str(error),
                fix="make room there, or name another folder in the environment variable "
                "PYSIDE_CACHE",
            ) from error
    return library


def script(name: str) -> Path:
    """One of the scripts that Rscript runs for Python."""
    return r_package_source() / "inst" / "bridge" / name


def environment(library: Path | None = None) -> dict[str, str]:
    """The environment for an Rscript: the time zone, and `library` first."""
    libraries = [str(library)] if library else []
    if others := os.environ.get("R_LIBS"):
        libraries.append(others)
    return {
        **os.environ,
        "TZ": time_zone(),
        "R_LIBS": os.pathsep.join(libraries),
    }


def require_packages(r: RInstallation, description: Path) -> None:
    """See that the packages which DESCRIPTION imports are there, and new enough.

    Raises:
        RPackageError: if not, with the command that installs them.
    """
    wanted = _imports(description)
    found = _run([r.rscript, script("packages.R"), *wanted], "R must list its packages.")
    versions = dict(line.split("\t") for line in found.splitlines() if "\t" in line)
    wrong = {
        name: f"{name} {versions[name]}" if versions.get(name) else f"no {name}"
        for name, least in wanted.items()
        if not versions.get(name) or _version(versions[name]) < _version(least)
    }
    if wrong:
        raise missing_packages(list(wrong), ", ".join(wrong.values()), wanted)


def missing_packages(
    names: list[str], found: str, wanted: dict[str, str] | None = None
) -> RPackageError:
    """The error that says which R packages are needed, and how to install them."""
    wanted = wanted or _imports(r_package_source() / "DESCRIPTION")
    need = ", ".join(f"{name} {wanted[name]}" if name in wanted else name for name in names)
    debian = " ".join(f"r-cran-{name.lower()}" for name in names)
    quoted = ", ".join(f'"{name}"' for name in names)
    return RPackageError(
        f"R must have {need} or later.",
        found=found,
        fix=f"apt-get install {debian} (Debian, Ubuntu), or in R: install.packages(c({quoted}))",
    )


def _imports(description: Path) -> dict[str, str]:
    """The packages that DESCRIPTION imports, with the least version, `0` where none is stated."""
    text = description.read_text(encoding="utf-8")
    field = re.search(r"^Imports:((?:\n?[ \t].*)+)", text, re.MULTILINE)
    entries = field.group(1).split(",") if field else []
    pattern = re.compile(r"\s*([\w.]+)\s*(?:\(>=\s*([\w.-]+)\))?")
    matches = [match for entry in entries if (match := pattern.match(entry))]
    return {match.group(1): match.group(2) or "0" for match in matches}


def _version(text: str) -> Version:
    return Version(text.replace("-", "."))


def _install(r: RInstallation, source: Path, library: Path) -> None:
    """Install into a new folder, then rename it: a killed install leaves nothing half done."""
    with tempfile.TemporaryDirectory(dir=library.parent) as temporary:
        # R CMD INSTALL writes into its source, which may be read-only: give it a copy.
        copy = Path(temporary) / "rside"
        copy.mkdir()
        for part in _PARTS:
            if (source / part).is_dir():
                shutil.copytree(source / part, copy / part)
            else:
                shutil.copy(source / part, copy / part)
        new = Path(temporary) / "library"
        new.mkdir()
        options = ["--no-docs", "--no-multiarch", "--no-test-load", f"--library={new}"]
        _run(
            [r.home / "bin" / "R", "CMD", "INSTALL", *options, copy],
            "R must be able to install rside.",
        )
        shutil.rmtree(library, ignore_errors=True)
        new.rename(library)


def _run(command: list[str | Path], must: str) -> str:
    try:
        answer = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=environment(),
            timeout=_INSTALL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RPackageError(must, found=str(error), fix="see that R itself starts") from error
    if answer.returncode != 0:
        tail = "\n".join((answer.stdout + answer.stderr).strip().splitlines()[-8:])
        raise RPackageError(must, found=f"exit code {answer.returncode}:\n{tail}")
    return answer.stdout


def _digest(source: Path) -> str:
    digest = hashlib.sha256()
    for file in _files(source):
        digest.update(str(file.relative_to(source)).encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files(source: Path) -> Iterator[Path]:
    for part in _PARTS:
        path = source / part
        yield from (
            sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        )


def _cache() -> Path:
    stated = os.environ.get("PYSIDE_CACHE")
    return Path(stated) if stated else user_cache_path("pyside")
