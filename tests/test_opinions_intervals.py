"""Every interval by a second route: published figures, definitions, other code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from tables import by_name, counted, one, table

from pyside.opinions.intervals import Share, mover, newcombe, wilson

Z = float(norm.ppf(0.975))


# --- proportions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "n", "lower", "upper"),
    # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E>,
    # table I, method 5 (Clopper-Pearson).
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0000, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_exact_interval_is_newcombes(successes: int, n: int, lower: float, upper: float) -> None:
    sensitivity = one(counted(tp=successes, fn=n - successes, fp=1, tn=1), "sensitivity")
    assert sensitivity.lower == pytest.approx(lower, abs=5e-5)
    assert sensitivity.upper == pytest.approx(upper, abs=5e-5)
    assert sensitivity.method == "Clopper-Pearson"


@pytest.mark.parametrize(("tp", "fn", "fp", "tn"), [(30, 10, 5, 55), (3, 0, 0, 9), (0, 4, 2, 7)])
def test_proportions_have_scipys_exact_interval(tp: int, fn: int, fp: int, tn: int) -> None:
    numbers = counted(tp, fn, fp, tn)
    most = max(tp + fn, fp + tn)
    for metric, hits, trials in (
        ("accuracy", tp + tn, tp + fn + fp + tn),
        ("no_information_rate", most, tp + fn + fp + tn),
        ("sensitivity", tp, tp + fn),
        ("specificity", tn, tn + fp),
        ("precision", tp, tp + fp),
        ("npv", tn, tn + fn),
        ("f1", tp, tp + fp + fn),
    ):
        exact = binomtest(hits, trials).proportion_ci(0.95, method="exact")
        ends = (exact.low, exact.high)
        if metric == "f1":
            ends = tuple(2 * end / (1 + end) for end in ends)
        opinion = one(numbers, metric)
        assert (opinion.lower, opinion.upper) == pytest.approx(ends, abs=1e-12), metric


def test_exact_interval_at_another_level() -> None:
    predictions = counted(7, 3, 0, 0)
    exact = binomtest(7, 10).proportion_ci(0.8, method="exact")
    (accuracy, *_) = by_name(predictions, conf_level=0.8).values()
    assert (accuracy.lower, accuracy.upper) == pytest.approx((exact.low, exact.high), abs=1e-12)


def shares(*pairs: tuple[int, int]) -> Share:
    hits, misses = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
    return Share(hits, misses, hits, misses, hits + misses)


@pytest.mark.parametrize(("hits", "n"), [(81, 263), (0, 20), (20, 20), (1, 1), (0, 1)])
def test_wilson_is_scipys(hits: int, n: int) -> None:
    expected = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    (lower,), (upper,) = wilson(shares((hits, n - hits)), 0.95)
    assert (lower, upper) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_mover_is_newcombes_for_a_difference() -> None:
    """The mean of 56/70 and 1 - 48/80 is 1/2 more than half their difference.

    Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I>,
    table II (a), method 10: 0.0524 to 0.3339.
    """
    interval = mover(shares((56, 14), (32, 48)), 0.95)
    assert 2 * interval.lower - 1 == pytest.approx(0.0524, abs=5e-5)
    assert 2 * interval.upper - 1 == pytest.approx(0.3339, abs=5e-5)


# --- the AUC -------------------------------------------------------------------------------------


@pytest.mark.parametrize("auc", [0.0, 0.001, 0.2, 0.5, 0.93, 0.9999, 1.0])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 9), (12, 30), (2.5, 7.25), (4000, 100_000)])
def test_newcombes_ends_are_z_standard_errors_away(auc: float, m: float, n: float) -> None:
    """Hanley and McNeil (1982) with both sizes but the product (m + n) / 2: Newcombe (2006)."""
    interval = newcombe(auc, m, n, 0.95)
    assert 0 <= interval.lower <= auc <= interval.upper <= 1
    for end in interval[:2]:
        q1, q2 = end / (2 - end), 2 * end**2 / (1 + end)
        half = (m + n) / 2 - 1
        variance = end * (1 - end) + half * (q1 - end**2) + half * (q2 - end**2)
        if end not in (0, 1):
            assert abs(end - auc) == pytest.approx(
                Z * math.sqrt(variance / m / n), rel=1e-6, abs=1e-10
            )
    mirrored = newcombe(1 - auc, n, m, 0.95)
    assert mirrored.upper == pytest.approx(1 - interval.lower, abs=1e-9)


def test_newcombe_stands_in_where_delong_is_undefined() -> None:
    apart = one(table([1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]), "roc_auc")
    assert (apart.method, apart.upper) == ("Newcombe", 1.0)
    assert apart.lower == newcombe(1.0, 3, 2, 0.95).lower
    assert apart.reason == "DeLong's variance is 0: Newcombe's interval instead of DeLong's"
    single = one(table([1, 0, 0], [0.5, 0.6, 0.2]), "roc_auc")
    assert (single.lower, single.upper) == newcombe(0.5, 1, 2, 0.95)[:2]
    assert single.reason == (
        "fewer than two examples of class 'dog': Newcombe's interval instead of DeLong's"
    )


def test_a_variance_of_0_gives_no_interval() -> None:
    for metric in ("cohen_kappa", "mcc", "average_precision"):
        right = one(counted(tp=4, fn=0, fp=0, tn=5), metric)
        assert (right.estimate, right.method) == (1.0, None)
        assert math.isnan(right.lower)
        assert right.reason == "no interval: the estimated variance is 0"


@pytest.mark.parametrize("auc", [1e-9, 1e-200, 1 - 1e-9, 1 - 2**-53, 1 + 2**-52])
def test_newcombe_survives_what_rounding_makes_of_an_auc(auc: float) -> None:
    nearest = float(round(auc))
    interval, exact = newcombe(auc, 3, 2, 0.95), newcombe(nearest, 3, 2, 0.95)
    assert interval[:2] == pytest.approx(exact[:2], abs=1e-6)
