"""What is measured in processes of their own: imports, the first call, memory.

As a script it is such a process: it does one task, and prints what it found as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tables import Labels

R_PACKAGES = ("data.table", "caret", "pROC")
# R takes room until its collector first runs, which is no leak.
_WARM_UP = 1000
_NEVER = ("rpy2", "torch", "sklearn")


def run(task: str, *arguments: object) -> Any:
    """What a task finds in a fresh process.

    Raises:
        RuntimeError: if the process fails, with what it said.
    """
    return json.loads(python(__file__, task, *map(str, arguments)).splitlines()[-1])


def python(*arguments: str) -> str:
    """What a fresh Python prints.

    Raises:
        RuntimeError: if it fails, with what it said.
    """
    environment = {"TZ": "UTC", **os.environ}
    answer = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment
    )
    if answer.returncode != 0:
        raise RuntimeError(answer.stderr.strip()[-500:] or f"exit code {answer.returncode}")
    return answer.stdout


def loaded_by_import() -> list[str]:
    """What `import pyside` should not load, and does: modules, and R itself."""
    import pyside  # noqa: F401  (what is measured)

    modules = sorted({name.split(".")[0] for name in sys.modules} & set(_NEVER))
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return modules + (["libR"] if "libR.so" in maps else [])


def first_validate(rows: str) -> dict[str, float]:
    """How long the first validate() of a process takes, its lazy imports and R's start included."""
    from tables import table

    frame = table(int(rows), 2, "str")
    start = time.perf_counter()
    import pyside

    pyside.validate(frame)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "again": _seconds(lambda: pyside.validate(frame))}


def start_r() -> dict[str, float]:
    """How long it takes to start R in this process, and to load the packages that rside needs."""
    import pandas  # noqa: F401  (the other side has it before it starts its clock)

    start = time.perf_counter()
    import rpy2.rinterface as ri

    ri.initr()
    started = time.perf_counter()
    for name in R_PACKAGES:
        ri.baseenv["loadNamespace"](ri.StrSexpVector([name]))
    done = time.perf_counter()
    return {"seconds": done - start, "start": started - start}


def peak_memory(rows: str, labels: Labels) -> dict[str, int]:
    """By how much a conversion to R raises the peak of this process, and the size of its result."""
    from tables import table

    from pyside.bridge.convert import data_frame
    from pyside.bridge.embedded import session

    frame = table(int(rows), 2, labels)
    r = session()
    with r.gate():
        import rpy2.rinterface as ri

        data_frame(frame.head(10_000))  # what is loaded and compiled once is no cost of a frame
        gc.collect()
        ri.baseenv["gc"]()
        # The peak so far is forgotten: to make a frame takes more than the frame.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before = _status("VmHWM")
        made = data_frame(frame)
        after = _status("VmHWM")
        size = ri.globalenv.find("object.size")(made)[0]
    return {"growth": after - before, "size": int(size)}


def growth(what: str, calls: str) -> dict[str, float]:
    """The slope of this process's memory over many calls, by least squares, after a warm-up."""
    n = int(calls)
    call = _calls()[what]
    for _ in range(_WARM_UP):
        call()
    every = max(n // 200, 1)
    at, sizes, start = [], [], time.perf_counter()
    for i in range(n):
        call()
        if i % every == 0:
            at.append(i)
            sizes.append(_status("VmRSS"))
    seconds = time.perf_counter() - start
    slope = float(np.polyfit(at, sizes, 1)[0])
    return {"slope": slope, "change": sizes[-1] - sizes[0], "per_call": seconds / n}


def _calls() -> Mapping[str, Callable[[], object]]:
    from tables import table

    from pyside import Predictions, RSide
    from pyside.bridge.convert import data_frame, from_r
    from pyside.bridge.embedded import session

    rside, r = RSide("embedded"), session()
    small = Predictions.from_frame(table(50, 2, "str"))
    frame = table(1000, 2, "str")

    def both_ways() -> object:
        with r.gate():
            return from_r(data_frame(frame))

    return {"auc_ci": lambda: rside.auc_ci(small), "conversions": both_ways}


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _status(field: str) -> int:
    """A size from the kernel's account of this process, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"the kernel's account has no {field}")


_TASKS: Mapping[str, Callable[..., Any]] = {
    "loaded_by_import": loaded_by_import,
    "first_validate": first_validate,
    "start_r": start_r,
    "peak_memory": peak_memory,
    "growth": growth,
}

if __name__ == "__main__":
    print(json.dumps(_TASKS[sys.argv[1]](*sys.argv[2:])))
