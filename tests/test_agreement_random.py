"""On any table that passes the checks, scikit-learn and R agree, undefined numbers included."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tables import frame_of, random_frames

import pyside
from pyside.agreement import Verdict

# Thirds and tenths have no exact binary fraction: their sums are rounded.
WEIGHTS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5, 1 / 3, 2.0])


def assert_agreement(frame: pd.DataFrame) -> None:
    report = pyside.validate(frame, backend="embedded")
    for row in report.rows:
        assert row.verdict is not Verdict.DISAGREE, row
        assert row.python.reason == row.r.reason, row
        assert row.python.method == row.r.method, row
        by_definition = row.verdict is Verdict.BY_DEFINITION
        assert not by_definition or row.cause, row


@settings(max_examples=150, deadline=None)
@given(frame=random_frames())
def test_both_languages_agree_on_any_table(frame: pd.DataFrame) -> None:
    assert_agreement(frame)


def weighted(truth: list[int], scores: list[float], weights: list[float]) -> pd.DataFrame:
    return frame_of(truth, np.column_stack([1 - np.array(scores), scores]), weights)


@settings(max_examples=150, deadline=None)
@given(frame=random_frames(weights=WEIGHTS))
# Weights whose sum is that of their squares, though they are not 1.
@example(weighted([1, 1, 1, 0], [0.9, 0.8, 0.2, 0.9], [0.5, 0.5, 0.5, 1.5]))
# Positives that are all above the negatives, by weights that do not add up exactly.
@example(weighted([1, 1, 1], [0.5, 0.5, 0.0], [0.3, 0.1, 0.2]))
# Classes as frequent as each other but for rounding, of other effective numbers of rows.
@example(weighted([0, 1, 1, 1], [0.9, 0.8, 0.2, 0.9], [0.6, 0.1, 0.2, 0.3]))
@example(weighted([1, 0, 0, 0], [0.9, 0.8, 0.2, 0.9], [0.6, 0.1, 0.2, 0.3]))
@example(weighted([1, 0, 0], [0.9, 0.8, 0.2], [0.3, 0.1, 0.2]))
@example(weighted([0, 1, 1], [0.9, 0.8, 0.2], [0.3, 0.1, 0.2]))
def test_both_languages_agree_on_any_weighted_table(frame: pd.DataFrame) -> None:
    assert_agreement(frame)


@settings(max_examples=40, deadline=None)
@given(frame=st.one_of(random_frames(), random_frames(weights=WEIGHTS)), seed=st.integers(0, 100))
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
