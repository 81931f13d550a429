"""Standard output without the line that HiGHS 1.12 prints of its own accord."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Printed whenever it repairs a solution, whatever its options; scipy 1.17 contains HiGHS 1.12.
LINE = b"HighsMipSolverData::transformNewIntegerFeasibleSolution tmpSolver.run();\n"
#: The file descriptor of standard output.
OUTPUT = 1

_lock = threading.Lock()
#: The searches that run now, and the descriptor of standard output while it is diverted.
_searches: set[object] = set()
_output = -1
#: The file, and the process that opened it: a forked one needs a file of its own.
_file: Any = None
_opened_by = -1
_libc = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


@contextmanager
def without_debug_line() -> Iterator[None]:
    """A context in which standard output goes to a file; all but the line follows at its end.

    So nothing that other threads print meanwhile is lost, though it may be late; only what another
    program prints that a thread starts meanwhile is. A process without standard output is left as
    it is.
    """
    search = object()
    try:
        _divert(search)
        yield
    finally:
        _restore(search)


def _divert(search: object) -> None:
    # After an interruption at any line, _restore puts back what was done until then.
    global _output, _file, _opened_by
    with _lock:
        _searches.add(search)
        if _output >= 0:
            return
        try:
            if _opened_by != os.getpid():
                _file, _opened_by = tempfile.TemporaryFile(), os.getpid()  # noqa: SIM115
            _libc.fflush(None)
            _output = os.dup(OUTPUT)
            os.dup2(_file.fileno(), OUTPUT)
        except OSError:
            _output = -1


def _restore(search: object) -> None:
    global _output
    with _lock:
        _searches.discard(search)
        if _searches or _output < 0:
            return
        _libc.fflush(None)
        os.dup2(_output, OUTPUT)
        os.close(_output)
        _output = -1
        if _file.tell():  # the descriptors share their place in the file
            _file.seek(0)
            printed = _file.read().replace(LINE, b"")
            _file.seek(0)
            _file.truncate()
            os.write(OUTPUT, printed)


def _after_fork() -> None:
    """Give the new process, in which no other thread searches, its standard output back."""
    global _output
    _searches.clear()
    if _output >= 0:
        os.dup2(_output, OUTPUT)
        os.close(_output)
        _output = -1
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_after_fork
    )
