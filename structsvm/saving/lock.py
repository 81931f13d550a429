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
    with _guard:
        if own in _own:
            raise _in_use(path)
        _own.add(own)
    try:
        descriptor = _acquired(beside, path)
        try:
            yield
        finally:
            _release(descriptor, beside)
    finally:
        _own.discard(own)


def _acquired(beside: Path, path: Path) -> int | None:
    """The descriptor of the file that is locked; None where there can be no lock."""
    descriptor = None
    try:
        while True:
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
            _lock(descriptor)
            if _is_there(descriptor, beside):
                return descriptor
            os.close(descriptor)  # its last owner removed it before it was locked
            descriptor = None
    except OSError as error:
        if descriptor is not None:
            os.close(descriptor)
            if error.errno in HELD:
                raise _in_use(path) from None
        logger.warning("%s is used without a lock: %s", path, error)
        return None


def _is_there(descriptor: int, beside: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(beside))
    return False


def _release(descriptor: int | None, beside: Path) -> None:
    """Remove the file while it is locked; Windows removes no open one, so there it stays."""
    if descriptor is not None:
        with suppress(OSError):
            beside.unlink()
        os.close(descriptor)


def _in_use(path: Path) -> ArchiveError:
    return ArchiveError(
        f"{path} is in use by another run; wait for its end, or choose another path for this one"
    )
