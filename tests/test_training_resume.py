"""A run that is interrupted loses nothing: what it ends with is what it would have been."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from training_images import one_thread, truncate, write_folder, write_image

from pyside.cli import main
from pyside.errors import InterruptedWorkError, RunError, TrainingError
from pyside.runs import Run
from pyside.training import TrainConfig, resume, train
from pyside.training.checkpoint import load_checkpoint

OPTIONS = {"data": "fake", "epochs": 3, "batch_size": 16, "image_size": 16, "lr": 3e-3}
# Every step is saved, so that a kill loses at most the step that it hits.
OFTEN = {"save_minutes": 1e-9}


@pytest.fixture(scope="module", autouse=True)
def calm() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that nothing interrupted."""
    return train(TrainConfig(out=str(tmp_path_factory.mktemp("whole") / "run"), **OPTIONS))


def assert_same_run(run: Run, whole: Run) -> None:
    for which in ("last", "best"):
        one, other = (load_checkpoint(r.checkpoint_path(which)) for r in (run, whole))
        assert one.epoch == other.epoch
        assert one.best == other.best
        assert one.model.keys() == other.model.keys()
        assert all(torch.equal(one.model[name], other.model[name]) for name in one.model)
    for row, expected in zip(run.read_metrics(), whole.read_metrics(), strict=True):
        assert {**row, "seconds": ""} == {**expected, "seconds": ""}
    assert run.predictions_path.read_bytes() == whole.predictions_path.read_bytes()


