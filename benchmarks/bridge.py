"""What the bridge costs, beside what others cost, measured in one run.

    python benchmarks/bridge.py [--quick] [--rows N] [--markdown FILE]

A figure that misses its goal is printed as NOT MET; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median

import processes
import results
from results import Goal, Row
from timing import Rival, facts, medians

from pyside.bridge import find_r

_DISTRIBUTIONS = (
    *("pyside-rside", "rpy2-rinterface", "rpy2-robjects"),
    *("pandas", "numpy", "pyarrow", "scikit-learn"),
)
_GOALS_ROWS = 1_000_000
_FLAT = 100  # bytes per call: 1 MB in 10,000 calls, when R's pages alone are 2 to 4 MB


def main() -> None:
    """Measure, print, and write the Markdown if asked to."""
    options = _options()
    notes = [
        f"Times are medians: {options.rounds} rounds of what is slow, three times as many of what "
        "takes milliseconds, in turns (ABAB...), after one run of each that does not count.",
        "Before it is timed, every conversion is seen to give the same data.frame (identical() "
        "up to character or factor, row names aside) or the same frame.",
    ]
    if options.quick or options.rows != _GOALS_ROWS:
        notes.append(f"The goals are for {_GOALS_ROWS:,} rows, and 10,000 calls: this is a trial.")
    rows = list(_rows(options, notes.append))
    about = facts(_DISTRIBUTIONS, R=str(find_r().version))
    results.show(about, rows, notes)
    if options.markdown:
        results.write_markdown(options.markdown, "The bridge", about, rows, notes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What the bridge costs, beside what others cost.")
    parser.add_argument("--rows", type=int, default=_GOALS_ROWS, help="rows of the conversions")
    parser.add_argument("--rounds", type=int, default=5, help="turns that each rival has")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows and calls")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there too")
    options = parser.parse_args()
    if options.quick:
        options.rows //= 10
    return options


def _rows(options: argparse.Namespace, note: Callable[[str], None]) -> Iterator[Row]:
    import conversions

    rows, rounds = options.rows, options.rounds
    calls = 1000 if options.quick else 10_000
    parts: dict[str, Callable[[], Iterable[Row]]] = {
        "import": lambda: _import(rounds, note),
        "first validate()": lambda: _first_validate(rounds, note),
        "peak memory": lambda: _peak_memory(10 * rows),
        "memory over calls": lambda: _growth(calls, note),
        "pandas to R": lambda: conversions.to_r_rows(rows, rounds, note),
        "R to pandas": lambda: conversions.from_r_rows(rows, rounds, note),
    }
    for name, measure in parts.items():
        try:
            for row in measure():
                print(" ".join(filter(None, row.cells)), flush=True)
                yield row
        except Exception as error:  # the other parts are worth having
            yield results.failed(name, error)


def _import(rounds: int, note: Callable[[str], None]) -> Iterator[Row]:
    seconds = medians(
        {
            "pyside": Rival(lambda: processes.python("-c", "import pyside"), 3),
            "pass": Rival(lambda: processes.python("-c", "pass"), 3),
        },
        rounds=rounds,
    )
    loaded = processes.run("loaded_by_import")
    goal = Goal(0.15, at_least=False, text="< 150 ms, process and all")
    yield results.figure(
        "python -c 'import pyside'", f"{seconds['pyside'] * 1000:.1f} ms", seconds["pyside"], goal
    )
    nothing = Goal(0, at_least=False, text="neither R, torch nor scikit-learn")
    yield results.figure(
        "import pyside loads", ", ".join(loaded) or "none of them", len(loaded), nothing
    )
    note(f"python -c pass takes {seconds['pass'] * 1000:.1f} ms of the time of the import.")


def _first_validate(rounds: int, note: Callable[[str], None]) -> Iterator[Row]:
    found: dict[str, list[dict[str, float]]] = {"ours": [], "r": []}
    for _ in range(rounds + 1):
        found["ours"].append(processes.run("first_validate", 10_000))
        found["r"].append(processes.run("start_r"))
    middle = {
        f"{who} {what}": median([one[what] for one in answers[1:]])
        for who, answers in found.items()
        for what in answers[0]
    }
    against = "starting R, loading data.table, caret, pROC"
    work = "first validate() of a process, 10,000 rows"
    yield results.within(work, middle["ours seconds"], against, middle["r seconds"], 1.3)
    note(
        f"Starting R alone takes {middle['r start'] * 1000:.0f} ms, the second validate() "
        f"{middle['ours again'] * 1000:.0f} ms. pandas is imported before either clock starts."
    )


def _peak_memory(rows: int) -> Iterator[Row]:
    for labels in ("object", "str", "category"):
        found = processes.run("peak_memory", rows, labels)
        work = f"peak memory, {rows:,} rows, 2 classes, labels {labels}, to R"
        yield results.memory(work, found["growth"], "the data.frame in R", found["size"], 1.1)


def _growth(calls: int, note: Callable[[str], None]) -> Iterator[Row]:
    works = {"auc_ci": "auc_ci() of 50 rows", "conversions": "1,000 rows to R and back"}
    for task, work in works.items():
        found = processes.run("growth", task, calls)
        goal = Goal(_FLAT, at_least=False, text=f"flat: <= {_FLAT} bytes per call")
        text = f"{found['slope']:.1f} bytes per call"
        yield results.figure(f"memory over {calls:,} calls: {work}", text, found["slope"], goal)
        note(
            f"{work}, {calls:,} calls: from the first to the last of them the process grew by "
            f"{found['change'] / 1e6:.2f} MB; a call takes {found['per_call'] * 1000:.2f} ms."
        )


if __name__ == "__main__":
    main()
