"""The prediction table, the contract between Python and R: build it, check it, write it, read it.

ARCHITECTURE.md describes the table and its sidecar; `pyside.checks` holds the checks,
`R/predictions.R` is the twin of this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from pyside import checks
from pyside.checks import PROBABILITY_PREFIX, SUM_TOLERANCE, Codes, Floats, Mask
from pyside.columns import Columns, columns_of_csv, columns_of_frame, scan
from pyside.errors import PredictionTableError, PysideError
from pyside.files import atomic_path
from pyside.interchange import Frame
from pyside.sidecar import FORMAT, FORMAT_VERSION, is_sidecar, read_sidecar, sidecar_path

DEFAULT_THRESHOLD = 0.5

MissingRows: TypeAlias = Literal["refuse", "drop"]

_OWN_COLUMNS = ("id", "true_label", "pred_label", "weight")


@dataclass(frozen=True, eq=False)
class Predictions:
    """A prediction table that has passed every check of the contract.

    Make one with `Predictions.build`, `Predictions.from_frame` or `read_predictions`.

    Attributes:
        table: n rows; `id` (text) if any, `true_label` (categorical in class order), one
            `pred_prob_<class>` (float64) per class in class order, `pred_label` (categorical) and
            `weight` (float64) if any, and the group columns (text).
        classes: the K classes, in class order.
        positive: the positive class of a table of two classes, else None.
        threshold: the probability from which on the positive class is predicted; None with more
            than two classes.
        sum_tolerance: how far the sum of a row was allowed to lie from 1.
        dropped: how many rows were left out for a missing label or probability.
        assumed: what was not stated and therefore assumed: "classes", "positive", "threshold".
        run: what produced the table, as plain JSON.
        versions: the library versions it was produced with.
        source: the file it was read from, if any, and that file's SHA-256.
    """

    table: pd.DataFrame
    classes: tuple[str, ...]
    positive: str | None
    threshold: float | None
    sum_tolerance: float = SUM_TOLERANCE
    dropped: int = 0
    assumed: tuple[str, ...] = ()
    run: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, str] | None = None

    @classmethod
    def build(
        cls,
        true_label: Sequence[str],
        probabilities: npt.ArrayLike,
        classes: Sequence[str],
        *,
        ids: Sequence[str] | None = None,
        positive: str | None = None,
        threshold: float | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Predictions:
        """Build a table from what a model gives.

        Args:
            true_label: n class names.
            probabilities: `(n, K)`, in class order; a row sums to 1.
            classes: K class names, in class order.
            ids: n unique names of the examples.
            positive: the positive class of two; the last one unless stated.
            threshold: the probability from which on the positive class is predicted.
            provenance: what produced the table, as plain JSON.

        Raises:
            PredictionTableError: if the contract is broken.
        """
        values = np.asarray(probabilities, dtype=np.float64)
        if values.ndim != 2 or values.shape != (len(true_label), len(classes)):
            raise PredictionTableError(
                "bad_classes",
                "Probabilities must have one row per label and one column per class.",
                found=f"shape {values.shape} with {len(true_label)} labels and "
                f"{len(classes)} classes",
                fix="pass an array of shape (labels, classes)",
            )
        columns: dict[str, Any] = {} if ids is None else {"id": list(ids)}
        columns["true_label"] = list(true_label)
        for name, column in zip(classes, values.T, strict=True):
            columns[f"{PROBABILITY_PREFIX}{name}"] = column
        checked = _check(
            columns_of_frame(pd.DataFrame(columns)),
            stated=_Stated(classes=classes, positive=positive, threshold=threshold),
            sum_tolerance=SUM_TOLERANCE,
            na="refuse",
        )
        return replace(checked, assumed=(), run=provenance, versions=_versions())

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        *,
        classes: Sequence[str] | None = None,
        positive: str | None = None,
        threshold: float | None = None,
        sum_tolerance: float = SUM_TOLERANCE,
        na: MissingRows = "refuse",
    ) -> Predictions:
        """Check a frame that holds a prediction table.

        Args:
            frame: `true_label`, `pred_prob_<class>` for each class, and optional columns, in a
                frame of pandas, Polars, Arrow or another library with the Arrow stream interface.
                Labels may be text, categories, whole numbers or booleans, which are taken by
                their text (`0` is the class "0").
            classes: the class order; that of the columns unless stated.
            positive: the positive class of two; the last one unless stated.
            threshold: the probability from which on the positive class is predicted.
            sum_tolerance: how far the sum of a row may lie from 1.
            na: "drop" leaves out rows without a label or a probability and counts them.

        Raises:
            PredictionTableError: if the contract is broken.
        """
        return _check(
            columns_of_frame(frame),
            stated=_Stated(classes=classes, positive=positive, threshold=threshold),
            sum_tolerance=sum_tolerance,
            na=na,
        )

    def __repr__(self) -> str:
        stated = f"classes={self.classes}, positive={self.positive!r}, threshold={self.threshold}"
        return f"Predictions({len(self)} rows, {stated})"

    def __len__(self) -> int:
        return len(self.table)

    @property
    def probabilities(self) -> Floats:
        """The probabilities, float64 `(n, K)`, in class order."""
        names = [f"{PROBABILITY_PREFIX}{name}" for name in self.classes]
        return self.table[names].to_numpy(dtype=np.float64)

    @property
    def truth(self) -> Codes:
        """The true classes as positions in the class order, `(n,)`."""
        return np.asarray(self.table["true_label"].cat.codes, dtype=np.intp)

    @property
    def decisions(self) -> Codes:
        """The predicted classes as positions in the class order, `(n,)`.

        `pred_label` where there is one; else the positive class where its probability is
        `>= threshold`, or with more than two classes the one of the greatest probability, the
        first in class order on a tie.
        """
        if "pred_label" in self.table:
            return np.asarray(self.table["pred_label"].cat.codes, dtype=np.intp)
        if self.positive is None:
            return np.asarray(self.probabilities.argmax(axis=1), dtype=np.intp)
        positive = self.classes.index(self.positive)
        scores = self.table[f"{PROBABILITY_PREFIX}{self.positive}"].to_numpy()
        return np.where(scores >= self.threshold, positive, 1 - positive)

    @property
    def weights(self) -> Floats | None:
        """The case weights, float64 `(n,)`, if the table has any."""
        return self.table["weight"].to_numpy(dtype=np.float64) if "weight" in self.table else None

    @property
    def ids(self) -> list[str] | None:
        """The ids, if the table has any."""
        return list(self.table["id"]) if "id" in self.table else None

    @property
    def groups(self) -> list[str]:
        """The names of the group columns."""
        return [
            name
            for name in self.table.columns
            if name not in _OWN_COLUMNS and not name.startswith(PROBABILITY_PREFIX)
        ]

    def restated(
        self, *, positive: str | None = None, threshold: float | None = None
    ) -> Predictions:
        """The same table with another positive class or threshold.

        Raises:
            PredictionTableError: if either does not fit the classes.
        """
        checks.positive_class(self.classes, positive)
        checks.decision_threshold(self.classes, threshold)
        if threshold is None and not {"positive", "threshold"} & set(self.assumed):
            checks.threshold_of_class(self.threshold, self.positive, positive)
        stated: dict[str, Any] = {"positive": positive, "threshold": threshold}
        changed = {name: value for name, value in stated.items() if value is not None}
        assumed = tuple(name for name in self.assumed if name not in changed)
        return replace(self, **changed, assumed=assumed)


def read_predictions(
    path: Path | str,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    threshold: float | None = None,
    sum_tolerance: float = SUM_TOLERANCE,
    na: MissingRows = "refuse",
) -> Predictions:
    """Read a prediction table, with the sidecar beside it if there is one.

    Args:
        path: the CSV; the sidecar of `preds.csv` is `preds.json`.
        classes: the class order; that of the sidecar, or of the columns, unless stated.
        positive: the positive class; overrides the sidecar's.
        threshold: overrides the sidecar's.
        sum_tolerance: how far the sum of a row may lie from 1.
        na: "drop" leaves out rows without a label or a probability and counts them.

    Raises:
        PredictionTableError: if the contract is broken.
    """
    path = Path(path)
    digest = scan(path)
    sidecar = read_sidecar(sidecar_path(path), digest)
    stated = _Stated(
        classes=classes if classes is not None else sidecar.get("classes"),
        positive=positive if positive is not None else sidecar.get("positive"),
        threshold=threshold if threshold is not None else sidecar.get("threshold"),
        threshold_for=sidecar.get("positive") if threshold is None else None,
        rows=sidecar.get("rows"),
    )
    checked = _check(columns_of_csv(path), stated=stated, sum_tolerance=sum_tolerance, na=na)
    return replace(
        checked,
        run=sidecar.get("run"),
        versions=sidecar.get("versions") or {},
        source={"path": str(path), "sha256": digest},
    )


def write_predictions(predictions: Predictions, path: Path | str) -> Path:
    """Write a prediction table and its sidecar; a reader sees the old pair or a complete new one.

    Probabilities are written in the shortest text that reads back as the same float64.

    Args:
        predictions: the table.
        path: the CSV, `*.csv`; the sidecar of `preds.csv` is `preds.json`.

    Returns:
        The path of the CSV.

    Raises:
        PysideError: if the folder is not there, the name does not end in `.csv`, or another
            file lies where the sidecar belongs.
    """
    path = Path(path)
    if path.suffix != ".csv":
        raise PysideError(
            "A prediction table is written to a file '*.csv', its sidecar beside it to '*.json'.",
            found=f"'{path}'",
            fix="end the name in .csv",
        )
    sidecar = sidecar_path(path)
    if sidecar.exists() and not is_sidecar(sidecar):
        raise PysideError(
            "The file beside the table must be its sidecar, or not be there.",
            found=f"'{sidecar}' is something else",
            fix="write the table under another name",
        )
    with atomic_path(sidecar) as new_sidecar, atomic_path(path) as new_csv:
        options = pacsv.WriteOptions(quoting_style="needed")
        pacsv.write_csv(_as_arrow(predictions.table), new_csv, options)
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "task": "binary" if len(predictions.classes) == 2 else "multiclass",
            "classes": list(predictions.classes),
            # What was assumed is left open, so that it is said again where the file is read.
            "positive": None if "positive" in predictions.assumed else predictions.positive,
            "threshold": None if "threshold" in predictions.assumed else predictions.threshold,
            "rows": len(predictions),
            "sha256": scan(new_csv),
            "run": predictions.run,
            "versions": dict(predictions.versions),
        }
        text = json.dumps(content, indent=2, ensure_ascii=False)
        new_sidecar.write_text(text + "\n", encoding="utf-8")
    return path


def _as_arrow(frame: pd.DataFrame) -> pa.Table:
    columns = {
        name: pa.array(column, type=None if column.dtype.kind == "f" else pa.string())
        for name, column in frame.items()
    }
    return pa.table(columns)


@dataclass(frozen=True)
class _Stated:
    """What is said about a table from outside: by arguments or by its sidecar."""

    classes: Sequence[str] | None = None
    positive: str | None = None
    threshold: float | None = None
    threshold_for: str | None = None
    rows: int | None = None


def _check(
    columns: Columns, *, stated: _Stated, sum_tolerance: float, na: MissingRows
) -> Predictions:
    """Make every check of the contract on a table's columns, in order."""
    checks.arguments(stated.classes, stated.positive, sum_tolerance, na)
    checks.label_column(columns.names)
    in_order = checks.classes_of(columns.names)
    classes = tuple(stated.classes) if stated.classes is not None else in_order
    checks.class_order(in_order, classes)
    checks.positive_class(classes, stated.positive)
    checks.decision_threshold(classes, stated.threshold)
    checks.threshold_of_class(stated.threshold, stated.threshold_for, stated.positive)
    checks.row_count(columns.rows, stated.rows)

    labels = columns.text("true_label")
    probabilities = {name: columns.numbers(f"{PROBABILITY_PREFIX}{name}") for name in classes}
    no_label = _nulls(labels)
    keep = np.ones(columns.rows, dtype=np.bool_)
    if na == "drop":
        for numbers in probabilities.values():
            keep &= ~np.isnan(numbers.values) | numbers.wrong
        keep &= ~no_label
        checks.kept_rows(int(keep.sum()), columns.rows)

    codes, unknown = _codes(labels, classes)
    checks.true_labels(no_label & keep, unknown & keep, _named(labels, unknown & keep), classes)
    for name, numbers in probabilities.items():
        checks.numbers(f"{PROBABILITY_PREFIX}{name}", numbers.wrong & keep, numbers.held)
    values = np.column_stack([numbers.values for numbers in probabilities.values()])
    checks.probabilities(classes, _only(values, keep), sum_tolerance)

    table: dict[str, Any] = {}
    if "id" in columns.names:
        ids = columns.text("id")
        missing = _nulls(ids)
        table["id"] = ids.to_pylist()
        checks.ids(table["id"], missing & keep, keep)
    table["true_label"] = _labels(codes, classes)
    for position, name in enumerate(classes):
        table[f"{PROBABILITY_PREFIX}{name}"] = values[:, position]
    if "pred_label" in columns.names:
        predicted = columns.text("pred_label")
        codes, unknown = _codes(predicted, classes)
        unknown = (unknown | _nulls(predicted)) & keep
        checks.predicted_labels(unknown, _named(predicted, unknown), classes)
        table["pred_label"] = _labels(codes, classes)
    if "weight" in columns.names:
        table["weight"] = columns.numbers("weight").values
        checks.weights(table["weight"], keep)
    for name in columns.names:
        if name not in _OWN_COLUMNS and not name.startswith(PROBABILITY_PREFIX):
            table[name] = pc.fill_null(columns.text(name), "").to_pylist()

    frame = pd.DataFrame(table)
    if not keep.all():
        frame = frame[keep].reset_index(drop=True)
    binary = len(classes) == 2
    assumed = [] if stated.classes is not None else ["classes"]
    if binary:
        assumed += [] if stated.positive is not None else ["positive"]
        assumed += [] if stated.threshold is not None else ["threshold"]
    return Predictions(
        table=frame,
        classes=classes,
        positive=(stated.positive or classes[-1]) if binary else None,
        threshold=_threshold(stated.threshold) if binary else None,
        sum_tolerance=float(sum_tolerance),
        dropped=int((~keep).sum()),
        assumed=tuple(assumed),
    )


