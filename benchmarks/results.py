"""Figures against their goals, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pyside.files import atomic_path

_HEADER = ("work", "ours", "against", "other", "ratio", "goal", "met")


@dataclass(frozen=True)
class Goal:
    """A bound of a ratio or a figure, and how to say it."""

    bound: float
    at_least: bool
    text: str

    def met_by(self, value: float) -> bool:
        """Whether a value keeps to the bound."""
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True)
class Row:
    """One comparison, every figure as text; `met` is None where no goal was set."""

    work: str
    ours: str
    against: str = ""
    other: str = ""
    ratio: str = ""
    goal: str = ""
    met: bool | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a table, in the order of its header."""
        met = {None: "", True: "met", False: "NOT MET"}[self.met]
        return (self.work, self.ours, self.against, self.other, self.ratio, self.goal, met)


def faster(work: str, ours: float, against: str, other: float, goal: float | None = None) -> Row:
    """A row that says how many times faster ours is; both in seconds."""
    ratio = other / ours
    bound = Goal(goal, True, f">= {goal:g} x faster") if goal else None
    return _compared(work, _ms(ours), against, _ms(other), f"{ratio:.3g} x faster", ratio, bound)


def within(work: str, ours: float, against: str, other: float, goal: float | None = None) -> Row:
    """A row that says how many times the other's time ours takes; both in seconds."""
    ratio = ours / other
    bound = Goal(goal, False, f"<= {goal:g} x") if goal else None
    return _compared(work, _ms(ours), against, _ms(other), f"{ratio:.2f} x", ratio, bound)


def memory(work: str, ours: float, against: str, other: float, goal: float) -> Row:
    """A row that compares bytes."""
    ratio = ours / other
    bound = Goal(goal, False, f"<= {goal:g} x")
    return _compared(work, _mb(ours), against, _mb(other), f"{ratio:.2f} x", ratio, bound)


def figure(work: str, text: str, value: float, goal: Goal) -> Row:
    """A row of one figure that has a bound of its own."""
    return Row(work, text, goal=goal.text, met=goal.met_by(value))


def failed(work: str, error: BaseException) -> Row:
    """A row for what could not be measured."""
    return Row(work, f"failed: {type(error).__name__}: {str(error).strip()}"[:300], met=False)


def _compared(
    work: str, ours: str, against: str, other: str, shown: str, ratio: float, goal: Goal | None
) -> Row:
    if goal is None:
        return Row(work, ours, against, other, shown)
    return Row(work, ours, against, other, shown, goal.text, goal.met_by(ratio))


def show(facts: Mapping[str, str], rows: Sequence[Row], notes: Sequence[str]) -> None:
    """Print the facts, the table and the notes."""
    console = Console()
    width = None if console.is_terminal else 200
    console = Console(width=width, highlight=False)
    for name, fact in facts.items():
        console.print(f"{name}: {fact}", markup=False)
    table = Table(*_HEADER)
    for row in rows:
        table.add_row(*row.cells)
    console.print(table)
    for note in notes:
        console.print(f"- {note}", markup=False)


def write_markdown(
    path: Path, title: str, facts: Mapping[str, str], rows: Sequence[Row], notes: Sequence[str]
) -> None:
    """Write the same as Markdown; the file is there whole or not at all."""
    lines = [f"# {title}", "", *(f"- {name}: {fact}" for name, fact in facts.items()), ""]
    lines += [_line(_HEADER), _line(["---"] * len(_HEADER))]
    lines += [_line(row.cells) for row in rows]
    lines += ["", *(f"- {note}" for note in notes)]
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"


def _mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
