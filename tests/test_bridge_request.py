"""What a call says in JSON, and what it refuses to say."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from pyside.bridge import RSide
from pyside.bridge.request import Call
from pyside.errors import ConversionError
from pyside.predictions import Predictions


def crossed(value: object) -> Any:
    return json.loads(Call("metrics", {}, {"name": value}).to_json())["arguments"]["name"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.True_, True),
        (2**53, 2**53),
        (np.int32(7), 7),
        (0.1, 0.1),
        (np.float32(0.5), 0.5),
        ("é", "é"),
        (("a", ("a", "b")), ["a", ["a", "b"]]),
        (np.array([0.1, math.inf]), [0.1, {"number": "inf"}]),
        (math.nan, {"number": "nan"}),
        ([], []),
    ],
)
def test_plain_values_cross(value: object, expected: object) -> None:
    found = crossed(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "mentions"),
    [
        (2**53 + 1, "9007199254740993"),
        (object, "object"),
        ({"a": 1}, "'a'"),
        ("a\0", "NUL"),
        ("\ud800", "surrogate"),
        ([1, "a"], "a list of numbers, text"),
        ([1, True], "a list of True or False, numbers"),
        (["a", None], "a list of None, text"),
    ],
)
def test_others_are_refused_by_name(value: object, mentions: str) -> None:
    with pytest.raises(ConversionError, match="'name' must have an exact counterpart") as caught:
        crossed(value)
    assert mentions in str(caught.value)


@pytest.mark.parametrize("backend", ["embedded", "subprocess"])
def test_classes_that_look_like_numbers_stay_text(backend: Any) -> None:
    names = ("NA", "Inf")
    table = Predictions.build(["NA", "Inf", "NA"], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]], names)
    report = RSide(backend).validate(table)
    assert report.classes == ["NA", "Inf"]
    assert report.positive == "Inf"


def test_only_needed_columns_are_sent() -> None:
    frame = Predictions.build(
        ["a", "b"], [[0.9, 0.1], [0.2, 0.8]], ("a", "b"), ids=["x", "y"]
    ).table.assign(site="s", sex="f", weight=[1.0, 2.0], pred_label=["a", "b"])
    table = Predictions.from_frame(frame)
    call = Call("slices", {"predictions": table}, {}, columns=("site",))
    sent = set(call.needed()["predictions"].table)
    assert sent == {"true_label", "pred_prob_a", "pred_prob_b", "pred_label", "weight", "site"}
    assert set(table.table) - sent == {"id", "sex"}
