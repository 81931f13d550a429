"""The file format: a zip archive with arrays, as ``numpy.savez`` writes them, and a description."""

from __future__ import annotations

import json
import os
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from structsvm.exceptions import ArchiveError

#: The version of the format. A reader accepts all versions up to this one.
VERSION = 1
#: The name of the member with the description.
CONTENT = "content.json"
#: The reason for refusing a file of another kind.
NOT_OURS = "it is not a file of structsvm"
#: Errors from reading a file that is no archive or is incomplete. zipfile raises RuntimeError for a
#: member that is marked as encrypted.
BROKEN = (
    zipfile.BadZipFile, LookupError, ValueError, TypeError, AttributeError, EOFError,
    OverflowError, RuntimeError, MemoryError,
)  # fmt: skip


class Content(NamedTuple):
    """The content of a file.

    Attributes
    ----------
    header : mapping of str to JSON
        The ``kind`` of the file, and other entries added when the file was written.
    root : node
        The description of the object, as in :mod:`structsvm.saving.nodes`.
    table : list of node
        The descriptions of the objects that several other objects may refer to.
    arrays : list of ndarray
        The arrays that belong to the objects.
    """

    header: Mapping[str, Any]
    root: Any
    table: list[Any]
    arrays: list[np.ndarray]


def write(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file in one step: an existing file is replaced completely or not at all."""
    target = checked_place(path)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                _write_members(archive, content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def checked_place(path: str | os.PathLike[str]) -> Path:
    """Return the path to which links lead, after a check that a file can be written there.

    Raise an OSError if the file cannot be written.

    Links are followed, so that a new file replaces the target of a link and not the link itself.
    """
    place = Path(os.path.realpath(path))
    # Check `path` itself: a link to a pipe may have a target that is no path.
    require_file(path, "replaced")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{place} cannot be written: its folder does not exist")
    if not os.access(place.parent, os.W_OK):
        raise PermissionError(f"{place} cannot be written: its folder is read-only")
    return place


def require_file(path: str | os.PathLike[str], verb: str) -> None:
    """Raise an OSError if the path is a folder, a device, a pipe or a socket."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder; expected the name of a file")
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(
            f"{path} is a device, a pipe or a socket, which cannot be {verb}; expected the name of "
            "a file"
        )


def _write_members(archive: zipfile.ZipFile, content: Content) -> None:
    for number, array in enumerate(content.arrays):
        with archive.open(f"{number}.npy", "w", force_zip64=True) as member:
            npy.write_array(member, array, allow_pickle=False)
    described = {
        "format": "structsvm", "version": VERSION, **content.header,
        "table": content.table, "root": content.root,
    }  # fmt: skip
    archive.writestr(CONTENT, json.dumps(described, allow_nan=False, separators=(",", ":")))


def read(path: str | os.PathLike[str]) -> Content:
    """Read a file.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ArchiveError
        If the file is not a file of structsvm, is incomplete, or was written by a newer version.
    """
    require_file(path, "loaded")
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}")
    with guarded(path):
        try:
            archive = zipfile.ZipFile(path)
        except PermissionError:
            raise
        except (*BROKEN, OSError) as error:  # OSError: the directory has a negative offset
            raise ArchiveError(f"{NOT_OURS}, or not a whole one: {error}") from error
        with archive:
            return _content(archive, os.path.getsize(path))


def _content(archive: zipfile.ZipFile, size: int) -> Content:
    names = archive.namelist()
    if CONTENT not in names:
        raise ArchiveError(NOT_OURS)
    _check_members(archive.infolist(), size)
    header = json.loads(archive.read(CONTENT))
    if header.pop("format") != "structsvm":
        raise ArchiveError(NOT_OURS)
    version = header.pop("version")
    if not 1 <= version <= VERSION:
        raise ArchiveError(
            f"it has format {version}, and this version of structsvm reads up to {VERSION}: "
            "install a newer structsvm"
        )
    arrays = [_array(archive, i) for i in range(sum(name.endswith(".npy") for name in names))]
    return Content(header, header.pop("root"), header.pop("table"), arrays)


def _check_members(members: list[zipfile.ZipInfo], whole: int) -> None:
    """Raise an ArchiveError if a member is compressed, or if the stated sizes exceed the file."""
    if any(info.header_offset < 0 for info in members):
        raise ArchiveError("it is not whole: a member begins before the file")
    size = sum(info.file_size for info in members)
    if size > whole or any(info.compress_type != zipfile.ZIP_STORED for info in members):
        raise ArchiveError(
            f"its members have {size} bytes, and the file {whole}: save does not compress. If "
            "you know the file, unpack it and zip its members without compression (zip -0)"
        )


def _array(archive: zipfile.ZipFile, number: int) -> np.ndarray:
    with archive.open(f"{number}.npy") as member:
        array: np.ndarray = npy.read_array(member, allow_pickle=False)
    return array


@contextmanager
def guarded(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within the context, convert errors to an ArchiveError that names the file."""
    try:
        yield
    except BROKEN as error:
        reason = f"{type(error).__name__}: {error}; it is not whole, or was tampered with"
        own = isinstance(error, ArchiveError)
        raise ArchiveError(f"{path} cannot be loaded: {error if own else reason}") from error
