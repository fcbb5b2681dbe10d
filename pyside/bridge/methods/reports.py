"""Reports on a whole table, on its groups, and on two tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyside.bridge.choices import Binning, DifferenceInterval, PairedProportions
from pyside.bridge.methods.base import Caller, TableLike, checked, one_table
from pyside.bridge.request import Call
from pyside.bridge.results.base import read
from pyside.bridge.results.reports import Calibration, Comparison, RValidation, Slices


class ReportMethods(Caller):
    """Methods of `RSide`."""

    def validate(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        threshold: float | None = None,
        conf_level: float = 0.95,
    ) -> RValidation:
        """Every number of a report; `rside::validate()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            threshold: from which probability on it is predicted; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        table = checked(predictions)
        call = Call(
            "validate",
            {"predictions": table},
            {
                "positive": positive,
                "threshold": threshold,
                "conf_level": conf_level,
            },
        )
        return read(RValidation, self._ask(call), call=call, source=table.source)

    def calibration(
        self,
        predictions: TableLike,
        *,
        positive: str | None = None,
        bins: int = 10,
        binning: Binning = "quantile",
        conf_level: float = 0.95,
        replicates: int = 1000,
        seed: int = 1,
    ) -> Calibration:
        """Whether probabilities hold; `rside::calibration()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            positive: the positive class of two; by default that of the table.
            bins: how many bins the scores are divided into.
            binning: "quantile", bins of equally many rows, or "width", of equal width.
            conf_level: the level of the intervals, between 0 and 1.
            replicates: how many bootstrap samples, and how many simulated truths.
            seed: of the bootstrap: the same seed gives the same interval.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "calibration",
            one_table(predictions),
            {
                "positive": positive,
                "bins": bins,
                "binning": binning,
                "conf_level": conf_level,
                "replicates": replicates,
                "seed": seed,
            },
        )
        return read(Calibration, self._ask(call), call=call)

    def compare_models(
        self,
        a: TableLike,
        b: TableLike,
        *,
        paired: bool = True,
        positive: str | None = None,
        conf_level: float = 0.95,
        interval: DifferenceInterval = "delta",
        replicates: int = 2000,
        seed: int = 1,
        names: Sequence[str] = ("a", "b"),
        proportions: PairedProportions = "newcombe",
    ) -> Comparison:
        """The differences `a - b` of two models; `rside::compare_models()`.

        Args:
            a: the table of the first model.
            b: the table of the second, with the same classes and positive class; each model
                decides by its own threshold or `pred_label`.
            paired: whether both models judged the same rows, which are matched by `id`, or by
                position where neither table has ids.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            interval: "delta", from the influence of every row, or "bootstrap".
            replicates: how many bootstrap samples.
            seed: of the bootstrap: the same seed gives the same interval.
            names: how the two models are called in text.
            proportions: the interval of paired proportions under "delta".

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        call = Call(
            "compare_models",
            {"a": checked(a), "b": checked(b)},
            {
                "paired": paired,
                "positive": positive,
                "conf_level": conf_level,
                "interval": interval,
                "replicates": replicates,
                "seed": seed,
                "names": names,
                "proportions": proportions,
            },
            columns=("id",),
        )
        return read(Comparison, self._ask(call), call=call)

    def slices(
        self,
        predictions: TableLike,
        *,
        by: str | Sequence[str | Sequence[str]],
        positive: str | None = None,
        conf_level: float = 0.95,
        minimum: float = 30,
        metrics: Sequence[str] | None = None,
    ) -> Slices:
        """Every number by group; `rside::slices()`.

        Args:
            predictions: the table; where it has case weights, rows count by them.
            by: the group columns; of a list, an element that names several columns crosses them:
                `by=["sex", "site", ("sex", "site")]`.
            positive: the positive class of two; by default that of the table.
            conf_level: the level of the intervals, between 0 and 1.
            minimum: slices of fewer rows are shown, but neither ranked nor tested.
            metrics: the names of the metrics to compute; None computes all.

        Raises:
            PredictionTableError: if the table breaks the contract.
            BridgeError: if R cannot answer, or refuses an argument.
        """
        table = checked(predictions)
        call = Call(
            "slices",
            {"predictions": table},
            {
                "by": by,
                "positive": positive,
                "conf_level": conf_level,
                "minimum": minimum,
                "metrics": metrics,
            },
            columns=_columns(by, table.groups),
        )
        return read(Slices, self._ask(call), call=call)


def _columns(by: object, groups: Sequence[str]) -> Sequence[str]:
    """The group columns that R needs: all, if it has to say which there are."""
    asked = set(_texts(by))
    return tuple(asked) if asked <= set(groups) else groups


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
