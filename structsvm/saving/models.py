"""The functions that save and load fitted models, results and problems."""

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
    """The base class of results, which can be saved in the same way as estimators and problems."""

    #: Attributes that prove the result. By default an estimator is saved without them.
    certificate: ClassVar[tuple[str, ...]] = ()


#: The classes whose objects can be saved.
KINDS = (BaseEstimator, Savable)


def save(model: Any, path: str | os.PathLike[str], certificate: bool = False) -> None:
    """Save an estimator, a result or a problem.

    The file of an estimator contains everything that prediction needs, and the numbers of the
    certificate. The planes that prove the certificate are saved only with ``certificate=True``.

    The file is a zip archive of numpy arrays and JSON, without pickles. Loading a model executes no
    code from the file. An existing file is replaced completely or not at all.

    Parameters
    ----------
    model : estimator, Result or Problem
        An object of a class of structsvm, or of a subclass of one. The object may be fitted or not.
    path : path-like
        The file. If the name of the file ends in '.npz', ``numpy.load`` can also open the file.
    certificate : bool, default=False
        Whether to save the planes of the dual solution. With the planes, the loaded estimator can
        ``verify`` its certificate, and a warm start can use the planes. A result is always saved
        with its planes. A model trained on :class:`structsvm.Blocks` has no planes; a warning says
        so.

    Raises
    ------
    TypeError
        If the model is not an estimator, result or problem of structsvm.
    ArchiveError
        If the model contains an object that cannot be saved, such as a function. The message says
        where.

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
    if certificate and getattr(getattr(model, "result_", None), "support", ()) is None:
        warn_user("no planes are saved for verify: the model was trained on Blocks, or lost them")
    encoder = Encoder(name_of=name_of, certificate=certificate or isinstance(model, Savable))
    root = encoder.encode(model)
    kind: Any = type(model)
    header = {"kind": "model", "class": name_of(kind), OWN: __version__}
    write(path, Content(header, root, encoder.table, encoder.arrays))


def load(path: str | os.PathLike[str], trusted: Iterable[Any] = ()) -> Any:
    """Load a model from a file written by :func:`save`.

    Parameters
    ----------
    path : path-like
    trusted : iterable of classes and functions, default=()
        Additional classes and functions that the file may use, for example the class of your
        problem. Classes and functions of structsvm, and most estimators, scorers, splitters and
        kernels of scikit-learn, are always trusted. Nearest neighbours, k-means, and estimators of
        libsvm such as ``SVC`` must be listed, because their compiled code does not check the data
        in a file. List only classes that you trust: the attributes of their objects are set from
        the file. A class is found by its name, even if it has moved to a different module since the
        model was saved.

    Returns
    -------
    estimator, Result or Problem
        The saved model. All arrays of the loaded model are equal to the saved arrays to the last
        bit. A warning is issued if a different version of structsvm saved the model.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ArchiveError
        If the file is not a file of structsvm, is damaged, compressed or written by a newer
        version, or contains objects of classes that are not trusted.
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
