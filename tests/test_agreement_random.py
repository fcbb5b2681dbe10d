"""On any table that passes the checks, scikit-learn and R agree, undefined numbers included."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import pyside
from pyside.agreement import Verdict

EIGHTHS = st.integers(0, 8)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Few rows, coarse scores: ties, absent classes, and classes that are never predicted."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, 14))
    classes = [f"c{i}" for i in range(k)]
    labels = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    raw = draw(
        st.lists(st.lists(EIGHTHS, min_size=k, max_size=k).filter(any), min_size=n, max_size=n)
    )
    probabilities = np.array(raw, dtype=np.float64)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(
        {
            "true_label": labels,
            **{f"pred_prob_{c}": probabilities[:, i] for i, c in enumerate(classes)},
        }
    )
    if draw(st.booleans()):
        frame["pred_label"] = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    return frame


@settings(max_examples=150, deadline=None)
@given(frame=tables())
def test_both_languages_agree_on_any_table(frame: pd.DataFrame) -> None:
    report = pyside.validate(frame, backend="embedded")
    for row in report.rows:
        assert row.verdict is not Verdict.DISAGREE, row
        assert row.python.reason == row.r.reason, row
        by_definition = row.verdict is Verdict.BY_DEFINITION
        assert not by_definition or row.cause, row


@settings(max_examples=40, deadline=None)
@given(frame=tables(), seed=st.integers(0, 100))
def test_row_order_and_class_names_change_nothing(frame: pd.DataFrame, seed: int) -> None:
    before = pyside.validate(frame, backend="embedded").to_frame()
    shuffled = frame.sample(frac=1, random_state=seed, ignore_index=True)
    renamed = shuffled.rename(columns=lambda name: name.replace("pred_prob_c", "pred_prob_x"))
    for column in ("true_label", "pred_label"):
        if column in renamed:
            renamed[column] = renamed[column].str.replace("c", "x")
    after = pyside.validate(renamed, backend="embedded").to_frame()
    for column in ("r", "r_lower", "r_upper"):
        pd.testing.assert_series_equal(before[column], after[column], rtol=0, atol=1e-9)
