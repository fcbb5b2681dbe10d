"""Stop R where Python wants to: on Ctrl-C, and at a deadline.

While C code runs, Python only notes that a signal came; R would go on to the end of its work. So
the bytes that Python's signal handling writes are read by a thread of our own, which tells R to
stop at the next point where it allows that: in a loop of R code, at once.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any


@dataclass
class Deadline:
    """Whether R was told to stop because its time was over."""

    seconds: float
    passed: bool = False


class Interrupts:
    """Tells the R of this process to stop.

    Args:
        library: rpy2's handle of R's library.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self._stopping = threading.Lock()
        self._listening = False
        self._others = -1
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        threading.Thread(target=self._listen, name="pyside-interrupts", daemon=True).start()

    @contextmanager
    def on_ctrl_c(self) -> Iterator[None]:
        """Stop R on SIGINT; at the end, what SIGINT does elsewhere in the process happens.

        Python gives signals to its main thread only: in another one nothing changes.
        """
        handler = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or not callable(handler) or self._listening:
            yield
            return
        came: list[FrameType | None] = []

        def note(number: int, frame: FrameType | None) -> None:
            came.append(frame)

        # An exception within one of rpy2's callbacks would be lost: it is raised afterwards.
        signal.signal(signal.SIGINT, note)
        self._others = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        self._listening = True
        try:
            yield
        finally:
            with self._stopping:
                self._listening = False
            signal.set_wakeup_fd(self._others)
            signal.signal(signal.SIGINT, handler)
            if came:
                self._library.R_interrupts_pending = 0
                try:
                    handler(signal.SIGINT, came[0])
                except KeyboardInterrupt:
                    # What R and rpy2 made of it on the way is no news.
                    raise KeyboardInterrupt from None

    @contextmanager
    def after(self, seconds: float | None) -> Iterator[Deadline]:
        """Stop R after some seconds, if any are stated."""
        deadline = Deadline(math.inf if seconds is None else seconds)
        if seconds is None:
            yield deadline
            return

        def end() -> None:
            deadline.passed = True
            self._library.R_interrupts_pending = 1

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield deadline
        finally:
            timer.cancel()
            timer.join()
            if deadline.passed:
                self._library.R_interrupts_pending = 0

    def _listen(self) -> None:
        while True:
            signals = os.read(self._reader, 64)
            with self._stopping:
                if self._listening and signal.SIGINT in signals:
                    self._library.R_interrupts_pending = 1
            if self._others >= 0:
                # Whoever listened before, such as an event loop, still hears of every signal.
                with suppress(OSError):
                    os.write(self._others, signals)
