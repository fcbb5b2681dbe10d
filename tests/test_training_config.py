from __future__ import annotations

import json
from typing import Any

import pytest

from pyside.errors import TrainingError
from pyside.training import TrainConfig


def test_survives_a_round_trip_through_json_text() -> None:
    config = TrainConfig("digits", lr=0.1, classes=("b", "a"), positive="a", workers=2)
    text = json.dumps(config.to_json())
    assert TrainConfig.from_json(json.loads(text)) == config


def test_an_unknown_option_is_named_with_the_nearest_one() -> None:
    with pytest.raises(TrainingError, match=r"(?s)'epoch'.*did you mean 'epochs'"):
        TrainConfig.from_json({"data": "digits", "epoch": 3})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("data", ""),
        ("epochs", 0),
        ("epochs", True),
        ("epochs", 1.5),
        ("batch_size", 1),
        ("lr", 0.0),
        ("lr", float("nan")),
        ("lr", "fast"),
        ("weight_decay", -1.0),
        ("image_size", 4),
        ("test_fraction", 0.0),
        ("test_fraction", 1.0),
        ("val_fraction", 1.0),
        ("seed", -1),
        ("seed", 2**32),
        ("workers", -1),
        ("limit_corrupt", -1),
        ("device", "tpu"),
        ("augment", "mixup"),
        ("classes", ("a",)),
        ("classes", ("a", "a")),
        ("classes", "ab"),
        ("positive", ""),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: Any) -> None:
    options = {"data": "digits", name: value}
    with pytest.raises(TrainingError, match=name) as caught:
        TrainConfig(**options)
    assert caught.value.found is not None


def test_zero_validation_is_allowed() -> None:
    assert TrainConfig("digits", val_fraction=0).val_fraction == 0
