from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from training_images import one_thread, write_folder, write_image

from pyside.cli import main
from pyside.predictions import read_predictions
from pyside.training.checkpoint import load_checkpoint

PYSIDE = [sys.executable, "-c", "import sys; from pyside.cli import main; sys.exit(main())"]


@pytest.fixture(scope="module", autouse=True)
def calm() -> Iterator[None]:
    with one_thread():
        yield


def test_train_then_predict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "pets", {"cat": 10, "dog": 10})
    assert main(["train", "--data", "pets", "--epochs", "1", "--positive", "cat"]) == 0
    printed = capsys.readouterr()
    assert "epoch 1/1" in printed.err
    lines = dict(line.split(": ", 1) for line in printed.out.splitlines())
    run = Path(lines["run"])
    assert run.parent == Path("runs")
    assert run.name.endswith("-pets")
    assert lines["test accuracy"].endswith("on 4 images")
    assert read_predictions(lines["predictions"]).positive == "cat"

    assert main(["-q", "predict", str(run), "--data", "pets", "--out", "new.csv"]) == 0
    assert capsys.readouterr().err == ""
    assert Path("new.csv").read_bytes() == Path(lines["predictions"]).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--data", "/no/such"], "'/no/such' does not exist"),
        (["train", "--data", "fake", "--epochs", "0"], "epochs"),
        (["train", "--data", "fake", "--classes", "a,a"], "'a'"),
        (["train", "--data", "one"], "two classes"),
        (["train", "--data", "text"], "text"),
        (["predict", "nowhere", "--data", "fake", "--out", "x.csv"], "no such folder"),
        (["predict", "nowhere", "--data", "fake", "--out", "no/x.csv"], "create the folder"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    tmp_path: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_image(tmp_path / "one" / "class" / "x.png")
    (tmp_path / "text").write_text("no zip")
    before = sorted(tmp_path.rglob("*"))
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("pyside: ")
    assert message in printed.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("arguments", [[], ["fly"], ["train"], ["train", "--data"]])
def test_bad_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_help_loads_neither_torch_nor_pandas() -> None:
    code = (
        "import sys\nfrom pyside.cli import main\n"
        "try:\n    main(['train', '--help'])\n"
        "except SystemExit:\n    pass\n"
        "assert not {'torch', 'pandas', 'numpy', 'sklearn'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--limit-corrupt" in done.stdout


def test_an_interrupt_exits_with_130_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = [*PYSIDE, "train", "--data", "fake", "--epochs", "1000", "--out", str(tmp_path / "r")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "r" / "checkpoints" / "last.pt").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped for Ctrl-C; nothing is lost" in printed
    assert f"go on: pyside train --resume {tmp_path / 'r'}" in printed
    assert "Traceback" not in printed
    assert load_checkpoint(tmp_path / "r" / "checkpoints" / "last.pt").progress["batches"] >= 0
    assert not list(tmp_path.rglob("*.tmp"))
