"""When a training saves, and when it stops: at a signal, or before its time is over."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Watch:
    """Says between two steps whether to save, and whether to stop.

    Args:
        save_seconds: how long to train between two saves.
        max_seconds: how long the whole may take, from `started` on; no limit if none.
        started: when the whole began, by `time.monotonic`.
    """

    def __init__(self, save_seconds: float, max_seconds: float | None, started: float) -> None:
        self._save_seconds = save_seconds
        self._end = None if max_seconds is None else started + max_seconds
        self._signal: str | None = None
        self._saved = self._looked = time.monotonic()
        self._step = self._save = 0.0

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGTERM and Ctrl-C as a wish to stop after the step; a second one ends at once.

        Python gives signals to its main thread only: in others nothing changes.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self._note) for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._signal is not None:
            raise KeyboardInterrupt
        self._signal = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name

    def step_ended(self) -> None:
        """Learn how long a step takes, so as to stop in time for the next one."""
        now = time.monotonic()
        self._step = max(0.9 * self._step, now - self._looked)
        self._looked = now

    @property
    def reason(self) -> str | None:
        """Why to stop now, if there is a reason."""
        if self._signal is not None:
            return self._signal
        if self._end is not None and time.monotonic() + 2 * self._step + 2 * self._save > self._end:
            return "the time budget"
        return None

    @property
    def save_is_due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() - self._saved >= self._save_seconds

    def saved(self, seconds: float) -> None:
        """Note a save, and how long it took."""
        self._saved = self._looked = time.monotonic()
        self._save = max(0.5 * self._save, seconds)
