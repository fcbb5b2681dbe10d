from __future__ import annotations

import csv
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from training_images import one_thread, truncate, write_folder, write_image

from pyside.errors import ImageDataError, RunError, TrainingError
from pyside.predictions import read_predictions, write_predictions
from pyside.runs import Run
from pyside.training import TrainConfig, predict, train
from pyside.training.checkpoint import load_checkpoint


@pytest.fixture(scope="module", autouse=True)
def calm() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """17 images per class, so that a batch of 4 leaves one image over."""
    return write_folder(
        tmp_path_factory.mktemp("data") / "shades",
        {"train/dark": 17, "train/light": 20, "test/dark": 6, "test/light": 5},
    )


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs") / "shades"
    return train(TrainConfig(str(data), out=str(out), epochs=3, batch_size=8, positive="dark"))


def losses(run: Run) -> list[tuple[str, str, str]]:
    return [(row["train_loss"], row["val_loss"], row["lr"]) for row in run.read_metrics()]


def test_a_run_leaves_everything(run: Run, data: Path) -> None:
    files = {path.relative_to(run.folder).as_posix() for path in run.folder.rglob("*.*")}
    assert files == {
        "config.json",
        "metrics.csv",
        "preds.csv",
        "preds.json",
        "summary.json",
        "checkpoints/best.pt",
        "checkpoints/last.pt",
        "checkpoints/previous.pt",
    }
    config = run.read_config()
    assert config["classes"] == ["dark", "light"]
    assert config["config"]["data"] == str(data)
    assert config["config"]["image_size"] == 32
    assert config["config"]["augment"] == "flip-shift"
    assert config["images"] == {
        "train": {"dark": 15, "light": 18},
        "val": {"dark": 2, "light": 2},
        "test": {"dark": 6, "light": 5},
    }
    assert [row["epoch"] for row in run.read_metrics()] == ["1", "2", "3"]
    assert [row["samples"] for row in run.read_metrics()] == ["33"] * 3


def test_the_predictions_are_those_of_the_test_images(run: Run) -> None:
    predictions = read_predictions(run.predictions_path)
    table = predictions.table
    expected = [f"test/dark/{n:03d}.png" for n in range(6)]
    expected += [f"test/light/{n:03d}.png" for n in range(5)]
    assert table["id"].tolist() == expected
    assert table["true_label"].astype(str).tolist() == ["dark"] * 6 + ["light"] * 5
    assert predictions.classes == ("dark", "light")
    assert predictions.positive == "dark"
    sidecar = json.loads(run.predictions_path.with_suffix(".json").read_text())
    assert sidecar["run"]["checkpoint"] == "best"
    assert sidecar["run"]["trained_on"] == sidecar["run"]["data"] == "shades"
    assert "validation images apart from the test images" in sidecar["run"]["chosen_by"]
    decided = np.array(predictions.classes)[predictions.probabilities.argmax(axis=1)]
    accuracy = np.mean(decided == table["true_label"].astype(str).to_numpy())
    assert run.read_summary()["test_accuracy"] == accuracy


def test_the_best_checkpoint_is_the_best_epoch_by_accuracy_then_loss(run: Run) -> None:
    rows = run.read_metrics()
    best = max(rows, key=lambda row: (float(row["val_accuracy"]), -float(row["val_loss"])))
    assert load_checkpoint(run.checkpoint_path("best")).epoch == int(best["epoch"])
    assert load_checkpoint(run.checkpoint_path("last")).epoch == 3
    assert run.read_summary()["best"]["epoch"] == int(best["epoch"])


def test_the_same_seed_gives_the_identical_run(run: Run, data: Path, tmp_path: Path) -> None:
    options = TrainConfig(
        str(data), out=str(tmp_path / "b"), epochs=3, batch_size=8, positive="dark"
    )
    again = train(options)
    assert losses(again) == losses(run)
    assert again.predictions_path.read_bytes() == run.predictions_path.read_bytes()


def test_another_seed_and_decoding_on_demand(run: Run, data: Path, tmp_path: Path) -> None:
    lazy = TrainConfig(
        str(data), out=str(tmp_path / "a"), epochs=1, batch_size=8, cache_mb=0, workers=0
    )
    other = TrainConfig(str(data), out=str(tmp_path / "b"), epochs=1, batch_size=8, seed=1)
    cached = TrainConfig(str(data), out=str(tmp_path / "c"), epochs=1, batch_size=8)
    results = [losses(train(config)) for config in (lazy, other, cached)]
    assert results[0] == results[2]
    assert results[1] != results[2]


