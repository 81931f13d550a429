"""Saving and loading a fitted model, a result or a problem."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from structsvm.data.names import brief
from structsvm.data.validation import require_flag
from structsvm.exceptions import ArchiveError, warn_user
from structsvm.saving.archive import Content, guarded, read, write
from structsvm.saving.decoder import Decoder
from structsvm.saving.encoder import Encoder
from structsvm.saving.names import OWN, name_of
from structsvm.saving.nodes import names_in
from structsvm.saving.trusted import Trusted
from structsvm.version import __version__


class Savable:
    """Base class of what can be saved beside estimators and problems: results."""

    #: Attributes that prove the result, and that an estimator is saved without by default.
    certificate: ClassVar[tuple[str, ...]] = ()


#: What can be saved.
KINDS = (BaseEstimator, Savable)


def save(model: Any, path: str | os.PathLike[str], certificate: bool = False) -> None:
    """Save an estimator, a result or a problem.

    An estimator is saved with all that it needs to predict, and the numbers of its certificate. The
    planes behind these, vectors as long as w, are saved only with ``certificate=True``.

    The file is a zip archive of numpy arrays and JSON, without pickles: loading it executes none of
    its contents. A file of the same name is replaced as a whole or not at all.

    Parameters
    ----------
    model : estimator, Result or Problem
        Of structsvm, or of classes derived from these; fitted or not.
    path : path-like
        A name that ends in '.npz' can be opened by ``numpy.load`` too.
    certificate : bool, default=False
        Whether the planes of the dual solution are saved, so that the loaded estimator can
        ``verify`` its certificate, and a warm start can begin with them. A result by itself always
        has them.

    Raises
    ------
    TypeError
        The model is something else.
    ArchiveError
        It holds something that cannot be saved, such as a function; the message says where.

    See Also
    --------
    load

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import structsvm
    >>> from structsvm.problems import MulticlassSVM
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
    >>> structsvm.save(MulticlassSVM().fit(X, ["a", "b", "c"]), path)
    >>> structsvm.load(path).predict(X).tolist()
    ['a', 'b', 'c']
    """
    if not isinstance(model, KINDS):
        raise TypeError(
            f"model must be an estimator, a Result or a Problem of structsvm; got {brief(model)}"
        )
    require_flag("certificate", certificate)
    encoder = Encoder(name_of=name_of, certificate=certificate or isinstance(model, Savable))
    root = encoder.encode(model)
    kind: Any = type(model)
    header = {"kind": "model", "class": name_of(kind), OWN: __version__}
    write(path, Content(header, root, encoder.table, encoder.arrays))


def load(path: str | os.PathLike[str], trusted: Iterable[Any] = ()) -> Any:
    """Load what :func:`save` has written.

    Parameters
    ----------
    path : path-like
    trusted : iterable of classes and functions, default=()
        Names that the file may use beside classes and functions of structsvm, and estimators,
        scorers, splitters and kernels of scikit-learn: for example, the class of your own problem.
        Of scikit-learn's estimators those of libsvm, such as ``SVC``, nearest neighbours and
        k-means need it too, since their compiled code believes all that is in a file.
        Pass only what you know: objects of these classes get the attributes that are in the file. A
        class is found by its name, so it may have moved to another module.

    Returns
    -------
    estimator, Result or Problem
        As it was saved, with the same arrays to the last bit. Where another version of structsvm
        saved it, a warning says so.

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    ArchiveError
        The file is not one of structsvm, damaged, compressed, or written by a newer
        version; or it holds objects of other classes.
    """
    known = Trusted(trusted)
    content = read(path)
    if (kind := content.header.get("kind")) != "model":
        raise ArchiveError(
            f"{path} holds no model but a {kind!r:.40}; a checkpoint is continued by training with "
            "checkpoint=path"
        )
    with guarded(path):
        known.require(dict.fromkeys(names_in([content.root, content.table])))
        model = Decoder(content, known).decode(content.root)
    if not isinstance(model, KINDS):
        raise ArchiveError(f"{path} holds no model but a {type(model).__name__}")
    writer = content.header.get(OWN)
    if writer != __version__:
        warn_user(f"{path} was saved by structsvm {writer}, and this is {__version__}")
    return model
