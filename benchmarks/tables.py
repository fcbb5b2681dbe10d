"""Prediction tables to measure with."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

Labels: TypeAlias = Literal["object", "str", "category"]
TEXT: tuple[Labels, ...] = ("object", "str")
"""How pandas holds text: as Python's objects, or as its own type (pandas 3), over Arrow."""


def table(rows: int, classes: int, labels: Labels) -> pd.DataFrame:
    """A prediction table of random numbers, whose rows sum to 1."""
    rng = np.random.default_rng(1)
    names = [f"class_{i}" for i in range(classes)]
    raw = rng.random((classes, rows))
    raw /= raw.sum(axis=0)
    codes = rng.integers(0, classes, rows)
    texts = pd.Series(np.array(names, dtype=object)[codes], dtype=labels)
    columns = {f"pred_prob_{name}": p for name, p in zip(names, raw, strict=True)}
    return pd.DataFrame({"true_label": texts, **columns})
