"""The report as HTML: a fragment for a notebook, a page of its own for a file."""

from __future__ import annotations

from html import escape

from pyside.agreement import Verdict
from pyside.report import ValidationReport, count, difference, interval, label, number

_STYLE = """
.pyside { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; }
.pyside table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
.pyside th, .pyside td { padding: .25em .7em; border-bottom: 1px solid #ddd; text-align: right; }
.pyside .numbers td:not(:first-child), .pyside .numbers th { white-space: nowrap; }
.pyside th { border-bottom: 2px solid #555; }
.pyside td:first-child, .pyside th:first-child, .pyside .left { text-align: left; }
.pyside .agree { color: #17693a; }
.pyside .definition { color: #8a5a00; }
.pyside .disagree { color: #b00020; font-weight: bold; }
.pyside .cell { text-align: center; border: 1px solid #fff; min-width: 3em; }
.pyside .small { color: #555; font-size: 13px; }
"""

_CLASSES = {
    Verdict.AGREE: "agree",
    Verdict.BY_DEFINITION: "definition",
    Verdict.DISAGREE: "disagree",
}


def page(report: ValidationReport) -> str:
    """A whole page that needs no other file."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<title>Validation of predictions</title>"
        "<style>body { max-width: 70em; margin: 2em auto; padding: 0 1em; }</style></head><body>"
        f"{fragment(report, heading='<h1>Validation of predictions</h1>', pictures=True)}"
        "</body></html>\n"
    )


def fragment(report: ValidationReport, *, heading: str = "", pictures: bool = False) -> str:
    """The report as a fragment that carries its own style.

    Args:
        report: the report.
        heading: HTML to begin with.
        pictures: whether the confusion matrix and the ROC curve are drawn.
    """
    state = "agree" if report.agrees else "disagree"
    parts = [
        f'<div class="pyside"><style>{_STYLE}</style>{heading}',
        f"<p>{escape(report.subject)}</p>",
        f'<p class="{state}"><strong>{escape(report.summary)}</strong></p>',
        _numbers(report),
        _listing([f"<b>{escape(name)}</b>: {escape(text)}" for name, text in report.causes()]),
        _listing([escape(note.text) for note in report.notes]),
    ]
    if pictures:
        parts += [_confusion(report), _roc(report)]
    used = {**report.python_versions, **report.r_versions}
    versions = ", ".join(f"{name} {version}" for name, version in used.items())
    parts.append(f'<p class="small">{escape(versions)}; backend {report.backend}</p></div>')
    return "".join(parts)


def _numbers(report: ValidationReport) -> str:
    rows = [
        f"<tr><td>{escape(label(row))}</td><td>{number(row.python.estimate)}</td>"
        f"<td>{number(row.r.estimate)}</td><td>{interval(row)}</td>"
        f'<td class="left small">{escape(row.r.method or "")}</td><td>{difference(row)}</td>'
        f'<td class="left {_CLASSES[row.verdict]}">{escape(str(row.verdict))}</td></tr>'
        for row in report.shown()
    ]
    return (
        '<table class="numbers"><thead><tr><th>metric</th><th>scikit-learn</th><th>R</th>'
        f"<th>{100 * report.conf_level:g}% interval</th>"
        '<th class="left">method</th><th>difference</th>'
        f'<th class="left">verdict</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _listing(items: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""


def _confusion(report: ValidationReport) -> str:
    """Truth in rows, scikit-learn's orientation; shaded by the share of the true class."""
    table = report.counts
    counts = {
        (str(truth), str(predicted)): float(n)
        for truth, predicted, n in zip(table["truth"], table["predicted"], table["n"], strict=True)
    }
    head = "".join(f"<th>{escape(name)}</th>" for name in report.classes)
    rows = []
    for name in report.classes:
        cells = []
        total = sum(counts[name, other] for other in report.classes) or 1
        for other in report.classes:
            share = counts[name, other] / total
            ink = "#fff" if share > 0.55 else "#1a1a1a"
            style = f"background:rgba(23,55,94,{share:.3f});color:{ink}"
            cells.append(f'<td class="cell" style="{style}">{count(counts[name, other])}</td>')
        rows.append(f"<tr><th>{escape(name)}</th>{''.join(cells)}</tr>")
    weighted = " Sums of weights." if table["n"].dtype.kind == "f" else ""
    return (
        "<h2>Confusion matrix</h2><p>Truth in rows, predictions in columns, as in scikit-learn."
        f"{weighted}</p><table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _roc(report: ValidationReport, size: int = 320) -> str:
    if report.roc is None or report.roc.curve.empty:
        return ""
    curve = report.roc.curve
    points = " ".join(
        f"{size * (1 - specificity):.1f},{size * (1 - sensitivity):.1f}"
        for specificity, sensitivity in zip(curve["specificity"], curve["sensitivity"], strict=True)
    )
    return (
        f"<h2>ROC curve</h2><p>Area {number(report.roc.auc)} for positive class "
        f"'{escape(report.roc.positive)}'. Across: 1 - specificity; up: sensitivity.</p>"
        f'<svg width="{size + 20}" height="{size + 20}" viewBox="-10 -10 {size + 20} {size + 20}" '
        'role="img" aria-label="ROC curve">'
        f'<rect width="{size}" height="{size}" fill="none" stroke="#999"/>'
        f'<line x1="0" y1="{size}" x2="{size}" y2="0" stroke="#bbb" stroke-dasharray="4"/>'
        f'<polyline points="{points}" fill="none" stroke="#17375e" stroke-width="2"/></svg>'
    )
