"""Small prediction tables, and their numbers by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from pyside.opinions import Opinion, opinions
from pyside.opinions.opinion import Key
from pyside.predictions import Predictions


def table(truth: list[int], scores: list[float], **stated: Any) -> Predictions:
    return Predictions.from_frame(
        pd.DataFrame(
            {
                "true_label": ["dog" if t else "cat" for t in truth],
                "pred_prob_cat": [1 - s for s in scores],
                "pred_prob_dog": scores,
            }
        ),
        **stated,
    )


def by_name(predictions: Predictions, *, conf_level: float = 0.95) -> dict[Key, Opinion]:
    return {opinion.key: opinion for opinion in opinions(predictions, conf_level=conf_level)}


def one(predictions: Predictions, metric: str) -> Opinion:
    return by_name(predictions)[metric, "binary", None]


def counted(tp: int, fn: int, fp: int, tn: int) -> Predictions:
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    scores = [0.9] * tp + [0.1] * fn + [0.8] * fp + [0.2] * tn
    return table(truth, scores)


def frame_of(
    truth: Sequence[int],
    probabilities: np.ndarray,
    weights: Sequence[float] | None = None,
    decisions: Sequence[int] | None = None,
) -> pd.DataFrame:
    """A table of the classes `c0`, `c1`, ..."""
    k = probabilities.shape[1]
    columns: dict[str, Any] = {"true_label": [f"c{t}" for t in truth]}
    columns |= {f"pred_prob_c{i}": probabilities[:, i] for i in range(k)}
    if decisions is not None:
        columns["pred_label"] = [f"c{d}" for d in decisions]
    if weights is not None:
        columns["weight"] = np.asarray(weights, dtype=np.float64)
    return pd.DataFrame(columns)


EIGHTHS = st.integers(0, 8)


@st.composite
def random_frames(
    draw: st.DrawFn, *, weights: st.SearchStrategy[float] | None = None, most_rows: int = 14
) -> pd.DataFrame:
    """Few rows, coarse scores: ties, absent classes, and classes that are never predicted."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, most_rows))

    def rows(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    code = st.integers(0, k - 1)
    truth = rows(code)
    raw = np.array(rows(st.lists(EIGHTHS, min_size=k, max_size=k).filter(any)), dtype=np.float64)
    decisions = rows(code) if draw(st.booleans()) else None
    weight = None
    if weights is not None:
        weight = rows(weights)
        if not any(weight):
            weight[0] = 1.0
    return frame_of(truth, raw / raw.sum(axis=1, keepdims=True), weight, decisions)
