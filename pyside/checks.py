"""The checks of the prediction table: one function per check, `R/checks.R` is their twin.

Each function takes what it checks and raises `PredictionTableError` with the check's name.
Rows are counted from 1, the header not counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pyside.errors import PredictionTableError, PysideError, list_names, list_rows

CHECKS = (
    "file_missing",
    "file_empty",
    "encoding",
    "sidecar_invalid",
    "sidecar_version",
    "sidecar_digest",
    "unnamed_column",
    "duplicate_columns",
    "truncated",
    "missing_column",
    "one_class",
    "bad_classes",
    "bad_positive",
    "bad_threshold",
    "no_rows",
    "sidecar_rows",
    "missing_label",
    "unknown_class",
    "not_a_number",
    "missing_value",
    "out_of_range",
    "row_sum",
    "missing_id",
    "duplicate_id",
    "unknown_pred_label",
    "bad_weight",
)
"""Every check by name, in the order in which they are made."""

PROBABILITY_PREFIX = "pred_prob_"
SUM_TOLERANCE = 1e-6
WIDEST_WEIGHTS = 1e15
"""What doubles can still add."""
NUMBERS = (int, float, np.integer, np.floating)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def row_numbers(mask: Mask) -> list[int]:
    """The numbers of the marked rows, counted from 1."""
    return [int(i) + 1 for i in np.flatnonzero(mask)]


def column_names(names: Sequence[str]) -> None:
    """Every column has a name of its own."""
    unnamed = [i for i, name in enumerate(names, start=1) if not name]
    if unnamed:
        raise PredictionTableError(
            "unnamed_column",
            "Every column must have a name.",
            found=f"column {', '.join(map(str, unnamed))} of {len(names)} has none",
            fix="name it, or write the table without its index: to_csv(path, index=False)",
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise PredictionTableError(
            "duplicate_columns",
            "No two columns may have the same name.",
            found=f"{list_names('column', repeated)} more than once",
            fix="rename or drop the repeated columns",
        )


def arguments(classes: object, positive: object, sum_tolerance: object, na: object) -> None:
    """What is stated about a table is of the right kind.

    Raises:
        PysideError: if not.
    """
    is_text = isinstance(classes, str)
    if classes is not None and (
        is_text
        or not isinstance(classes, Iterable)
        or not all(isinstance(name, str) for name in classes)
    ):
        raise PysideError(
            "`classes` must be a list of class names, as text.",
            found=repr(classes),
            fix='state the names that follow \'pred_prob_\', such as ["0", "1"]',
        )
    if positive is not None and not isinstance(positive, str):
        raise PysideError(
            "`positive` must be the name of a class, as text.",
            found=repr(positive),
            fix=f"state it as {str(positive)!r}",
        )
    if not isinstance(sum_tolerance, NUMBERS) or not 0 <= sum_tolerance < math.inf:
        raise PysideError(
            "`sum_tolerance` must be a number, 0 or greater.", found=repr(sum_tolerance)
        )
    if na not in ("refuse", "drop"):
        raise PysideError('`na` must be "refuse" or "drop".', found=repr(na))


def label_column(names: Sequence[str]) -> None:
    """There is a `true_label`."""
    if "true_label" not in names:
        raise PredictionTableError(
            "missing_column",
            "A prediction table must have a column 'true_label'.",
            found=list_names("column", names),
            fix="name the column that holds the true class 'true_label'",
        )


def classes_of(names: Sequence[str]) -> tuple[str, ...]:
    """The classes that the probability columns name, at least two, in their order."""
    columns = [name for name in names if name.startswith(PROBABILITY_PREFIX)]
    classes = tuple(name.removeprefix(PROBABILITY_PREFIX) for name in columns)
    if len(classes) < 2:
        raise PredictionTableError(
            "one_class",
            "A prediction table must have one column 'pred_prob_<class>' for each of two or more "
            "classes.",
            found=list_names("column", columns) if columns else f"none among {', '.join(names)}",
            fix="give each class its column, in class order; with two classes both are needed",
        )
    return classes


def class_order(columns: Sequence[str], stated: Sequence[str]) -> None:
    """Stated classes are those of the probability columns, each once."""
    missing = [name for name in stated if name not in columns]
    extra = [name for name in columns if name not in stated]
    if missing or extra or len(set(stated)) != len(stated) or "" in columns:
        found = ["a column 'pred_prob_' without a class"] if "" in columns else []
        if missing:
            found.append(f"no column for {list_names('class', missing)}")
        if extra:
            found.append(f"columns for {list_names('class', extra)}, not stated")
        if not found:
            found.append(f"stated {list_names('class', stated)}, one more than once")
        raise PredictionTableError(
            "bad_classes",
            "The stated classes must be those of the 'pred_prob_' columns, each once.",
            found="; ".join(found),
            fix="state the classes by the names that follow 'pred_prob_'",
        )


def positive_class(classes: Sequence[str], positive: object) -> None:
    """A positive class is one of two classes."""
    if positive is None:
        return
    if len(classes) > 2:
        raise PredictionTableError(
            "bad_positive",
            "A positive class can be stated for a table of two classes only.",
            found=f"positive class '{positive}' among {len(classes)} classes",
            fix="leave it out: each class is set against the rest",
        )
    if positive not in classes:
        raise PredictionTableError(
            "bad_positive",
            "The positive class must be one of the classes.",
            found=f"'{positive}', not among {list_names('class', classes)}",
            fix="state one of the two classes",
        )


def decision_threshold(classes: Sequence[str], threshold: object) -> None:
    """A threshold is a number in [0, 1], for two classes."""
    if threshold is None:
        return
    is_number = isinstance(threshold, NUMBERS) and not isinstance(threshold, bool)
    if not (is_number and 0 <= threshold <= 1):  # type: ignore[operator]
        raise PredictionTableError(
            "bad_threshold",
            "The threshold must be a number in [0, 1].",
            found=repr(threshold),
            fix="state the probability of the positive class from which on it is predicted",
        )
    if len(classes) > 2:
        raise PredictionTableError(
            "bad_threshold",
            "A threshold can be stated for a table of two classes only.",
            found=f"threshold {threshold} with {len(classes)} classes",
            fix="leave it out: the class of the greatest probability is predicted",
        )


def threshold_of_class(threshold: float | None, stated_for: str | None, positive: object) -> None:
    """A threshold goes with the positive class that it was stated for; 0.5 is the same for both."""
    moved = stated_for is not None and positive is not None and positive != stated_for
    if moved and threshold not in (None, 0.5):
        raise PredictionTableError(
            "bad_threshold",
            "A threshold goes with the positive class that it was stated for.",
            found=f"the table states {threshold:g} for '{stated_for}'; '{positive}' was asked for "
            "as the positive class",
            fix="state the threshold as well",
        )


def row_count(found: int, stated: int | None = None) -> None:
    """There is at least one row, and as many as the sidecar says."""
    if found == 0:
        raise PredictionTableError(
            "no_rows",
            "A prediction table must have at least one row.",
            found="a header and no row",
            fix="export the predictions again",
        )
    if stated is not None and found != stated:
        raise PredictionTableError(
            "sidecar_rows",
            "The table must have as many rows as its sidecar says.",
            found=f"{found} rows, and {stated} in the sidecar",
            fix="export the predictions again: the file or its sidecar was changed",
        )


def kept_rows(kept: int, rows: int) -> None:
    """Something is left where rows with missing values are dropped."""
    if kept == 0:
        raise PredictionTableError(
            "no_rows",
            "A prediction table must have at least one row.",
            found=f"a label or a probability is missing in each of {rows} rows",
            fix="export the predictions again",
        )


def true_labels(missing: Mask, unknown: Mask, names: Sequence[str], classes: Sequence[str]) -> None:
    """Every true label is there, and is one of the classes.

    Args:
        missing: the rows without a label.
        unknown: the rows whose label is no class.
        names: the labels of the unknown rows, in row order.
        classes: the classes.
    """
    if missing.any():
        raise PredictionTableError(
            "missing_label",
            "Every row must have a 'true_label'.",
            found=f"none in {list_rows(row_numbers(missing))} of column 'true_label'",
            fix='complete the labels, or leave such rows out and have them counted: na="drop"',
        )
    _known_labels("unknown_class", "true_label", unknown, names, classes)


def predicted_labels(unknown: Mask, names: Sequence[str], classes: Sequence[str]) -> None:
    """Every predicted label is one of the classes."""
    _known_labels("unknown_pred_label", "pred_label", unknown, names, classes)


def _known_labels(
    check: str, column: str, unknown: Mask, names: Sequence[str], classes: Sequence[str]
) -> None:
    if unknown.any():
        raise PredictionTableError(
            check,
            f"Every value of column '{column}' must be one of {list_names('class', classes)}.",
            found=f"{list_names('value', dict.fromkeys(names))} "
            f"in {list_rows(row_numbers(unknown))}",
            fix="spell the labels as the 'pred_prob_' columns do, or add the column of the class",
        )


def numbers(column: str, wrong: Mask, held: Sequence[object]) -> None:
    """A column of probabilities holds numbers.

    Args:
        column: its name.
        wrong: the rows that hold something else.
        held: what every row holds; not asked for where none is wrong.
    """
    if wrong.any():
        rows = row_numbers(wrong)
        values = dict.fromkeys(str(held[row - 1]) for row in rows)
        raise PredictionTableError(
            "not_a_number",
            f"Column '{column}' must hold numbers, with a decimal point.",
            found=f"{list_names('value', values)} in {list_rows(rows)}",
            fix="write the probabilities as numbers, and a missing one as an empty field",
        )


def probabilities(classes: Sequence[str], values: Floats, sum_tolerance: float) -> None:
    """Probabilities are there, lie in [0, 1], and sum to 1 in every row.

    Args:
        classes: the K classes, in class order.
        values: float64 `(n, K)`.
        sum_tolerance: how far the sum of a row may lie from 1.
    """
    for name, column in zip(classes, values.T, strict=True):
        missing = np.isnan(column)
        if missing.any():
            raise PredictionTableError(
                "missing_value",
                f"Column '{PROBABILITY_PREFIX}{name}' must have a number in every row.",
                found=f"none in {list_rows(row_numbers(missing))}",
                fix='complete the rows, or leave them out and have them counted: na="drop"',
            )
    for name, column in zip(classes, values.T, strict=True):
        outside = (column < 0) | (column > 1)
        if outside.any():
            shown = ", ".join(f"{value:g}" for value in column[outside][:5])
            raise PredictionTableError(
                "out_of_range",
                f"Column '{PROBABILITY_PREFIX}{name}' must lie in [0, 1].",
                found=f"{shown} in {list_rows(row_numbers(outside))}",
                fix="export probabilities, not logits: apply the softmax in float64",
            )
    sums = values.sum(axis=1)
    off = np.abs(sums - 1) > sum_tolerance
    if off.any():
        shown = ", ".join(f"{value:.10g}" for value in sums[off][:5])
        raise PredictionTableError(
            "row_sum",
            f"The probabilities of a row must sum to 1, within {sum_tolerance:g}.",
            found=f"sums {shown} in {list_rows(row_numbers(off))}",
            fix="export all classes in full precision (a softmax in half precision is too coarse), "
            "or state a wider sum_tolerance",
        )


def ids(values: Sequence[str | None], missing: Mask, keep: Mask) -> None:
    """Every kept row has an id of its own."""
    if missing.any():
        raise PredictionTableError(
            "missing_id",
            "Where there is a column 'id', every row must have one.",
            found=f"none in {list_rows(row_numbers(missing))} of column 'id'",
            fix="complete the ids, or leave the column out",
        )
    kept = [value for value, is_kept in zip(values, keep, strict=True) if is_kept]
    if len(set(kept)) != len(kept):
        repeated = {value for value, count in Counter(kept).items() if count > 1}
        rows = [
            row
            for row, (value, is_kept) in enumerate(zip(values, keep, strict=True), start=1)
            if is_kept and value in repeated
        ]
        raise PredictionTableError(
            "duplicate_id",
            "Every value of column 'id' must occur once.",
            found=f"{list_names('value', sorted(map(str, repeated)))} in {list_rows(rows)}",
            fix="make the ids unique: the same example must not be counted twice",
        )


def weights(values: Floats, keep: Mask) -> None:
    """The kept rows' weights are finite, not negative, and not all 0."""
    wrong = (~np.isfinite(values) | (values < 0)) & keep
    if wrong.any() or values[keep].sum() == 0:
        shown = ", ".join(f"{value:g}" for value in values[wrong][:5])
        raise PredictionTableError(
            "bad_weight",
            "Column 'weight' must hold finite numbers that are not negative, and not all 0.",
            found=f"{shown} in {list_rows(row_numbers(wrong))}" if wrong.any() else "nothing but 0",
            fix="correct the weights, or leave the column out",
        )
    positive = values[keep & (values > 0)]
    if positive.max() / positive.min() > WIDEST_WEIGHTS:
        raise PredictionTableError(
            "bad_weight",
            f"No weight may be more than {WIDEST_WEIGHTS:g} times another that is not 0.",
            found=f"{positive.min():g} and {positive.max():g}",
            fix="beside such a row the others count for nothing: correct it",
        )
