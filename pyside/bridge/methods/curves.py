"""Curves of two classes, and the areas under them."""

from __future__ import annotations

from collections.abc import Sequence

from pyside.bridge.choices import AucIntervalName, MeanAucInterval, PrecisionInterval, RangeOf, Rate
from pyside.bridge.methods.base import Caller, TableLike, one_table
from pyside.bridge.request import Call
from pyside.bridge.results.base import read
from pyside.bridge.results.curves import (
    AucInterval,
    MulticlassAuc,
    PartialAuc,
    PrCurve,
    RocBand,
    RocCurve,
)

FIXED_VALUES = tuple(0.05 * i for i in range(21))
"""From 0 to 1 by 0.05."""


class CurveMethods(Caller):
    """Methods of `RSide`."""

    def roc_curve(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: AucIntervalName = "delong",
        replicates: int = 2000,
        seed: int = 1,
    ) -> RocCurve:
        """The ROC curve of two classes; `rside::roc_curve()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: "delong", cut off at 0 and 1; "logit", DeLong's on the logit scale;
                "newcombe", which needs the area and the numbers of rows only; or "bootstrap",
                percentiles of samples stratified by class.
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "roc_curve",
            one_table(predictions),
            {
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(RocCurve, self._ask(call), call=call)

    def auc_ci(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: AucIntervalName = "delong",
        replicates: int = 2000,
        seed: int = 1,
    ) -> AucInterval:
        """The area under the ROC curve of two classes; `rside::auc_ci()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: "delong", cut off at 0 and 1; "logit", DeLong's on the logit scale;
                "newcombe", which needs the area and the numbers of rows only; or "bootstrap",
                percentiles of samples stratified by class.
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "auc_ci",
            one_table(predictions),
            {
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(AucInterval, self._ask(call), call=call)

    def multiclass_auc(
        self,
        predictions: TableLike,
        *,
        conf_level: float = 0.95,
        interval: MeanAucInterval = "delong",
        replicates: int = 2000,
        seed: int = 1,
    ) -> MulticlassAuc:
        """Hand-Till, one-vs-rest and micro areas; `rside::multiclass_auc()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            conf_level: the level of the intervals, between 0 and 1.
            interval: "delong", or "bootstrap": percentiles of samples stratified by class.
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "multiclass_auc",
            one_table(predictions),
            {
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(MulticlassAuc, self._ask(call), call=call)

    def partial_auc(
        self,
        predictions: TableLike,
        *,
        range: tuple[float, float] = (0.9, 1.0),
        focus: RangeOf = "specificity",
        positive: str | None = None,
        conf_level: float = 0.95,
        replicates: int = 2000,
        seed: int = 1,
    ) -> PartialAuc:
        """The area under a part of the ROC curve; `rside::partial_auc()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            range: the ends of the range, between 0 and 1, in either order.
            focus: what the range is one of.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "partial_auc",
            one_table(predictions),
            {
                "range": range,
                "focus": focus,
                "positive": positive,
                "conf_level": conf_level,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(PartialAuc, self._ask(call), call=call)

    def pr_curve(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: PrecisionInterval = "logit",
        replicates: int = 2000,
        seed: int = 1,
    ) -> PrCurve:
        """The precision-recall curve of two classes; `rside::pr_curve()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: of the average precision: "logit", that of Boyd, Eng and Page, or "bootstrap".
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "pr_curve",
            one_table(predictions),
            {
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(PrCurve, self._ask(call), call=call)

    def roc_band(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        of: Rate = "sensitivity",
        at: Sequence[float] = FIXED_VALUES,
        conf_level: float = 0.95,
        replicates: int = 2000,
        seed: int = 1,
    ) -> RocBand:
        """A pointwise band of the ROC curve; `rside::roc_band()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            of: what the band is one of, at fixed values of the other.
            at: the fixed values, between 0 and 1.
            conf_level: the level of the intervals, between 0 and 1.
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "roc_band",
            one_table(predictions),
            {
                "positive": positive,
                "of": of,
                "at": at,
                "conf_level": conf_level,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(RocBand, self._ask(call), call=call)
