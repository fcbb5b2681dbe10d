"""The wheel carries the R package, and works where there is no checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from cases import PREDICTIONS

ROOT = Path(__file__).parents[1]


def build(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
            *("--outdir", str(folder), str(source)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_holds_both_packages_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for part in ("DESCRIPTION", "NAMESPACE", "R/validate.R", "inst/metrics.json"):
        assert f"pyside/_rside/{part}" in names
    assert "pyside/_rside/vignettes/validate.Rmd" in names
    assert "pyside/_rside/man/validate.Rd" in names
    assert "pyside/py.typed" in names
    assert {name.split("/")[0] for name in names} == {"pyside", "pyside_rside-0.1.0.dist-info"}
    for part in ("R", "inst", "man", "vignettes"):
        for file in (ROOT / part).rglob("*"):
            if file.is_file() and file.suffix not in (".html", ".pyc"):
                assert f"pyside/_rside/{file.relative_to(ROOT).as_posix()}" in names


def test_wheel_validates_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    """The dependencies are lent from this environment, its editable pyside is not."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    site = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q"),
            *("--no-deps", "--no-index", "--target", site, str(wheel)),
        ],
        check=True,
    )
    # A plain path in a .pth file is put on sys.path; the .pth files in that folder are not read.
    (Path(site) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    shutil.copytree(PREDICTIONS, tmp_path / "tables")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PYSIDE_CACHE": str(tmp_path / "cache"),
    }
    where = subprocess.run(
        [str(python), "-c", "import pyside; print(pyside.__file__, pyside.__version__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    ).stdout
    assert where.split() == [f"{site}/pyside/__init__.py", "0.1.0"]
    answer = subprocess.run(
        [
            *(str(python), "-m", "pyside.cli", "validate", "tables/ok_ties_200.csv"),
            *("--report", "report.html"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert answer.returncode == 0, answer.stderr
    assert "14 of 14 numbers agree" in answer.stdout
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_unequal_versions_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NAMESPACE"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "pyside", source / "pyside")
    for name in ("R", "man", "inst", "vignettes"):
        shutil.copytree(ROOT / name, source / name)
    text = (ROOT / "DESCRIPTION").read_text("utf-8")
    (source / "DESCRIPTION").write_text(text.replace("Version: 0.1.0", "Version: 0.0.9"), "utf-8")
    built = build(source, tmp_path / "dist")
    assert built.returncode != 0
    assert "found 0.0.9 and 0.1.0" in built.stdout + built.stderr
