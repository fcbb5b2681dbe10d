from __future__ import annotations

import logging
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.special
import torch
from sklearn.metrics import log_loss
from training_images import truncate, write_folder

from pyside.errors import TrainingError
from pyside.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from pyside.training.config import TrainConfig
from pyside.training.data import PixelDataset, eval_loader, read_pixels
from pyside.training.model import build_model
from pyside.training.prediction import (
    Output,
    count_saturated,
    make_predictions,
    restore_model,
    run_model,
    softmax,
)
from pyside.training.seeds import random_state
from pyside.training.sources import open_images

CPU = torch.device("cpu")


def make_checkpoint(classes: int = 2) -> Checkpoint:
    model = build_model(classes)
    optimizer = torch.optim.AdamW(model.parameters())
    return Checkpoint(
        epoch=3,
        progress={"batches": 0},
        data_digest="0",
        config=TrainConfig("digits", image_size=32, classes=("b", "a")).to_json(),
        classes=["b", "a"],
        best={"epoch": 2, "accuracy": 0.5, "loss": None, "chosen_by": "hand"},
        model=model.state_dict(),
        optimizer=optimizer.state_dict(),
        scheduler={"seen": 12, "scale": 1.0},
        scaler=None,
        random=random_state(),
    )


def test_softmax_is_that_of_scipy_and_torch_in_double_precision() -> None:
    logits = np.random.default_rng(0).normal(scale=30, size=(200, 5))
    ours = softmax(logits)
    assert ours.dtype == np.float64
    np.testing.assert_allclose(ours, scipy.special.softmax(logits, axis=1), rtol=1e-13)
    np.testing.assert_allclose(ours, torch.softmax(torch.from_numpy(logits), 1), rtol=1e-13)
    np.testing.assert_allclose(ours.sum(axis=1), 1, rtol=1e-15)
    assert np.isfinite(softmax(np.array([[1e4, -1e4]]))).all()


def test_saturation_is_counted_by_class() -> None:
    # 1 - 1/(1+e^40) and 1 - 1/(1+e^50) are both 1 in float64; their complements differ
    logits = np.array([[0, 40.0], [0, 50.0], [0, 1.0], [0, 1.0], [7, 8.0]])
    assert count_saturated(logits, softmax(logits)).tolist() == [0, 1]
    assert count_saturated(logits[2:], softmax(logits[2:])).tolist() == [0, 0]


def test_loss_and_accuracy_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    logits, targets = rng.normal(size=(50, 4)), rng.integers(0, 4, 50)
    output = Output(logits, targets, np.arange(50))
    expected = log_loss(targets, scipy.special.softmax(logits, axis=1), labels=range(4))
    assert output.loss == pytest.approx(expected, rel=1e-12)
    assert output.accuracy == np.mean(logits.argmax(1) == targets)


def test_truth_and_scores_stay_with_their_id_in_any_order_and_batch(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": 4, "b": 5})
    with open_images(str(tmp_path)) as images:
        images, pixels, _ = read_pixels(images, 32)
    dataset = PixelDataset(images, pixels, 32, ["a", "b"])
    torch.manual_seed(0)
    model = build_model(2)
    scores: list[dict[str, float]] = []
    for order, size in ((np.arange(9), 9), (np.arange(9)[::-1].copy(), 2)):
        loader = eval_loader(dataset, order, size, workers=None, device=CPU)
        table = make_predictions(
            run_model(model, loader, CPU), images, ["a", "b"], positive="a", provenance={}
        ).table
        assert [name[0] for name in table["id"]] == table["true_label"].astype(str).tolist()
        scores.append(dict(zip(table["id"], table["pred_prob_a"], strict=True)))
    assert scores[0].keys() == scores[1].keys() == set(images.ids)
    # a batch of another size may sum in another order
    assert scores[0] == pytest.approx(scores[1], rel=1e-4)


def test_a_saturated_class_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with open_images("fake") as images:
        output = Output(np.array([[0, 40.0], [0, 50.0]]), np.array([0, 1]), np.array([0, 1]))
        make_predictions(output, images, ["x", "y"], positive=None, provenance={})
    messages = [record.getMessage() for record in caplog.records]
    assert caplog.records[0].levelno == logging.WARNING
    assert "class 'y': 1 distinct" in messages[0]


def test_a_checkpoint_comes_back_from_a_load_that_runs_no_code(tmp_path: Path) -> None:
    saved = make_checkpoint()
    save_checkpoint(saved, tmp_path / "last.pt")
    plain = torch.load(tmp_path / "last.pt", weights_only=True)
    assert TrainConfig.from_json(plain["config"]).classes == ("b", "a")
    loaded = load_checkpoint(tmp_path / "last.pt")
    assert loaded.config == saved.config
    assert loaded.random["python"] == saved.random["python"]
    restored = restore_model(loaded, CPU).state_dict()
    assert all(torch.equal(restored[name], value) for name, value in saved.model.items())


class Attack:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize("kind", ["missing", "truncated", "empty", "text", "attack", "foreign"])
def test_a_checkpoint_that_cannot_be_used_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "best.pt"
    if kind == "truncated":
        save_checkpoint(make_checkpoint(), path)
        truncate(path)
    elif kind == "foreign":
        torch.save({"state_dict": {}}, path)
    elif kind == "attack":
        path.write_bytes(pickle.dumps(Attack()))
    elif kind != "missing":
        path.write_bytes(b"text" if kind == "text" else b"")
    with pytest.raises(TrainingError, match=r"best\.pt"):
        load_checkpoint(path)


def test_a_checkpoint_of_other_classes_does_not_fit() -> None:
    with pytest.raises(TrainingError, match="of 3 classes"):
        restore_model(replace(make_checkpoint(), classes=["a", "b", "c"]), CPU)


def test_a_failed_save_leaves_the_previous_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "last.pt"
    save_checkpoint(make_checkpoint(), path)
    before = path.stat().st_size
    broken = replace(make_checkpoint(), random={"no": lambda: None})
    with pytest.raises((AttributeError, pickle.PicklingError)):
        save_checkpoint(broken, path)
    assert path.stat().st_size == before
    assert list(tmp_path.iterdir()) == [path]
