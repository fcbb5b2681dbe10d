"""Put the R package into the wheel, as `pyside/_rside`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

R_PACKAGE = ("DESCRIPTION", "NAMESPACE", "R", "man", "inst", "vignettes")


class RPackageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the sources of `rside` to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuse unequal versions, then add the R package's files.

        An editable install gets no copy: it would go stale and shadow the checkout.
        """
        root = Path(self.root)
        description = (root / "DESCRIPTION").read_text(encoding="utf-8")
        r_version = re.search(r"^Version: *(\S+)", description, re.MULTILINE)
        if r_version is None or r_version.group(1) != self.metadata.version:
            found = r_version.group(1) if r_version else "none"
            message = (
                "DESCRIPTION and pyproject.toml must state one version: "
                f"found {found} and {self.metadata.version}"
            )
            raise ValueError(message)
        if version == "editable":
            return
        for name in R_PACKAGE:
            build_data["force_include"][str(root / name)] = f"pyside/_rside/{name}"
