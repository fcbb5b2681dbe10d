"""Confidence intervals, each by the name under which a report gives it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from pyside.checks import Floats, Mask
from pyside.opinions.opinion import NAN, Key, Opinion
from pyside.opinions.reasons import NO_VARIANCE, joined

Transform: TypeAlias = Callable[[float], float]

EXACT = "Clopper-Pearson"
MOVER = "MOVER (Wilson)"
DELONG = "DeLong"
DELONG_LOGIT = "DeLong (logit)"
BOYD = "Boyd (logit)"
OBUCHOWSKI = "Obuchowski (logit)"
NEWCOMBE = "Newcombe"
FISHER = "delta (Fisher z)"
LOGIT = "delta (logit)"
LOG = "delta (log)"

# Rounding leaves traces of a variance that is 0.
NO_ERROR = 1e-12


class Interval(NamedTuple):
    """An interval and its method."""

    lower: float = NAN
    upper: float = NAN
    method: str | None = None


def normal_quantile(conf_level: float) -> float:
    """Of the two-sided level."""
    from scipy.special import ndtri

    return float(ndtri((1 + conf_level) / 2))


class Share(NamedTuple):
    """A proportion, or one per class: what hits and what misses.

    Attributes:
        hits: the sum of the weights that hit.
        misses: of those that miss.
        hit_squares: the sum of the squared weights that hit.
        miss_squares: of those that miss.
        rows: how many rows there are.
    """

    hits: Floats
    misses: Floats
    hit_squares: Floats
    miss_squares: Floats
    rows: Floats

    @property
    def estimate(self) -> Floats:
        """The proportion; NaN where it is one of nothing."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.hits / (self.hits + self.misses))

    @property
    def trials(self) -> Floats:
        """How many trials without weights would be as precise.

        Korn and Graubard (1998); where all or none hit, Kish (1965); never more than rows.
        """
        total = self.hits + self.misses
        with np.errstate(invalid="ignore", divide="ignore"):
            hit, miss = self.hits / total, self.misses / total
            variance = (self.hit_squares * miss**2 + self.miss_squares * hit**2) / total**2
            kish = total**2 / (self.hit_squares + self.miss_squares)
            effective = np.where(variance > 0, hit * miss / variance, kish)
            return np.minimum(effective, self.rows)

    def of(self, place: int | Mask) -> Share:
        """That of one class, or those of some."""
        return Share(*(np.asarray(part[place]) for part in self))


def clopper_pearson(share: Share, conf_level: float) -> Interval:
    """Clopper and Pearson (1934), by quantiles of the beta distribution."""
    from scipy.special import betaincinv

    estimate, trials = float(share.estimate), float(share.trials)
    hits, misses = trials * estimate, trials * (1 - estimate)
    tail = (1 - conf_level) / 2
    lower = 0.0 if hits == 0 else float(betaincinv(hits, misses + 1, tail))
    upper = 1.0 if misses == 0 else float(betaincinv(hits + 1, misses, 1 - tail))
    return Interval(lower, upper, EXACT)


def wilson(shares: Share, conf_level: float) -> tuple[Floats, Floats]:
    """Wilson (1927): the two proportions p with (estimate - p)^2 = z^2 p (1 - p) / trials."""
    estimate, trials = shares.estimate, shares.trials
    spread = normal_quantile(conf_level) ** 2 / trials
    middle, width = 2 * estimate + spread, 2 * (1 + spread)
    root = np.sqrt(spread**2 + 4 * spread * estimate * (1 - estimate))
    return (middle - root) / width, (middle + root) / width


def mover(shares: Share, conf_level: float) -> Interval:
    """Of the mean of independent proportions, from Wilson's intervals."""
    estimates = shares.estimate
    return mover_of(estimates, *wilson(shares, conf_level), np.eye(len(estimates)))


def mover_of(estimates: Floats, lower: Floats, upper: Floats, correlation: Floats) -> Interval:
    """Of the mean of numbers, from the interval of each: Zou, Huang and Zhang (2009)."""
    below, above = (
        np.sqrt(distance @ correlation @ distance) / len(estimates)
        for distance in (estimates - lower, upper - estimates)
    )
    mean = estimates.mean()
    return Interval(float(mean - below), float(mean + above), MOVER)


def newcombe(auc: float, positives: float, negatives: float, conf_level: float) -> Interval:
    """Newcombe (2006), method 5: every AUC whose distance is within z of its standard errors."""
    z = normal_quantile(conf_level)
    pairs = positives * negatives
    others = (positives + negatives) / 2 - 1

    def outside(theta: float) -> float:
        """Above 0 where it is too far; both sides are divided by theta (1 - theta)."""
        spread = 1 + others * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (auc - theta) ** 2 / (theta * (1 - theta)) - z**2 * spread / pairs

    least, greatest = 1e-300, math.nextafter(1.0, 0.0)
    inside = min(max(auc, least), greatest)
    lower = _root(outside, least, inside) if outside(least) > 0 else 0.0
    upper = _root(outside, inside, greatest) if outside(greatest) > 0 else 1.0
    return Interval(lower, upper, NEWCOMBE)


def _root(function: Callable[[float], float], start: float, end: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, start, end, xtol=1e-15, maxiter=2000))


def delta_opinion(
    key: Key,
    estimate: float,
    error: float,
    scale: str,
    conf_level: float,
    *,
    method: str | None = None,
    reason: str | None = None,
    registry_estimate: float | None = None,
) -> Opinion:
    """An opinion whose interval follows from its standard error.

    Args:
        key: metric, estimator, class.
        estimate: scikit-learn's, by default.
        error: the standard error; where it is 0, there is no interval.
        scale: `FISHER`, `LOGIT` or `LOG`: the interval is symmetric on it.
        conf_level: the level of the interval.
        method: the interval's name, if it is not that of the scale.
        reason: what was left out.
        registry_estimate: the number under the registry's definition, if that is another one.
    """
    defined = estimate if registry_estimate is None else registry_estimate
    interval = None
    if error >= NO_ERROR:
        lower, upper = delta(defined, error, scale, conf_level)
        interval = Interval(lower, upper, method or scale)
    return Opinion(
        *key,
        estimate,
        *(interval or Interval()),
        reason=joined(reason, None if interval else NO_VARIANCE),
        registry_estimate=registry_estimate,
    )


def delta(estimate: float, error: float, scale: str, conf_level: float) -> tuple[float, float]:
    """The delta method, symmetric on a scale on which the estimate is unbounded."""
    from scipy.special import expit, logit

    scales: dict[str, tuple[Transform, Transform, float]] = {
        FISHER: (np.arctanh, np.tanh, 1 - estimate**2),
        LOGIT: (logit, expit, estimate * (1 - estimate)),
        LOG: (np.log, np.exp, estimate),
    }
    there, back, slope = scales[scale]
    shift = normal_quantile(conf_level) * error / slope
    return float(back(there(estimate) - shift)), float(back(there(estimate) + shift))
