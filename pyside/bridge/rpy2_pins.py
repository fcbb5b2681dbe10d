"""Which rpy2 fits which R.

rpy2 is two distributions, `rpy2-rinterface` (compiled against R) and `rpy2-robjects`. The
metapackage `rpy2` bounds neither from above, so it installs what an older R cannot load.
"""

from __future__ import annotations

from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from pyside.errors import RVersionError

OLDEST_R = Version("4.2")


@dataclass(frozen=True)
class Rpy2Pin:
    """The rpy2 for a range of R versions.

    Attributes:
        r: the R versions.
        fits: the versions of `rpy2-rinterface` that work with them.
        rinterface: the one to install.
        robjects: the `rpy2-robjects` to install with it.
        source: how that is known.
    """

    r: SpecifierSet
    fits: SpecifierSet
    rinterface: str
    robjects: str
    source: str

    @property
    def requirements(self) -> tuple[str, str]:
        """What to give to pip."""
        return (f"rpy2-rinterface=={self.rinterface}", f"rpy2-robjects=={self.robjects}")


PINS = (
    Rpy2Pin(
        r=SpecifierSet(">=4.2,<4.5"),
        fits=SpecifierSet(">=3.6.0,<3.6.6"),
        rinterface="3.6.5",
        robjects="3.6.4",
        source="3.6.0 to 3.6.5 run on R 4.2.2; 3.6.6 uses R_getVar, which R has since 4.5",
    ),
    Rpy2Pin(
        r=SpecifierSet(">=4.5,<4.6"),
        fits=SpecifierSet(">=3.6.5"),
        rinterface="3.6.5",
        robjects="3.6.4",
        source="3.6.5 run on R 4.5.0",
    ),
    Rpy2Pin(
        r=SpecifierSet(">=4.6"),
        fits=SpecifierSet(">=3.6.7"),
        rinterface="3.6.7",
        robjects="3.6.6",
        source="the NEWS of rpy2-rinterface 3.6.7; not run",
    ),
)


def pin_for(r_version: Version) -> Rpy2Pin:
    """The rpy2 to install beside an R.

    Raises:
        RVersionError: if R is too old.
    """
    for pin in PINS:
        if r_version in pin.r:
            return pin
    raise RVersionError(
        f"R must be {OLDEST_R} or later.",
        found=f"R {r_version}",
        fix="install a newer R, and put it first on the PATH or name its home in R_HOME",
    )
