"""Locks on files.

A lock is released when its process ends.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from structsvm.exceptions import ArchiveError

try:
    import fcntl
except ImportError:  # Windows has no fcntl
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
else:

    def _lock(descriptor: int) -> None:
        # flock would share the lock with forked processes, which might outlive this one.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


logger = logging.getLogger(__name__)

#: The errors that are raised if another process holds the lock.
HELD = (errno.EACCES, errno.EAGAIN)
#: The files locked by this process, because locks of one process do not exclude each other.
_own: set[tuple[int, str]] = set()
_guard = threading.Lock()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Within the context, prevent other runs in this or any other process from using a file.

    A second file beside `path`, with the ending '.lock', carries the lock. The lock file is removed
    at the end of the context. If a process is killed, its lock is released, but the lock file may
    remain. If the file system does not support locks, other processes can still use the file.

    Raises
    ------
    ArchiveError
        If a different run is using the file.
    """
    beside = path.with_name(f".{path.name}.lock")
    own = os.getpid(), os.path.realpath(beside)
    in_use = ArchiveError(
        f"{path} is in use by another run; wait for its end, or choose another path for this one"
    )
    with _guard:
        if own in _own:
            raise in_use
        _own.add(own)
    descriptor = None
    try:
        try:
            descriptor = _acquired(beside)
        except OSError as error:
            # Without write access the error has another reason: the second file cannot be opened.
            if error.errno in HELD and os.access(beside, os.W_OK):
                raise in_use from None
            logger.warning("%s is used without a lock: %s", path, error)
        yield
    finally:
        if descriptor is not None:
            with suppress(OSError):  # Windows does not remove open files, so the file remains there
                beside.unlink()
            os.close(descriptor)
        _own.discard(own)


def _acquired(beside: Path) -> int:
    """Lock the file, and return its descriptor.

    Raise an OSError if the file cannot be locked.
    """
    while True:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
            if os.path.samestat(os.fstat(descriptor), os.stat(beside)):
                return descriptor
        except FileNotFoundError:
            pass
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the last owner removed the file before it was locked: try again
