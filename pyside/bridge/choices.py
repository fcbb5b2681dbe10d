"""The choices that rside's arguments leave, by their names in R."""

from __future__ import annotations

from typing import Literal, TypeAlias

ShareInterval: TypeAlias = Literal["exact", "wilson"]
"""The interval of a proportion."""

AucIntervalName: TypeAlias = Literal["delong", "logit", "newcombe", "bootstrap"]
"""The interval of the area of two classes."""

MeanAucInterval: TypeAlias = Literal["delong", "bootstrap"]
"""The interval of the areas of several classes."""

PrecisionInterval: TypeAlias = Literal["logit", "bootstrap"]
"""The interval of the average precision."""

DifferenceInterval: TypeAlias = Literal["delta", "bootstrap"]
"""The interval of a difference of two models."""

PairedProportions: TypeAlias = Literal["newcombe", "tango"]
"""The interval of a difference of paired proportions."""

Binning: TypeAlias = Literal["quantile", "width"]
"""Bins of equally many rows, or of equal width."""

Rate: TypeAlias = Literal["sensitivity", "specificity"]
"""One coordinate of a ROC curve."""

RangeOf: TypeAlias = Literal["specificity", "sensitivity"]
"""The same, in the order in which a range is one of them."""

Rule: TypeAlias = Literal["youden", "closest_topleft"]
"""A rule that searches for a threshold without a target."""

Matched: TypeAlias = Literal["id", "position", "none"]
"""By what the rows of two models were matched."""
