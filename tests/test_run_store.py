"""Runs side by side: found by their content, sorted, pruned, and moved."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from pyside.cli import main
from pyside.errors import RunError
from pyside.run_store import differences, export_run, find_runs, import_run, prune, sort_runs
from pyside.runs import Run


def make_run(folder: Path, *, accuracy: float, lr: float = 0.1, finished: bool = True) -> Run:
    run = Run.create(folder)
    config = {"data": "fake", "seed": 0, "epochs": 2, "batch_size": 8, "lr": lr, "image_size": 16}
    run.write_config({"config": config, "started": f"2026-11-30T0{round(accuracy * 9)}:00:00"})
    run.add_metrics({"epoch": 1, "train_loss": 1 - accuracy, "val_accuracy": accuracy})
    run.checkpoint_path("best").write_bytes(b"weights " * 100)
    if finished:
        run.write_summary({"test_accuracy": accuracy, "best": {"epoch": 1}})
    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "runs"
    make_run(root / "deep" / "a", accuracy=0.5)
    make_run(root / "b", accuracy=0.75, lr=0.2)
    make_run(root / "c", accuracy=0.25, finished=False)
    (root / "something else").mkdir()
    (root / "something else" / "config.json").write_text("{}")
    (root / "broken").mkdir()
    (root / "broken" / "config.json").write_text("{")
    return root


def names(runs: object) -> list[str]:
    return [facts.name for facts in runs]  # type: ignore[attr-defined]


def test_runs_are_found_by_what_is_in_them(root: Path) -> None:
    runs = find_runs(root)
    assert names(runs) == ["b", "a", "c"]
    assert [facts.state for facts in runs] == ["finished", "finished", "1 of 2 epochs"]
    assert runs[0].numbers["test_accuracy"] == 0.75
    with pytest.raises(RunError, match="no folder"):
        find_runs(root / "nowhere")


def test_any_number_sorts_and_a_loss_the_other_way(root: Path) -> None:
    runs = find_runs(root)
    assert names(sort_runs(runs, "val_accuracy")) == ["b", "a", "c"]
    assert names(sort_runs(runs, "train_loss")) == ["b", "a", "c"]
    assert names(sort_runs(runs, "test_accuracy")) == ["b", "a"]
    with pytest.raises(RunError, match="test_accuracy, train_loss, val_accuracy"):
        sort_runs(runs, "auc")


def test_two_runs_are_compared(root: Path) -> None:
    b, a, _ = find_runs(root)
    found = differences(a, b)
    assert found[0] == ("lr", 0.1, 0.2)
    assert ("test_accuracy", 0.5, 0.75) in found


def test_prune_keeps_the_best_and_what_is_not_finished(root: Path) -> None:
    assert names(prune(find_runs(root), "test_accuracy", 1)) == ["a"]
    assert names(find_runs(root)) == ["b", "a", "c"]
    prune(find_runs(root), "test_accuracy", 1, really=True)
    assert names(find_runs(root)) == ["b", "c"]
    with pytest.raises(RunError, match="At least one"):
        prune(find_runs(root), "test_accuracy", 0, really=True)


def test_a_run_goes_out_as_a_zip_and_comes_back_equal(root: Path, tmp_path: Path) -> None:
    run = Run.open(root / "b")
    back = import_run(export_run(run, tmp_path / "b.zip"), tmp_path / "elsewhere")
    files = {file.relative_to(run.folder) for file in run.folder.rglob("*") if file.is_file()}
    assert {f.relative_to(back.folder) for f in back.folder.rglob("*") if f.is_file()} == files
    assert all((back.folder / f).read_bytes() == (run.folder / f).read_bytes() for f in files)
    with pytest.raises(RunError, match="must not replace"):
        import_run(tmp_path / "b.zip", tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "inside", [["../out.txt"], ["/etc/x"], ["a/x", "b/x"], ["a/../../x"], ["x"], [], ["a\\x/y"]]
)
def test_an_archive_that_leads_outside_is_refused(inside: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in inside:
            archive.writestr(name, "x")
    with pytest.raises(RunError):
        import_run(path, tmp_path / "root")
    assert not list(tmp_path.rglob("out.txt"))
    assert not list((tmp_path / "root").glob("*")) if (tmp_path / "root").exists() else True


def test_what_is_no_zip_or_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"none")
    with pytest.raises(RunError, match="from a zip"):
        import_run(tmp_path / "x.zip", tmp_path)
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr("a/readme.txt", "no run")
    with pytest.raises(RunError, match=r"config\.json"):
        import_run(tmp_path / "y.zip", tmp_path / "root")
    assert not (tmp_path / "root" / "a").exists()


def test_the_command(root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    at = ["runs", "--root", str(root)]
    assert main([*at, "list", "--sort", "train_loss"]) == 0
    assert "1 of 2 epochs" in capsys.readouterr().out
    assert main([*at, "best", "--by", "test_accuracy"]) == 0
    assert capsys.readouterr().out.strip().endswith(str(root / "b"))
    assert main([*at, "compare", str(root / "b"), str(root / "c")]) == 0
    assert "val_accuracy" in capsys.readouterr().out
    assert main([*at, "prune", "--keep", "1", "--by", "test_accuracy"]) == 0
    assert "say --yes" in capsys.readouterr().out
    assert (root / "deep" / "a").exists()
    assert main([*at, "export", str(root / "b"), str(tmp_path / "b.zip")]) == 0
    assert main(["runs", "--root", str(tmp_path / "new"), "import", str(tmp_path / "b.zip")]) == 0
    assert main([*at, "best", "--by", "nothing"]) == 2


def test_validation_of_a_run_is_kept_with_it(tmp_path: Path, binary_csv: Path) -> None:
    run = make_run(tmp_path / "run", accuracy=0.5)
    for suffix in (".csv", ".json"):
        source = binary_csv.with_suffix(suffix)
        run.predictions_path.with_suffix(suffix).write_bytes(source.read_bytes())
    assert main(["validate", str(run.predictions_path)]) == 0
    written = json.loads(run.validation_path.read_text())["rows"]
    auc = next(row["r"] for row in written if row["metric"] == "roc_auc")
    assert find_runs(tmp_path)[0].numbers["roc_auc:binary"] == auc == 12.5 / 16
