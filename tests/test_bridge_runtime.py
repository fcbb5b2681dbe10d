"""Finding R and matching rpy2 to it: what is wrong is said before anything starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from packaging.version import Version

from pyside.bridge.library import library_for, require_packages
from pyside.bridge.rpy2_pins import pin_for
from pyside.bridge.runtime import RInstallation, find_r, require_rpy2
from pyside.errors import RNotFoundError, RPackageError, Rpy2MismatchError, RVersionError

ROOT = Path(__file__).parents[1]


def r_home(folder: Path, version: str) -> Path:
    """What `find_r` looks at in an R of some version."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "R").touch()
    (folder / "library" / "base").mkdir(parents=True)
    (folder / "library" / "base" / "DESCRIPTION").write_text(f"Package: base\nVersion: {version}\n")
    return folder


def test_r_is_found_as_r_itself_says() -> None:
    said = subprocess.run(
        ["Rscript", "-e", "cat(R.home(), as.character(getRversion()))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    r = find_r()
    assert [str(r.home), str(r.version)] == said


def test_r_home_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("R_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(RNotFoundError, match="named by R_HOME"):
        find_r()


def test_no_r_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RNotFoundError, match="apt-get install r-base-core"):
        find_r()


def test_old_r_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("R_HOME", str(r_home(tmp_path / "R", "4.1.3")))
    with pytest.raises(RVersionError, match=r"R 4\.1\.3"):
        find_r()


@pytest.mark.parametrize(
    ("r", "rinterface"),
    [("4.2.2", "3.6.5"), ("4.4.3", "3.6.5"), ("4.5.0", "3.6.5"), ("4.6.0", "3.6.7")],
)
def test_pin_fits_the_r(r: str, rinterface: str) -> None:
    pin = pin_for(Version(r))
    assert pin.rinterface == rinterface
    assert Version(pin.rinterface) in pin.fits


def test_installed_rpy2_fits_the_r_that_is_there() -> None:
    require_rpy2(find_r())


def with_rpy2(folder: Path, **versions: str) -> None:
    """Distributions of rpy2 by their metadata alone, as a wrong pip install leaves them."""
    for name, version in versions.items():
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
        )


def test_mismatched_rpy2_is_refused_with_the_pin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_rpy2(tmp_path, rpy2_rinterface="3.6.6", rpy2_robjects="3.6.4")
    monkeypatch.syspath_prepend(tmp_path)
    r = RInstallation(Path("/usr/lib/R"), Version("4.2.2"))
    with pytest.raises(Rpy2MismatchError) as caught:
        require_rpy2(r)
    assert "rpy2-rinterface 3.6.6" in str(caught.value)
    assert "pip install rpy2-rinterface==3.6.5 rpy2-robjects==3.6.4" in str(caught.value)


def run_with_wrong_rpy2(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command `pyside` in a process where another rpy2 is installed."""
    with_rpy2(tmp_path, rpy2_rinterface="3.5.0", rpy2_robjects="3.5.0")
    return subprocess.run(
        [sys.executable, "-m", "pyside.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )


def test_command_ends_with_2_on_a_mismatched_rpy2(tmp_path: Path, binary_csv: Path) -> None:
    answer = run_with_wrong_rpy2(tmp_path, "validate", str(binary_csv), "--backend", "embedded")
    assert answer.returncode == 2
    assert "rpy2-rinterface 3.5.0" in answer.stderr
    assert "pip install" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_auto_falls_back_to_a_process_and_says_so(tmp_path: Path, binary_csv: Path) -> None:
    answer = run_with_wrong_rpy2(tmp_path, "validate", str(binary_csv))
    assert answer.returncode == 0
    assert "14 of 14 numbers agree" in answer.stdout
    assert "rpy2-rinterface 3.5.0" in answer.stderr


def test_missing_r_package_is_named_with_the_command(tmp_path: Path) -> None:
    description = tmp_path / "DESCRIPTION"
    description.write_text("Package: x\nImports:\n    stats,\n    noSuchPackage (>= 1.2-3)\n")
    with pytest.raises(RPackageError) as caught:
        require_packages(find_r(), description)
    assert "no noSuchPackage" in str(caught.value)
    assert "apt-get install r-cran-nosuchpackage" in str(caught.value)


def test_old_r_package_is_named(tmp_path: Path) -> None:
    description = tmp_path / "DESCRIPTION"
    description.write_text("Package: x\nImports: stats (>= 99.0)\n")
    with pytest.raises(RPackageError, match=r"stats 99\.0"):
        require_packages(find_r(), description)


def test_missing_caret_ends_with_2(tmp_path: Path, binary_csv: Path) -> None:
    """An R without the site's packages: rside cannot be installed there, and pyside says why."""
    real = find_r()
    home = tmp_path / "R"
    home.mkdir()
    for item in real.home.iterdir():
        if item.name != "site-library":
            (home / item.name).symlink_to(item)
    answer = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyside.cli",
            "validate",
            str(binary_csv),
            "--backend",
            "subprocess",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "R_HOME": str(home),
            "R_LIBS": "",
            "R_LIBS_SITE": str(tmp_path / "none"),
            "R_LIBS_USER": str(tmp_path / "none"),
            "PYSIDE_CACHE": str(tmp_path / "cache"),
        },
    )
    if "caret" not in answer.stderr:
        pytest.fail(answer.stderr + answer.stdout)
    assert answer.returncode == 2
    assert "r-cran-caret" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_rside_is_installed_once_and_again_when_it_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSIDE_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "source"
    for part in ("R", "inst"):
        shutil.copytree(ROOT / part, source / part)
    for part in ("DESCRIPTION", "NAMESPACE"):
        shutil.copy(ROOT / part, source / part)
    monkeypatch.setattr("pyside.bridge.library.r_package_source", lambda: source)
    first = library_for(find_r())
    installed = (first / "rside" / "DESCRIPTION").stat().st_mtime_ns
    assert library_for(find_r()) == first
    assert (first / "rside" / "DESCRIPTION").stat().st_mtime_ns == installed
    (source / "R" / "added.R").write_text("added <- function() NULL\n")
    second = library_for(find_r())
    assert second != first
    assert (second / "rside" / "Meta").is_dir()


def test_broken_sources_leave_nothing_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSIDE_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "source"
    shutil.copytree(ROOT / "R", source / "R")
    (source / "R" / "broken.R").write_text("broken <- function( {\n")
    for part in ("DESCRIPTION", "NAMESPACE"):
        shutil.copy(ROOT / part, source / part)
    shutil.copytree(ROOT / "inst", source / "inst")
    monkeypatch.setattr("pyside.bridge.library.r_package_source", lambda: source)
    with pytest.raises(RPackageError, match="install rside"):
        library_for(find_r())
    assert not list((tmp_path / "cache").rglob("rside"))


def test_two_processes_may_install_at_once(tmp_path: Path) -> None:
    code = textwrap.dedent(
        """
        from pyside.bridge import find_r
        from pyside.bridge.library import library_for
        print(library_for(find_r()))
        """
    )
    environment = {**os.environ, "PYSIDE_CACHE": str(tmp_path)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert answers[0] == answers[1]
    assert (Path(answers[0].strip()) / "rside" / "Meta").is_dir()


def test_cache_that_cannot_be_made_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PYSIDE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(RPackageError, match="PYSIDE_CACHE"):
        library_for(find_r())
