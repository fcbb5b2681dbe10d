"""The shape of the package: what may import what, and what starts when."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pyside"
LOWEST = (
    *("errors", "files", "resources", "checks", "columns", "sidecar", "predictions"),
    *("metrics", "opinions", "runs"),
)
HEAVY = ("torch", "torchvision", "sklearn", "pandas", "rpy2", "scipy", "pyarrow")


def imports(file: Path) -> set[str]:
    """The modules that a file imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
    return found


def test_importing_pyside_loads_nothing_heavy() -> None:
    code = f"import sys, pyside; print([n for n in {HEAVY!r} if n in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_reading_a_table_starts_neither_r_nor_torch() -> None:
    code = (
        "import sys, pyside; pyside.read_predictions; pyside.validate; pyside.RSide;"
        "print([n for n in ('torch', 'rpy2') if n in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_public_names_are_all_there() -> None:
    import pyside

    for name in pyside.__all__:
        assert getattr(pyside, name) is not None
    assert set(pyside.__all__) <= set(dir(pyside))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pyside.nothing


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda f: f.name)
def test_imports_run_one_way(file: Path) -> None:
    room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    found = imports(file)
    if room != "bridge":
        assert not {name for name in found if name.split(".")[0] == "rpy2"}
    if room == "bridge":
        assert not {name for name in found if name.startswith(("torch", "pyside.training"))}
        assert not {"pyside.validation", "pyside.report", "pyside.agreement"} & found
    if room == "training":
        assert not {name for name in found if name.startswith("pyside.bridge")}
        assert not {"pyside.validation", "pyside.report", "pyside.agreement"} & found
    if room in (
        "predictions",
        "columns",
        "checks",
        "sidecar",
        "errors",
        "files",
        "metrics",
        "opinions",
    ):
        assert not {name for name in found if name.startswith(("pyside.bridge", "pyside.training"))}
