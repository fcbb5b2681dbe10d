"""What can break around R: none of it corrupts anything, hangs, or ends in a riddle."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from pyside.bridge import find_r
from pyside.bridge.library import library_for

ROOT = Path(__file__).parents[1]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A real, small and full disk."""
    folder = tmp_path / "full"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting needs root")
    try:
        (folder / "filler").write_bytes(bytes(60_000))
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def validate(csv: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pyside.cli", "validate", str(csv), "--backend", "subprocess"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )


def test_full_temporary_folder_is_said(full_disk: Path, binary_csv: Path) -> None:
    answer = validate(binary_csv, TMPDIR=str(full_disk))
    assert answer.returncode == 2
    assert "No space left on device" in answer.stderr
    assert "TMPDIR" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert [file.name for file in full_disk.iterdir()] == ["filler"]


def test_full_cache_is_said_and_left_empty(full_disk: Path, binary_csv: Path) -> None:
    answer = validate(binary_csv, PYSIDE_CACHE=str(full_disk / "cache"))
    assert answer.returncode == 2
    assert "PYSIDE_CACHE" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not list(full_disk.rglob("rside"))


def sources(folder: Path) -> Path:
    for part in ("R", "inst"):
        shutil.copytree(ROOT / part, folder / part)
    for part in ("DESCRIPTION", "NAMESPACE"):
        shutil.copy(ROOT / part, folder / part)
    return folder


def test_checkout_and_wheel_of_other_versions_live_side_by_side(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSIDE_CACHE", str(tmp_path / "cache"))
    checkout, wheel = sources(tmp_path / "checkout"), sources(tmp_path / "wheel")
    description = wheel / "DESCRIPTION"
    description.write_text(description.read_text().replace("Version: 0.1.0", "Version: 0.0.9"))
    versions = {}
    for source in (checkout, wheel, checkout):
        monkeypatch.setattr("pyside.bridge.library.r_package_source", lambda at=source: at)
        installed = (library_for(find_r()) / "rside" / "DESCRIPTION").read_text()
        versions[source.name] = next(
            line for line in installed.splitlines() if line.startswith("Version")
        )
    assert versions == {"checkout": "Version: 0.1.0", "wheel": "Version: 0.0.9"}
    assert len(list((tmp_path / "cache").glob("R-*/*/rside"))) == 2


def test_r_upgraded_under_a_running_cache_gets_its_own_rside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSIDE_CACHE", str(tmp_path))
    r = find_r()
    before = library_for(r)
    newer = replace(r, version=Version(f"{r.version.major}.{r.version.minor + 1}.0"))
    after = library_for(newer)
    assert after != before
    assert (before / "rside" / "Meta").is_dir()
    assert (after / "rside" / "Meta").is_dir()
