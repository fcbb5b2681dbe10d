"""R in this process, through rpy2: started once, and called by one thread at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyside.bridge.backend import opened, timed_out
from pyside.bridge.interrupts import Interrupts
from pyside.bridge.library import library_for
from pyside.bridge.request import Call
from pyside.bridge.runtime import RInstallation, find_r, require_rpy2, time_zone
from pyside.bridge.stack import checked_stack
from pyside.bridge.subprocess import SubprocessBackend
from pyside.errors import BridgeError

_starting = threading.Lock()
_session: _Session | None = None

# R listens for interrupts between its own steps; within one, on as many rows, it is a moment.
_STOPPABLE_ROWS = 100_000


class _Session:
    """The one R of this process, with `rside` loaded."""

    def __init__(self) -> None:
        self.r = find_r()
        require_rpy2(self.r)
        library = library_for(self.r)
        # rpy2 reads both when it is imported.
        os.environ["R_HOME"] = str(self.r.home)
        zone_was = os.environ.get("TZ")
        os.environ["TZ"] = time_zone()
        try:
            import rpy2.rinterface as ri

            ri.initr()
        except Exception as error:
            raise BridgeError(
                f"R {self.r.version} must start in this process.",
                found=f"{type(error).__name__}: {error}",
                fix='use backend="subprocess", which needs no rpy2',
            ) from error
        finally:
            if zone_was is None:
                del os.environ["TZ"]
        from rpy2.rinterface_lib.openrlib import rlib, rlock

        self._lock, self._library = rlock, rlib
        self.interrupts = Interrupts(rlib)
        self.pid = os.getpid()
        with self.gate():
            self._load(str(library))

    def _load(self, library: str) -> None:
        import rpy2.rinterface as ri

        base = ri.baseenv
        paths = ri.StrSexpVector([library, *base[".libPaths"]()])
        base[".libPaths"](paths)
        try:
            namespace = base["loadNamespace"](ri.StrSexpVector(["rside"]))
        except ri.embedded.RRuntimeError as error:
            raise BridgeError(
                "rside must load in R.", found=str(error).strip(), fix="see that its packages load"
            ) from error
        self._namespace = namespace
        self.bridge_call = self.function("bridge_call")

    def function(self, name: str) -> Any:
        """One of rside's functions, to be called within the gate."""
        import rpy2.rinterface as ri

        return ri.baseenv["get"](ri.StrSexpVector([name]), envir=self._namespace)

    def attach(self) -> None:
        """Let R code at top level use rside's functions by name, as after `library(rside)`."""
        import rpy2.rinterface as ri

        character_only = {"character.only": ri.BoolSexpVector([True])}
        ri.baseenv["library"](ri.StrSexpVector(["rside"]), **character_only)
        self._guard_quit()

    def _guard_quit(self) -> None:
        """Put a refusal before base R's `quit()`, which would end Python without a word."""
        import rpy2.rinterface as ri

        name = "pyside:guard"
        if name in ri.baseenv["search"]():
            return
        refusal = self.function("no_quit")
        guard = ri.ListSexpVector([refusal, refusal])
        guard.do_slot_assign("names", ri.StrSexpVector(["quit", "q"]))
        quietly = {"warn.conflicts": ri.BoolSexpVector([False])}
        ri.baseenv["attach"](guard, name=ri.StrSexpVector([name]), **quietly)

    @contextmanager
    def gate(self, timeout: float | None = None) -> Iterator[None]:
        """Hold R's lock, and rpy2's conversion rules, which are lost in every other thread.

        In the main thread Ctrl-C stops R, and is raised when the gate closes.

        Args:
            timeout: seconds to wait for the lock, while other threads call R.

        Raises:
            BridgeError: in a forked process, or if R is busy for longer.
        """
        if os.getpid() != self.pid:
            raise BridgeError(
                "R must be called in the process that started it.",
                found=f"R was started in process {self.pid}, this is {os.getpid()} (a fork)",
                fix='start the process by "spawn", or use backend="subprocess"',
            )
        from rpy2.robjects import default_converter

        if not self._lock.acquire(timeout=-1 if timeout is None else timeout):
            raise timed_out(timeout or 0.0)
        try:
            with (
                default_converter.context(),
                checked_stack(self._library),
                self.interrupts.on_ctrl_c(),
            ):
                yield
        finally:
            self._lock.release()


def session() -> _Session:
    """The R of this process; starts it the first time.

    Raises:
        BridgeError: if R, rpy2 or a package is missing, or does not fit.
    """
    global _session
    with _starting:
        if _session is None:
            _session = _Session()
        return _session


def started_elsewhere() -> bool:
    """Whether R was started in the process that this one was forked from."""
    return _session is not None and _session.pid != os.getpid()


class EmbeddedBackend:
    """Calls the R of this process; vectors are filled from buffers, in one copy.

    Args:
        timeout: seconds that R may take for a call. Where the table is so long that R may not
            listen in time, the call runs in a process of its own, which can be ended.
    """

    name = "embedded"

    def __init__(self, *, timeout: float | None = None) -> None:
        self._session = session()
        self.r: RInstallation = self._session.r
        self._timeout = timeout

    def call(self, call: Call) -> Any:
        """See `Backend.call`."""
        from pyside.bridge.convert import from_r, to_r

        if self._timeout is not None and call.rows() > _STOPPABLE_ROWS:
            return SubprocessBackend(timeout=self._timeout).call(call)
        request = call.to_json()
        r = self._session
        with r.gate(self._timeout), r.interrupts.after(self._timeout) as deadline:
            frames = to_r(call.needed())
            envelope = from_r(self._session.bridge_call(to_r(request), frames))
        # An interrupt may end as an error, where R was in the midst of handling something.
        if deadline.passed and not envelope["ok"][0]:
            raise timed_out(deadline.seconds)
        if "interrupted" in envelope:
            raise KeyboardInterrupt
        return opened(envelope)
