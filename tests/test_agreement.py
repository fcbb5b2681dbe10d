"""The verdicts: what agrees, what differs by definition, and what is a disagreement."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from cases import PREDICTIONS

from pyside.agreement import Verdict, compare
from pyside.errors import BridgeError
from pyside.opinions import Opinion, opinions
from pyside.predictions import read_predictions


def verdict(python: Opinion, r: Opinion) -> Verdict:
    (row,) = compare([python], [r])
    return row.verdict


ACCURACY = Opinion("accuracy", "binary", None, 0.75, 0.25, 1.0)


def test_equal_numbers_agree() -> None:
    assert verdict(ACCURACY, ACCURACY) is Verdict.AGREE


@pytest.mark.parametrize("changed", ["estimate", "lower", "upper"])
def test_difference_above_the_tolerance_is_a_disagreement(changed: str) -> None:
    value = getattr(ACCURACY, changed)
    assert verdict(ACCURACY, replace(ACCURACY, **{changed: value + 1e-12})) is Verdict.AGREE
    assert verdict(ACCURACY, replace(ACCURACY, **{changed: value + 1e-6})) is Verdict.DISAGREE
    assert verdict(ACCURACY, replace(ACCURACY, **{changed: math.nan})) is Verdict.DISAGREE


def test_other_definition_is_named_only_where_it_explains_the_difference() -> None:
    python = Opinion("mcc", "binary", None, 0.0, reason="why", registry_estimate=math.nan)
    (row,) = compare([python], [Opinion("mcc", "binary", None, math.nan, reason="why")])
    assert row.verdict is Verdict.BY_DEFINITION
    assert row.cause is not None
    assert "scikit-learn reports 0" in row.cause
    # R says something that neither definition gives.
    assert verdict(python, Opinion("mcc", "binary", None, 0.5)) is Verdict.DISAGREE


def test_other_method_is_named_beside_a_disagreement() -> None:
    exact, wilson = (replace(ACCURACY, method=name) for name in ("Clopper-Pearson", "Wilson"))
    (row,) = compare([exact], [replace(wilson, lower=0.3)])
    assert row.verdict is Verdict.DISAGREE
    assert row.cause is not None
    assert "R: Wilson, Python: Clopper-Pearson" in row.cause
    (same,) = compare([exact], [replace(exact, lower=0.3)])
    assert "methods" not in str(same.cause)


def test_both_undefined_agree_and_say_why() -> None:
    undefined = Opinion("roc_auc", "binary", None, math.nan, reason="only class 'a' occurs")
    (row,) = compare([undefined], [undefined])
    assert row.verdict is Verdict.AGREE
    assert row.cause == "only class 'a' occurs"


def test_swapped_positive_class_is_caught() -> None:
    """What caret would say of its own default positive class, the first level."""
    predictions = read_predictions(PREDICTIONS / "ok_one_case.csv")
    swapped = opinions(predictions.restated(positive="cat"))
    rows = compare(opinions(predictions), swapped)
    assert Verdict.DISAGREE in {row.verdict for row in rows if row.metric == "sensitivity"}


def test_reports_of_other_numbers_are_refused() -> None:
    other = replace(ACCURACY, metric="mcc")
    with pytest.raises(BridgeError, match="same numbers"):
        compare([ACCURACY], [other])
