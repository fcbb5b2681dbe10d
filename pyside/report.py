"""The report of a validation: both opinions of every number, in the forms that people read."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from pyside.agreement import Agreement, Verdict
from pyside.bridge.results import Note, RocCurve
from pyside.errors import PysideError
from pyside.files import atomic_path
from pyside.opinions import PER_CLASS
from pyside.sidecar import is_sidecar

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

TEXT_WIDTH = 126
# From which width on a table for reading has room for the differences, and for the methods.
WIDE = 100
WIDEST = TEXT_WIDTH


@dataclass(frozen=True, eq=False)
class ValidationReport:
    """Python's and R's numbers of one prediction table, side by side.

    Attributes:
        rows: one agreement per number, in the order of a report.
        n: the rows that count: those whose weight is not 0.
        classes: its classes, in class order.
        positive: the positive class of two.
        threshold: from which probability on the positive class is predicted.
        labelled: whether a `pred_label` column gives the decisions.
        dropped: the rows that were left out for a missing label or probability.
        conf_level: the level of the intervals.
        counts: the confusion matrix: `predicted`, `truth`, `n`, one row per cell; `n` is a sum of
            weights where there are case weights.
        roc: R's ROC curve of two classes.
        notes: what must be known beside the numbers.
        python_versions: of Python and the libraries that gave its numbers.
        r_versions: of R and the packages that gave its numbers.
        backend: how R was reached.
    """

    rows: tuple[Agreement, ...]
    n: int
    classes: tuple[str, ...]
    positive: str | None
    threshold: float | None
    labelled: bool
    dropped: int
    conf_level: float
    counts: pd.DataFrame
    roc: RocCurve | None
    notes: tuple[Note, ...]
    python_versions: Mapping[str, str]
    r_versions: Mapping[str, str]
    backend: str

    @property
    def agrees(self) -> bool:
        """Whether no number is a `DISAGREE`."""
        return all(row.verdict is not Verdict.DISAGREE for row in self.rows)

    @property
    def summary(self) -> str:
        """How many numbers agree, in a sentence."""
        counts = Counter(row.verdict for row in self.rows)
        parts = [f"{counts[Verdict.AGREE]} of {len(self.rows)} numbers agree"]
        if counts[Verdict.BY_DEFINITION]:
            parts.append(f"{counts[Verdict.BY_DEFINITION]} differ by definition")
        if counts[Verdict.DISAGREE]:
            parts.append(f"{counts[Verdict.DISAGREE]} DISAGREE")
        return ", ".join(parts) + "."

    @property
    def subject(self) -> str:
        """What was validated, in a sentence."""
        names = ", ".join(self.classes)
        text = f"{self.n} rows, {len(self.classes)} classes ({names})"
        if self.positive is not None:
            text += f"; positive class '{self.positive}'"
            if not self.labelled:
                text += f", predicted where p >= {self.threshold:g}"
        if self.labelled:
            text += "; decisions by 'pred_label'"
        return text + "."

    def to_frame(self) -> pd.DataFrame:
        """One row per number: both estimates, both intervals, difference, verdict, cause.

        `method` is that of R's interval.
        """
        return pd.DataFrame(
            {
                "metric": [row.metric for row in self.rows],
                "estimator": [row.estimator for row in self.rows],
                "class": [row.class_name for row in self.rows],
                "python": [row.python.estimate for row in self.rows],
                "python_lower": [row.python.lower for row in self.rows],
                "python_upper": [row.python.upper for row in self.rows],
                "r": [row.r.estimate for row in self.rows],
                "r_lower": [row.r.lower for row in self.rows],
                "r_upper": [row.r.upper for row in self.rows],
                "method": [row.r.method for row in self.rows],
                "difference": [row.difference for row in self.rows],
                "tolerance": [row.tolerance for row in self.rows],
                "verdict": [str(row.verdict) for row in self.rows],
                "cause": [row.cause for row in self.rows],
            }
        )

    def to_json(self, path: Path | str | None = None) -> str:
        """The whole report as JSON; an undefined number is null.

        Args:
            path: where to write it as well.
        """
        content = {
            "agrees": self.agrees,
            "summary": self.summary,
            "n": self.n,
            "classes": list(self.classes),
            "positive": self.positive,
            "threshold": self.threshold,
            "dropped": self.dropped,
            "conf_level": self.conf_level,
            "rows": _records(self.to_frame()),
            "confusion": _records(self.counts),
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "python": dict(self.python_versions),
            "r": dict(self.r_versions),
            "backend": self.backend,
        }
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return _written(text, path)

    def to_html(self, path: Path | str | None = None) -> str:
        """The report as one HTML page that needs no other file.

        Args:
            path: where to write it as well.
        """
        from pyside.report_html import page

        return _written(page(self), path)

    def _repr_html_(self) -> str:
        from pyside.report_html import fragment

        return fragment(self)

    def __str__(self) -> str:
        from rich.console import Console

        buffer = StringIO()
        console = Console(
            file=buffer,
            width=TEXT_WIDTH,
            color_system=None,
            legacy_windows=False,
            force_jupyter=False,  # else it writes into the notebook, not into the buffer
        )
        console.print(self, end="")
        return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())

    __repr__ = __str__

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text(self.subject)
        yield self._table(options.max_width)
        if per_class := self._per_class_summary():
            yield Text(per_class)
        for name, text in self.causes():
            yield Text(f"{name}: {text}")
        for note in self.notes:
            yield Text(f"note: {note.text}")
        yield Text(self.summary, style="bold green" if self.agrees else "bold red")

    def _table(self, width: int) -> RenderableType:
        """The numbers, with as many columns as there is room for."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        table.add_column("metric", overflow="fold")
        for heading in ("scikit-learn", "R", f"{100 * self.conf_level:g}% interval"):
            table.add_column(heading, justify="right", no_wrap=True)
        if width >= WIDEST:
            table.add_column("method", no_wrap=True)
        if width >= WIDE:
            table.add_column("difference", justify="right", no_wrap=True)
        table.add_column("verdict", max_width=None if width >= WIDE else 10)
        styles = {Verdict.AGREE: "green", Verdict.BY_DEFINITION: "yellow"}
        for row in self.shown():
            cells = [number(row.python.estimate), number(row.r.estimate), interval(row)]
            if width >= WIDEST:
                cells.append(row.r.method or "")
            if width >= WIDE:
                cells.append(difference(row))
            verdict = Text(str(row.verdict), style=styles.get(row.verdict, "bold red"))
            table.add_row(Text(label(row)), *cells, verdict)
        return table

    def shown(self) -> list[Agreement]:
        """The rows of a table for reading: one-vs-rest rows only where they do not agree."""
        return [
            row
            for row in self.rows
            if row.estimator != PER_CLASS or row.verdict is not Verdict.AGREE
        ]

    def _per_class_summary(self) -> str | None:
        per_class = [row for row in self.rows if row.estimator == PER_CLASS]
        if not per_class:
            return None
        agreeing = sum(row.verdict is Verdict.AGREE for row in per_class)
        return f"one-vs-rest, per class: {agreeing} of {len(per_class)} numbers agree (to_frame())."

    def causes(self) -> list[tuple[str, str]]:
        """Why a shown number is undefined or differs: its name and the cause."""
        return [(label(row), row.cause) for row in self.shown() if row.cause]


