"""The verb `pyside runs`: what was trained, side by side."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyside.run_store import (
    RunFacts,
    differences,
    export_run,
    facts_of,
    find_runs,
    import_run,
    prune,
    sort_runs,
)
from pyside.runs import Run

_SHOWN = ("val_accuracy", "test_accuracy", "seconds")


def add_actions(parser: argparse.ArgumentParser) -> None:
    """Add what can be done with runs, each with its handler as `action`."""
    parser.add_argument(
        "--root", type=Path, default=Path("runs"), metavar="DIR", help="where the runs lie (runs)"
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")

    def action(name: str, help_: str, do: Callable[[argparse.Namespace], None]) -> Any:
        added = actions.add_parser(name, help=help_, description=help_)
        added.set_defaults(action=do)
        return added

    listed = action("list", "List runs, the latest or the best first.", _list)
    listed.add_argument("--sort", metavar="METRIC", help="the best first; its name decides which")
    best = action("best", "Print the folder of the best run.", _best)
    best.add_argument("--by", metavar="METRIC", default="val_accuracy", help="(val_accuracy)")
    compared = action("compare", "Show options that differ, and numbers, of two runs.", _compare)
    compared.add_argument("runs", nargs=2, metavar="RUN", type=Path)
    pruned = action("prune", "Remove finished runs, all but the best.", _prune)
    pruned.add_argument("--keep", type=int, required=True, metavar="N")
    pruned.add_argument("--by", metavar="METRIC", default="val_accuracy", help="(val_accuracy)")
    pruned.add_argument("--yes", action="store_true", help="remove; without it they are named only")
    exported = action("export", "Write a run as one zip.", _export)
    exported.add_argument("run", metavar="RUN", type=Path)
    exported.add_argument("zip", metavar="ZIP", type=Path)
    imported = action("import", "Take a run back from a zip.", _import)
    imported.add_argument("zip", metavar="ZIP", type=Path)


def _list(arguments: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.table import Table

    runs = find_runs(arguments.root)
    shown = list(_SHOWN)
    if arguments.sort:
        runs = sort_runs(runs, arguments.sort)
        shown = list(dict.fromkeys([arguments.sort, *shown]))
    table = Table("run", "state", "data", *shown, box=None)
    for facts in runs:
        numbers = [_number(facts.numbers.get(name)) for name in shown]
        table.add_row(facts.name, facts.state, str(facts.options["data"]), *numbers)
    Console().print(table)


def _best(arguments: argparse.Namespace) -> None:
    print(sort_runs(find_runs(arguments.root), arguments.by)[0].run.folder)


def _compare(arguments: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.table import Table

    one, other = (_facts(path) for path in arguments.runs)
    table = Table("", one.name, other.name, box=None)
    for name, first, second in differences(one, other):
        table.add_row(name, _number(first), _number(second))
    Console().print(table)


def _prune(arguments: argparse.Namespace) -> None:
    runs = find_runs(arguments.root)
    gone = prune(runs, arguments.by, arguments.keep, really=arguments.yes)
    for facts in gone:
        print(f"{'removed' if arguments.yes else 'would remove'} {facts.run.folder}")
    if gone and not arguments.yes:
        print("nothing was removed: say --yes")


def _export(arguments: argparse.Namespace) -> None:
    print(export_run(Run.open(arguments.run), arguments.zip))


def _import(arguments: argparse.Namespace) -> None:
    print(import_run(arguments.zip, arguments.root).folder)


def _facts(path: Path) -> RunFacts:
    run = Run.open(path)
    facts = facts_of(run)
    if facts is None:
        run.read_config()  # says what is wrong with it
        raise AssertionError("a run with a config has facts")
    return facts


def _number(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
