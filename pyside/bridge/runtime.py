"""Find R, and see that rpy2 fits it, before either is started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as distribution_version
from pathlib import Path

from packaging.version import InvalidVersion, Version

from pyside.bridge.rpy2_pins import pin_for
from pyside.errors import RNotFoundError, Rpy2MismatchError

INSTALL_R = (
    "install R 4.2 or later (Debian, Ubuntu: apt-get install r-base-core), "
    "or name its home in the environment variable R_HOME"
)


@dataclass(frozen=True)
class RInstallation:
    """An R on this machine.

    Attributes:
        home: its `R_HOME`.
        version: its version.
    """

    home: Path
    version: Version

    @cached_property
    def rscript(self) -> Path:
        """The command that runs a script."""
        return self.home / "bin" / "Rscript"


def find_r() -> RInstallation:
    """Find R by `R_HOME`, or else by `R` on the PATH.

    Raises:
        RNotFoundError: if there is none, or `R_HOME` leads nowhere.
        RVersionError: if it is too old.
    """
    stated = os.environ.get("R_HOME")
    home = Path(stated) if stated else _home_of_r_on_path()
    # Faster than starting R, and it works where R does not start.
    description = home / "library" / "base" / "DESCRIPTION"
    if not (home / "bin" / "R").exists() or not description.is_file():
        raise RNotFoundError(
            "R's home must hold bin/R and library/base.",
            found=f"neither in '{home}', " + ("named by R_HOME" if stated else "named by R RHOME"),
            fix="correct or unset R_HOME" if stated else INSTALL_R,
        )
    match = re.search(r"^Version: *(\S+)", description.read_text(encoding="utf-8"), re.MULTILINE)
    try:
        version = Version(match.group(1) if match else "")
    except InvalidVersion as error:
        raise RNotFoundError(
            "R must state its version.", found=f"'{description}': {error}", fix=INSTALL_R
        ) from error
    pin_for(version)
    return RInstallation(home, version)


def _home_of_r_on_path() -> Path:
    command = shutil.which("R")
    if command is None:
        raise RNotFoundError("R must be on the PATH.", found="no R", fix=INSTALL_R)
    answer = subprocess.run(
        [command, "RHOME"], capture_output=True, text=True, check=False, timeout=60
    )
    home = answer.stdout.strip().splitlines()
    if answer.returncode != 0 or not home:
        raise RNotFoundError(
            "R must say where its home is.",
            found=f"'{command} RHOME' ended with {answer.returncode}: {answer.stderr.strip()}",
            fix=INSTALL_R,
        )
    return Path(home[-1])


def require_rpy2(r: RInstallation) -> None:
    """See that the installed rpy2 fits R, without importing it: a wrong one can end the process.

    Raises:
        Rpy2MismatchError: if it is missing or does not fit, with the exact pin to install.
    """
    pin = pin_for(r.version)
    fix = f"pip install {' '.join(pin.requirements)}"
    found = {name: _installed(name) for name in ("rpy2-rinterface", "rpy2-robjects", "rpy2")}
    rinterface = found["rpy2-rinterface"]
    if rinterface is None or found["rpy2-robjects"] is None:
        there = ", ".join(f"{name} {v}" for name, v in found.items() if v) or "no rpy2"
        raise Rpy2MismatchError(
            "rpy2-rinterface and rpy2-robjects must be installed to run R in this process.",
            found=there,
            fix=fix,
        )
    if rinterface not in pin.fits:
        raise Rpy2MismatchError(
            f"rpy2-rinterface must be {pin.fits} to run with R {r.version}.",
            found=f"rpy2-rinterface {rinterface}",
            fix=fix,
        )


def _installed(name: str) -> Version | None:
    try:
        return Version(distribution_version(name))
    except (PackageNotFoundError, InvalidVersion):
        return None


def time_zone() -> str:
    """The time zone for R's `TZ`: the one that is set, the system's, or UTC.

    Where TZ is not set, R asks `timedatectl` for it, which prints an error on a machine without
    systemd as soon as caret is loaded.
    """
    if stated := os.environ.get("TZ"):
        return stated
    zone = re.search(r"zoneinfo/(.+)$", str(Path("/etc/localtime").resolve()))
    return zone.group(1) if zone else "UTC"