def label(row: Agreement) -> str:
    """A number's name for reading."""
    if row.class_name is not None:
        return f"{row.metric} [{row.class_name}]"
    if row.estimator in ("binary", "multiclass"):
        return row.metric
    return f"{row.metric} ({row.estimator})"


def number(value: float) -> str:
    """A number for reading, `NA` where it is undefined."""
    return "NA" if math.isnan(value) else f"{value:.6f}"


def interval(row: Agreement) -> str:
    """R's interval for reading."""
    if math.isnan(row.r.lower):
        return ""
    return f"{row.r.lower:.4f} to {row.r.upper:.4f}"


def count(n: float) -> str:
    """A cell of the confusion matrix for reading: a count, or a sum of weights."""
    return str(int(n)) if float(n).is_integer() else f"{n:.2f}"


def difference(row: Agreement) -> str:
    """A difference for reading."""
    return "" if math.isinf(row.difference) else f"{row.difference:.1e}"


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, with None for what JSON cannot hold."""
    records = frame.astype(object).to_dict("records")
    return [{str(name): _plain(value) for name, value in row.items()} for row in records]


def _plain(value: Any) -> Any:
    if pd.isna(value) or value in (math.inf, -math.inf):
        return None
    return value if isinstance(value, (str, int, float)) else str(value)


def _written(text: str, path: Path | str | None) -> str:
    if path is not None:
        if is_sidecar(Path(path)):
            raise PysideError(
                "A report must not replace the sidecar of a prediction table.",
                found=f"'{path}' is one",
                fix="write the report under another name",
            )
        with atomic_path(Path(path)) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return text
