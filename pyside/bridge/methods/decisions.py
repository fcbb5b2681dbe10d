"""Decisions, and the thresholds that they follow from."""

from __future__ import annotations

from collections.abc import Sequence

from pyside.bridge.choices import Rule, ShareInterval
from pyside.bridge.methods.base import Caller, TableLike, one_table
from pyside.bridge.request import Call
from pyside.bridge.results.base import read
from pyside.bridge.results.decisions import Confusion, OperatingPoints


class DecisionMethods(Caller):
    """Methods of `RSide`."""

    def confusion(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: ShareInterval = "exact",
        prevalence: float | None = None,
    ) -> Confusion:
        """The confusion matrix with intervals and tests; `rside::confusion()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: of a proportion: "exact" (Clopper-Pearson) or "wilson".
            prevalence: that of the positive class in the population for which predictive values are
                wanted: adds `ppv_at_prevalence` and `npv_at_prevalence`. Two classes only.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "confusion",
            one_table(predictions),
            {
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "prevalence": prevalence,
            },
        )
        return read(Confusion, self._ask(call), call=call)

    def operating_points(
        self,
        predictions: TableLike,
        *,
        rules: Sequence[Rule] | None = ("youden", "closest_topleft"),
        sensitivity: float | Sequence[float] | None = None,
        specificity: float | Sequence[float] | None = None,
        cost_ratio: float | Sequence[float] | None = None,
        prevalence: float | None = None,
        threshold: float | Sequence[float] | None = None,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: ShareInterval = "exact",
        replicates: int = 2000,
        seed: int = 1,
    ) -> OperatingPoints:
        """Thresholds, and what each is worth; `rside::operating_points()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            rules: the rules without a target to search by; None for neither.
            sensitivity: targets: the greatest threshold whose sensitivity is at least this.
            specificity: targets: the least threshold whose specificity is at least this.
            cost_ratio: the cost of a missed positive over that of a false alarm, one or several.
            prevalence: that of the positive class where the threshold will be used, for
                `cost_ratio` only; by default that of the table.
            threshold: stated thresholds in [0, 1].
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: of a proportion: "exact" (Clopper-Pearson) or "wilson".
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "operating_points",
            one_table(predictions),
            {
                "rules": rules,
                "sensitivity": sensitivity,
                "specificity": specificity,
                "cost_ratio": cost_ratio,
                "prevalence": prevalence,
                "threshold": threshold,
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(OperatingPoints, self._ask(call), call=call)