def _labels(codes: npt.NDArray[np.int64], classes: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(classes))


def _threshold(stated: float | None) -> float:
    return DEFAULT_THRESHOLD if stated is None else float(stated)


def _only(values: Floats, keep: Mask) -> Floats:
    """The kept rows; the others become harmless, so that row numbers stay those of the file."""
    if keep.all():
        return values
    values = values.copy()
    values[~keep] = 1 / values.shape[1]
    return values


def _nulls(text: pa.Array) -> Mask:
    return np.asarray(text.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _codes(labels: pa.Array, classes: Sequence[str]) -> tuple[npt.NDArray[np.int64], Mask]:
    """Labels as positions in the class order, -1 where missing or unknown; and the unknown rows."""
    encoded = labels.dictionary_encode()
    positions = {name: i for i, name in enumerate(classes)}
    known = [positions.get(name, -1) for name in encoded.dictionary.to_pylist()]
    lookup = np.array([*known, -1], dtype=np.int64)  # the last one serves the nulls
    indices = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    codes = lookup[indices]
    return codes, (codes < 0) & (indices >= 0)


def _named(labels: pa.Array, marked: Mask) -> list[str]:
    return ["" if value is None else value for value in labels.filter(pa.array(marked)).to_pylist()]


def _versions() -> dict[str, str]:
    """The versions of the libraries that a table is made with, of those that are installed."""
    found = {}
    for name in ("pyside-rside", "torch", "torchvision", "numpy", "pandas"):
        try:
            found[name] = distribution_version(name)
        except PackageNotFoundError:
            continue
    return found
