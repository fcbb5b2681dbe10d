"""Times of rivals in one run, and the facts of the machine they ran on."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as distribution_version
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Rival:
    """One way to do a work.

    Attributes:
        run: does it once; what it returns is released outside the measured time.
        repeats: how often it runs in a round; more than once if it is quick.
    """

    run: Callable[[], object]
    repeats: int = 1


def medians(
    rivals: Mapping[str, Rival], *, rounds: int, between: Callable[[], object] = gc.collect
) -> dict[str, float]:
    """The median seconds of each rival, after one run of each that does not count.

    The rivals take turns (ABAB...), so that other work on the machine slows all of them.

    Args:
        rivals: by name.
        rounds: how many turns each has.
        between: runs before each measurement, such as the collectors of garbage.
    """
    for rival in rivals.values():
        rival.run()
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, rival in rivals.items():
            for _ in range(rival.repeats):
                between()
                seconds[name].append(seconds_of(rival.run))
    return {name: median(values) for name, values in seconds.items()}


def seconds_of(run: Callable[[], object]) -> float:
    """How long it takes to do something once."""
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    del result
    return seconds


def facts(distributions: Sequence[str], **others: str) -> dict[str, str]:
    """What figures depend on: the date, the machine, and the versions of what runs.

    Args:
        distributions: names of Python distributions.
        others: further facts by name, such as the version of R.
    """
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "system": _system(),
        "CPU": f"{_cpu()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "Python": platform.python_version(),
        **others,
        **{name: _version(name) for name in distributions},
    }


def _version(name: str) -> str:
    try:
        return distribution_version(name)
    except PackageNotFoundError:
        return "not installed"


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