def test_predicting_the_same_data_gives_the_same_table(
    run: Run, data: Path, tmp_path: Path
) -> None:
    write_predictions(predict(run, str(data)), tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_bytes() == run.predictions_path.read_bytes()


def test_predicting_other_images_goes_by_class_name(run: Run, tmp_path: Path) -> None:
    write_folder(tmp_path / "new", {"light": 3})
    predictions = predict(run.folder, str(tmp_path / "new"), checkpoint="last")
    assert predictions.classes == ("dark", "light")
    assert predictions.table["true_label"].astype(str).tolist() == ["light"] * 3
    write_image(tmp_path / "new" / "grey" / "x.png")
    with pytest.raises(ImageDataError, match="unknown class 'grey'"):
        predict(run, str(tmp_path / "new"))


def test_a_flat_folder_is_split_and_its_test_images_found_again(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "flat", {"2": 10, "10": 10})
    out = tmp_path / "run"
    config = TrainConfig(
        str(data), out=str(out), epochs=1, batch_size=9, classes=("2", "10"), test_fraction=0.3
    )
    run = train(config)  # 14 - 2 training images: a last batch of 3
    trained = read_predictions(run.predictions_path)
    assert trained.classes == ("2", "10")
    assert len(trained.table) == 6
    again = predict(run, f"{data}/")
    assert again.table["id"].tolist() == trained.table["id"].tolist()


def test_a_changed_folder_is_not_divided_anew(tmp_path: Path) -> None:
    """Else images of the training would be among those predicted, and the numbers too good."""
    folder = write_folder(tmp_path / "flat", {"a": 12, "b": 12})
    config = TrainConfig(str(folder), out=str(tmp_path / "run"), epochs=1, image_size=16)
    with one_thread():
        run = train(config)
        tested = read_predictions(run.predictions_path).ids
        assert tested is not None
        trained = sorted({f"{p.parent.name}/{p.name}" for p in folder.rglob("*.png")} - set(tested))
        (folder / trained[0]).unlink()
        (folder / tested[0]).unlink()
        assert predict(run, str(folder)).ids == tested[1:]


def test_a_last_batch_of_one_image_is_learned_from(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "x", {"train/a": 2, "train/b": 3, "test/a": 1})
    config = TrainConfig(
        str(data), out=str(tmp_path / "run"), epochs=1, batch_size=2, val_fraction=0
    )
    run = train(config)
    assert run.read_metrics()[0]["samples"] == "5"
    assert run.read_metrics()[0]["val_loss"] == ""
    assert load_checkpoint(run.checkpoint_path()).best["chosen_by"].startswith("the last epoch")


def test_images_with_a_signal_are_learned(tmp_path: Path) -> None:
    run = train(TrainConfig("fake", out=str(tmp_path / "run"), epochs=3))
    assert run.read_summary()["test_accuracy"] >= 0.9


def test_weights_of_another_run_are_a_start(run: Run, data: Path, tmp_path: Path) -> None:
    weights = str(run.checkpoint_path("last"))
    config = TrainConfig(
        str(data), out=str(tmp_path / "run"), epochs=1, batch_size=8, lr=1e-9, weights=weights
    )
    started = load_checkpoint(train(config).checkpoint_path("last")).model["conv1.weight"]
    expected = load_checkpoint(run.checkpoint_path("last")).model["conv1.weight"]
    torch.testing.assert_close(started, expected, rtol=0, atol=1e-6)


def test_a_loss_that_explodes_stops_the_training(data: Path, tmp_path: Path) -> None:
    config = TrainConfig(str(data), out=str(tmp_path / "run"), epochs=2, lr=1e30, batch_size=8)
    with pytest.raises(TrainingError, match="finite"):
        train(config)
    assert not (tmp_path / "run" / "preds.csv").exists()


def test_a_taken_run_is_refused_before_the_work_and_replaced_when_told(
    data: Path, tmp_path: Path
) -> None:
    run = train(TrainConfig("fake", out=str(tmp_path / "run"), epochs=2))
    with pytest.raises(RunError, match="overwrite"):
        train(TrainConfig("/no/such/data", out=str(run.folder)))
    again = train(TrainConfig("fake", out=str(run.folder), epochs=1, overwrite=True))
    assert len(again.read_metrics()) == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"positive": "zebra"}, TrainingError, "'zebra'"),
        ({"classes": ("dark", "zebra")}, ImageDataError, "'zebra'"),
        ({"weights": "/no/such.pt"}, TrainingError, "such"),
    ],
)
def test_a_bad_option_leaves_no_run(
    data: Path,
    tmp_path: Path,
    options: dict[str, str],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        train(TrainConfig(str(data), out=str(tmp_path / "run"), **options))  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


def test_corrupt_images_within_the_limit_are_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    data = write_folder(tmp_path / "x", {"train/a": 4, "train/b": 4, "test/a": 2, "test/b": 2})
    truncate(data / "test" / "a" / "000.png")
    config = TrainConfig(str(data), out=str(tmp_path / "run"), epochs=1, limit_corrupt=1)
    with pytest.raises(ImageDataError, match=r"test/a/000\.png"):
        train(TrainConfig(str(data), out=str(tmp_path / "run"), epochs=1))
    run = train(config)
    with run.predictions_path.open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [
            "test/a/001.png",
            "test/b/000.png",
            "test/b/001.png",
        ]
    assert "unreadable image 'test/a/000.png'" in caplog.text


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs cuda")
def test_training_on_cuda_predicts_on_the_cpu(tmp_path: Path) -> None:
    run = train(TrainConfig("fake", out=str(tmp_path / "run"), epochs=3, device="cuda"))
    assert run.read_summary()["test_accuracy"] >= 0.9
    on_cpu = predict(run, "fake", device="cpu").probabilities
    np.testing.assert_allclose(
        on_cpu, read_predictions(run.predictions_path).probabilities, atol=1e-3
    )
