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
#: Number of threads that search now, and the descriptor that standard output has after them.
_searches, _output = 0, -1
#: The file, and the process that opened it: a forked one needs a file of its own.
_file: Any = None
_opened_by = -1
_libc = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


@contextmanager
def without_debug_line() -> Iterator[None]:
    """A context in which standard output goes to a file; all but the line follows at its end.

    So nothing that other threads print meanwhile is lost. A process without standard output is left
    as it is.
    """
    try:
        _divert()
    except OSError:
        yield
        return
    try:
        yield
    finally:
        _restore()


def _divert() -> None:
    global _searches, _output, _file, _opened_by
    with _lock:
        if not _searches:
            if _opened_by != os.getpid():
                _file, _opened_by = tempfile.TemporaryFile(), os.getpid()  # noqa: SIM115
            _libc.fflush(None)
            _output = os.dup(OUTPUT)
            os.dup2(_file.fileno(), OUTPUT)
        _searches += 1


def _restore() -> None:
    global _searches
    with _lock:
        _searches -= 1
        if _searches:
            return
        _libc.fflush(None)
        os.dup2(_output, OUTPUT)
        os.close(_output)
        if _file.tell():  # the descriptors share their place in the file
            _file.seek(0)
            printed = _file.read().replace(LINE, b"")
            _file.seek(0)
            _file.truncate()
            os.write(OUTPUT, printed)
