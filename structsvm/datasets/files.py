"""Optional files of arrays, in a folder that the user names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

#: The environment variable that names the folder of the optional files.
FOLDER_VARIABLE = "STRUCTSVM_DATA"


def load_file(name: str, folder: str | Path | None = None) -> dict[str, Any]:
    """Load the arrays of an optional data file, ``<folder>/<name>.npz``.

    Benchmarks and tests use ionosphere (351 x 34, UCI), letter (20000 x 16, UCI, classes 0 to 25),
    mnist (70000 x 784, the 60000 training rows first) and satimage (6435 x 36, Statlog).

    Parameters
    ----------
    name : str
        Name of any file with arrays X and y of equal length, such as 'letter' or 'mnist'.
    folder : path, optional
        The folder that contains the file. Default: the folder named by the environment variable
        STRUCTSVM_DATA.

    Returns
    -------
    dict of str to ndarray
        The arrays X and y, and any additional arrays of the file. Integers are not scaled.

    Raises
    ------
    FileNotFoundError
        If the folder or the file does not exist. The message says whether the folder or the file is
        missing, and how to supply it.
    TypeError
        If ``folder`` is not a path.
    ValueError
        If the file cannot be read, if it does not hold X and y of equal length, or if ``name``
        points outside the folder.
    """
    if not isinstance(name, str) or name in ("", "..") or Path(name).name != name or "\0" in name:
        raise ValueError(
            f"name must be that of a file without .npz, such as 'letter', and name no folder; got "
            f"{name!r}. The folder is a parameter of its own"
        )
    remedy = how_to_supply(f"{name}.npz", "with numpy.savez, arrays X and y of equal length")
    path = locate(f"{name}.npz", folder, remedy)
    arrays = read_arrays(path, ("X", "y"), remedy)
    shape, labels = arrays["X"].shape, arrays["y"].shape
    if not shape[:1] == labels[:1] != ():
        raise ValueError(f"{path} holds X of shape {shape} and y of shape {labels}. {remedy}")
    return arrays


def read_arrays(path: Path, names: tuple[str, ...], remedy: str) -> dict[str, Any]:
    """Return the arrays of an .npz file.

    The arrays must include ``names``.

    Every error is a ValueError whose message ends with a remedy.
    """
    try:
        # Do not allow pickles: loading one can run any code. dict reads the arrays while the file
        # is open.
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except OSError:
        raise
    # Many types of errors occur: the file may be truncated, damaged, pickled, or of another format.
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}. {remedy}") from error
    missing = set(names) - arrays.keys()
    if missing:
        raise ValueError(f"{path} lacks {' and '.join(sorted(missing))}. {remedy}")
    return arrays


def locate(filename: str, folder: str | Path | None, remedy: str) -> Path:
    """Return the path of an optional data file.

    If the file is missing, the message of the FileNotFoundError ends with ``remedy``.
    """
    if folder is not None and not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"folder must be a path or None; got {folder!r}")
    chosen = folder or os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        raise FileNotFoundError(f"No folder of data files is named. {remedy}")
    path = Path(chosen) / filename
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist. {remedy}")
    return path


def how_to_supply(filename: str, contents: str) -> str:
    """Return the advice for a missing or wrong file: which file to write, and where."""
    return (
        f"Write {filename} {contents}, and name its folder in the environment variable "
        f"{FOLDER_VARIABLE} or by folder=..."
    )
