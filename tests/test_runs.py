from __future__ import annotations

import stat
from datetime import datetime
from pathlib import Path

import pytest

from pyside.errors import RunError
from pyside.files import atomic_path
from pyside.runs import Run, copy_whole, default_run_folder


def test_a_file_is_replaced_only_when_its_block_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write_half() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    with atomic_path(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with atomic_path(tmp_path / "a") as temporary:
        temporary.touch()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "a")]
    assert modes[0] == modes[1]


def test_a_run_is_made_and_opened(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "deep" / "run")
    run.write_config({"classes": ["ä", "b"]})
    assert Run.open(run.folder).read_config() == {"classes": ["ä", "b"]}
    assert run.checkpoint_path("best").parent.is_dir()


def test_a_run_is_not_overwritten_unless_told(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.write_config({})
    run.add_metrics({"epoch": 1})
    (run.folder / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="overwrite"):
        Run.create(tmp_path / "run")
    again = Run.create(tmp_path / "run", overwrite=True)
    assert again.read_metrics() == []
    assert (again.folder / "notes.txt").read_text() == "mine"


def test_a_folder_of_other_things_is_never_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RunError, match="not a run"):
        Run.create(tmp_path, overwrite=True)
    with pytest.raises(RunError, match=r"no config\.json"):
        Run.open(tmp_path)
    with pytest.raises(RunError, match="no such folder"):
        Run.open(tmp_path / "nowhere")


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(RunError, match="file"):
            Run.create(folder)


def test_metrics_grow_by_a_row(tmp_path: Path) -> None:
    run = Run.create(tmp_path)
    run.add_metrics({"epoch": 1, "loss": 0.1 + 0.2, "accuracy": None})
    run.add_metrics({"epoch": 2, "loss": 1e-9, "accuracy": 1.0})
    assert run.metrics_path.read_text() == (
        "epoch,loss,accuracy\n1,0.30000000000000004,\n2,1e-09,1.0\n"
    )


def test_a_damaged_config_is_an_error(tmp_path: Path) -> None:
    run = Run.create(tmp_path)
    run.config_path.write_text('{"classes": [')
    with pytest.raises(RunError, match=r"config\.json"):
        run.read_config()


def test_only_two_checkpoints_have_a_name(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="'first'"):
        Run(tmp_path).checkpoint_path("first")


def test_a_copy_does_not_follow_its_source(tmp_path: Path) -> None:
    source, target = tmp_path / "last.pt", tmp_path / "best.pt"
    for text in ("1", "2"):
        with atomic_path(source) as temporary:
            temporary.write_text(text)
        if text == "1":
            copy_whole(source, target)
    assert (source.read_text(), target.read_text()) == ("2", "1")


def test_default_folders_are_free_and_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime(2026, 1, 2, 3, 4, 5)
    first = default_run_folder("my pets/../x", now)
    assert first == Path("runs/20260102-030405-my-pets-..-x")
    Run.create(first)
    assert default_run_folder("my pets/../x", now).name.endswith("-2")
