"""How deep R may go: its own check of the C stack, for the thread that calls it.

rpy2 turns the check off, as R knows the stack of one thread only; recursion without end then ends
the process. Here R is told of the stack of each thread before it is called from there.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Python's own frames lie on the same stack.
_MARGIN = 2**19
_NO_LIMIT = 2 ** (8 * ctypes.sizeof(ctypes.c_void_p)) - 1


@contextmanager
def checked_stack(library: Any) -> Iterator[None]:
    """Let R check its use of this thread's stack; where that is not known, as before.

    Args:
        library: rpy2's handle of R's library.
    """
    bounds = _bounds()
    if bounds is None:
        yield
        return
    before = int(library.R_CStackStart), int(library.R_CStackLimit)
    start, size = bounds
    library.R_CStackStart, library.R_CStackLimit = start + size, size - _MARGIN
    try:
        yield
    finally:
        library.R_CStackStart, library.R_CStackLimit = before


def _bounds() -> tuple[int, int] | None:
    """Where the stack of this thread begins, and its size in bytes."""
    if sys.platform != "linux":
        return None
    pthread = ctypes.CDLL(None)
    pthread.pthread_self.restype = ctypes.c_void_p
    attributes = ctypes.create_string_buffer(256)
    address, size = ctypes.c_void_p(), ctypes.c_size_t()
    this = ctypes.c_void_p(pthread.pthread_self())
    if pthread.pthread_getattr_np(this, attributes):
        return None
    found = pthread.pthread_attr_getstack(attributes, ctypes.byref(address), ctypes.byref(size))
    pthread.pthread_attr_destroy(attributes)
    if found or address.value is None or not 2 * _MARGIN < size.value < _NO_LIMIT // 2:
        return None
    return address.value, size.value
