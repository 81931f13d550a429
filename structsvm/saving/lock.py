"""A lock on a file, which ends with the process that holds it."""

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
except ImportError:  # on Windows
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
else:

    def _lock(descriptor: int) -> None:
        # A lock of flock would pass to forked processes, and outlive this one in them.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


logger = logging.getLogger(__name__)

#: The errors that say that another process holds the lock.
HELD = (errno.EACCES, errno.EAGAIN)
#: The files locked by this process, whose own locks do not exclude each other.
_own: set[tuple[int, str]] = set()
_guard = threading.Lock()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other runs, of this or another process, from using a file meanwhile.

    The operating system locks a file beside it, which is removed at the end. A process that is
    killed may leave that file, but not the lock. Where the file system has no
    locks, only runs of this process are kept out.

    Raises
    ------
    ArchiveError
        Another run uses it.
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
            # Else the file beside it cannot be opened.
            if error.errno in HELD and os.access(beside, os.W_OK):
                raise in_use from None
            logger.warning("%s is used without a lock: %s", path, error)
        yield
    finally:
        if descriptor is not None:
            with suppress(OSError):  # Windows removes no open file, so there it stays
                beside.unlink()
            os.close(descriptor)
        _own.discard(own)


def _acquired(beside: Path) -> int:
    """The descriptor of the file that is locked; an OSError says why there is none."""
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
        os.close(descriptor)  # its last owner removed it before it was locked
