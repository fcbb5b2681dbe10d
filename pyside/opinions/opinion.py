"""One number of a report, by one language."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

NAN = math.nan
PER_CLASS = "one_vs_rest"

Key: TypeAlias = tuple[str, str, str | None]
"""What a number is: metric, estimator, class."""


@dataclass(frozen=True)
class Opinion:
    """One number of a report, by one language.

    Attributes:
        metric: the metric's name in the registry.
        estimator: "binary", "multiclass", "macro", "macro_weighted", "micro", "hand_till" or
            "one_vs_rest".
        class_name: the class of a "one_vs_rest" row.
        estimate: the number; NaN where undefined.
        lower: the lower end of its interval, under the registry's definition; NaN where it has
            none.
        upper: the upper end.
        method: the name of the interval.
        reason: why something is undefined or left out.
        registry_estimate: the number under the registry's definition, where the library's default
            in `estimate` follows another one.
        std_error: the standard error, where the language reports one: R does.
    """

    metric: str
    estimator: str
    class_name: str | None
    estimate: float
    lower: float = NAN
    upper: float = NAN
    method: str | None = None
    reason: str | None = None
    registry_estimate: float | None = None
    std_error: float = NAN

    @property
    def key(self) -> Key:
        """What the number is: metric, estimator, class."""
        return (self.metric, self.estimator, self.class_name)