def train_in_a_process(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    options = {**OPTIONS, **OFTEN, "out": str(folder)}
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    code = (
        "import sys, torch; torch.set_num_threads(1); from pyside.cli import main; sys.exit(main())"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, "-q", "train", *arguments, *more],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def killed_until_it_ends(folder: Path, kills: int, seed: int) -> Run:
    """Kill the trainer at random moments; the same command goes on each time."""
    moments = random.Random(seed)
    done = 0
    while True:
        process = train_in_a_process(folder)
        try:
            if done < kills and (folder / "config.json").exists():
                process.wait(timeout=moments.uniform(2, 8))
            elif done < kills:
                while not (folder / "checkpoints" / "last.pt").exists():
                    time.sleep(0.02)
                process.wait(timeout=moments.uniform(0, 1))
            else:
                process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            continue
        assert process.returncode == 0
        return Run.open(folder)


def test_killed_at_random_moments_the_run_ends_as_if_nothing_had_been(
    whole: Run, tmp_path: Path
) -> None:
    assert_same_run(killed_until_it_ends(tmp_path / "run", kills=2, seed=1), whole)


@pytest.mark.slow
def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    for part in range(4):
        long = {**OPTIONS, "epochs": 3, "seed": part}
        whole = train(TrainConfig(out=str(tmp_path / f"whole{part}"), **long))
        folder = tmp_path / f"killed{part}"
        moments = random.Random(part)
        for _ in range(5):
            process = train_in_a_process(folder, f"--seed={part}")
            try:
                process.wait(timeout=moments.uniform(3, 9))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.wait()
        assert train_in_a_process(folder, f"--seed={part}").wait(timeout=300) == 0
        assert_same_run(Run.open(folder), whole)


def signal_after_first_save(folder: Path, number: signal.Signals) -> None:
    def send() -> None:
        while not (folder / "checkpoints" / "previous.pt").exists():
            time.sleep(0.005)
        os.kill(os.getpid(), number)

    threading.Thread(target=send).start()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_after_the_step_and_the_run_goes_on(
    number: signal.Signals, whole: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    before = signal.getsignal(number)
    signal_after_first_save(folder, number)
    with pytest.raises(InterruptedWorkError, match="nothing is lost") as caught:
        train(TrainConfig(out=str(folder), **OPTIONS, **OFTEN))
    assert f"pyside train --resume {folder}" in str(caught.value)
    assert signal.getsignal(number) is before
    assert not Run.open(folder).finished
    assert_same_run(resume(folder), whole)


def test_the_time_budget_stops_in_time_and_the_same_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Far more epochs than fit into the time.
    command = [
        "train",
        "--data=fake",
        "--image-size=16",
        "--epochs=500",
        f"--out={tmp_path / 'run'}",
    ]
    for _ in range(2):
        started = time.monotonic()
        assert main([*command, "--max-time=3s"]) == 4
        assert time.monotonic() - started < 20  # of many minutes
        assert "stopped for the time budget" in capsys.readouterr().err
    assert load_checkpoint(tmp_path / "run" / "checkpoints" / "last.pt").epoch >= 1


@pytest.mark.parametrize("damage", ["truncated", "foreign", "empty"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    damage: str, whole: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "run"
    signal_after_first_save(folder, signal.SIGTERM)
    with pytest.raises(InterruptedWorkError):
        train(TrainConfig(out=str(folder), **OPTIONS, **OFTEN))
    last = folder / "checkpoints" / "last.pt"
    if damage == "truncated":
        truncate(last)
    elif damage == "foreign":
        torch.save({"model": {}}, last)
    else:
        last.write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        run = resume(folder)
    assert f"'{last}' cannot be used" in caplog.text
    assert "going on from the one before" in caplog.text
    assert_same_run(run, whole)


def test_no_usable_checkpoint_is_an_error(tmp_path: Path) -> None:
    run = train(TrainConfig(out=str(tmp_path / "run"), **{**OPTIONS, "epochs": 1}))
    run.summary_path.unlink()
    for which in ("last", "previous"):
        run.checkpoint_path(which).write_bytes(b"none")
    with pytest.raises(TrainingError, match="cannot be read"):
        resume(run)


def test_a_lost_best_checkpoint_is_made_again_or_said(
    whole: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = train(TrainConfig(out=str(tmp_path / "run"), **{**OPTIONS, "epochs": 1}))
    run.summary_path.unlink()
    expected = load_checkpoint(run.checkpoint_path("best")).best
    run.checkpoint_path("best").unlink()
    assert load_checkpoint(resume(run).checkpoint_path("best")).best == expected


def test_a_finished_run_is_not_trained_again(whole: Run, caplog: pytest.LogCaptureFixture) -> None:
    before = whole.checkpoint_path("last").stat().st_mtime_ns
    with caplog.at_level(logging.INFO):
        again = train(TrainConfig(out=str(whole.folder), **OPTIONS))
    assert "nothing to do" in caplog.text
    assert again.checkpoint_path("last").stat().st_mtime_ns == before


def test_changed_options_are_refused_with_the_difference(whole: Run) -> None:
    with pytest.raises(RunError, match=r"lr was 0\.003, now 0\.1"):
        train(TrainConfig(out=str(whole.folder), **{**OPTIONS, "lr": 0.1}))
    with pytest.raises(RunError, match="batch_size was 16, now 8"):
        resume(whole, batch_size=8)


def test_changed_images_are_refused(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "data", {"a": 8, "b": 8})
    config = TrainConfig(str(data), out=str(tmp_path / "run"), epochs=1, image_size=16)
    run = train(config)
    run.summary_path.unlink()
    write_image(data / "a" / "000.png", seed=99)
    with pytest.raises(TrainingError, match="images that it began with") as caught:
        resume(run)
    assert "of 16 images then" in str(caught.value)


def test_a_run_that_was_killed_before_its_first_save_begins_again(
    whole: Run, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run")
    config = json.loads(whole.config_path.read_text())
    config["config"]["out"] = str(run.folder)
    run.write_config(config)
    assert_same_run(resume(run), whole)


def test_divergence_goes_back_with_half_the_learning_rate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = TrainConfig(
        out=str(tmp_path / "run"), **{**OPTIONS, "lr": 1e30}, on_divergence="back", **OFTEN
    )
    with caplog.at_level(logging.WARNING), pytest.raises(TrainingError, match="finite"):
        train(config)
    for scale in ("0.5", "0.25", "0.125"):
        assert f"with {scale} of the learning rate" in caplog.text
    # The state that is kept is from before.
    kept = load_checkpoint(Run.open(tmp_path / "run").checkpoint_path("last"))
    assert all(bool(torch.isfinite(value).all()) for value in kept.model.values())


@pytest.mark.parametrize(
    ("duration", "seconds"), [("11h30m", 41400.0), ("90m", 5400.0), ("1.5h", 5400.0), ("45s", 45.0)]
)
def test_durations(duration: str, seconds: float) -> None:
    from pyside.training.config import seconds_of

    assert seconds_of(duration) == seconds


@pytest.mark.parametrize("duration", ["", "11", "h", "-5m", "5m later", "0s", "5 m"])
def test_durations_that_are_none(duration: str) -> None:
    with pytest.raises(TrainingError):
        TrainConfig("fake", max_time=duration)
