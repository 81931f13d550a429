"""Training data in blocks of examples, and temporary files that hold the encoded blocks."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.containers import in_double, take
from structsvm.data.names import brief


class Blocks:
    """Training data that do not fit in memory, as blocks of examples.

    The method ``fit`` reads each block once, encodes the block and writes it to a temporary file.
    Each pass over the data reads all files, one after another. The objective and the tolerance are
    the same as with all examples in memory, and the gap in ``result_`` is valid for the objective
    of all examples. The module :mod:`tempfile` chooses the folder of the temporary files, unless
    the environment variable TMPDIR names a folder. The temporary files are deleted at the end of
    ``fit``.

    The estimators :class:`structsvm.problems.ChainSVM` and
    :class:`structsvm.problems.MulticlassSVM` accept Blocks in place of X, without y. Estimators
    other than ChainSVM and MulticlassSVM, and all methods except ``fit``, raise an error for
    Blocks. With Blocks, ``fit`` accepts no ``sample_weight``, no checkpoint and no C='cv'. Early
    stopping with Blocks needs X_val. The planes of the dual solution are not kept, so ``verify``
    cannot recompute the gap.

    Parameters
    ----------
    pairs : iterable of (X, y)
        The inputs and outputs of each block, in the form that ``fit`` expects. A generator can be
        used for only one fit. Only one block is in memory at a time, in addition to a few numbers
        for each example of all blocks. Blocks of some thousand examples are a good size.

    Examples
    --------
    >>> from structsvm import Blocks
    >>> from structsvm.problems import ChainSVM
    >>> def corpus():
    ...     for word, tag in [("dog", "NOUN"), ("barks", "VERB"), ("cat", "NOUN")]:
    ...         yield [[["the"], [word]], [[word]]], [["DET", tag], [tag]]
    >>> svm = ChainSVM().fit(Blocks(corpus()))
    >>> svm.predict([[["the"], ["cat"]]])
    [['DET', 'NOUN']]
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        if not isinstance(pairs, Iterable):
            raise TypeError(f"Blocks takes an iterable of pairs (X, y); got {brief(pairs)}")
        self.pairs = pairs
        self._number: int | None = None
        self._is_used = False

    def read(self, given: Callable[[Any, Any, bool], tuple[Any, Any]]) -> Iterator[Any]:
        """Yield ``given(X, y, is_first)`` for each block."""
        if self._is_used and isinstance(self.pairs, Iterator):
            raise ValueError(
                "a fit has read these Blocks before, and an iterator can be read only once; make "
                "new Blocks of a new iterator"
            )
        self._is_used = True
        for number, pair in enumerate(self.pairs):
            self._number = number
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError(f"expected a pair (X, y); got {brief(pair)}")
            yield given(*pair, number == 0)
        if self._number is None:
            raise ValueError("Blocks holds no block; expected at least one pair (X, y)")
        self._number = None

    @contextmanager
    def naming_errors(self) -> Iterator[None]:
        """If the context raises a ValueError, add the current block's number to its message."""
        self._number = None
        try:
            yield
        except ValueError as error:
            if self._number is None:
                raise
            raise ValueError(f"block {self._number}: {error}") from error


class BlockFiles:
    """Files in a folder, one for each block.

    Parameters
    ----------
    folder : str
        The name of the folder.

    Attributes
    ----------
    ends : list of int
        For each block, the number of examples in this block and all blocks before it.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.ends: list[int] = []
        self._written = 0  # so that no thread keeps a block that was replaced
        self._last = threading.local()

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[Any]:
        return map(self.read, range(len(self)))

    def add(self, block: Any, n: int) -> None:
        """Append a block of n examples to the files."""
        self.write(len(self), block)
        self.ends.append(n + (self.ends[-1] if self.ends else 0))

    def write(self, number: int, block: Any) -> None:
        """Write the block to the file with the index ``number``."""
        self._written += 1
        self._path(number).write_bytes(pickle.dumps(block, protocol=5))

    def read(self, number: int) -> Any:
        """Return the block from the file with the index ``number``.

        Each thread caches the block that it has read last.
        """
        last, key = self._last, (self._written, number)
        if getattr(last, "key", None) != key:
            last.key = last.block = None
            last.block = pickle.loads(self._path(number).read_bytes())
            last.key = key
        return last.block

    def places(self, examples: Indices) -> tuple[int, Indices]:
        """Return the first example's block number, and the examples' positions in the block."""
        number = int(np.searchsorted(self.ends, examples[0], side="right"))
        start, end = [0, *self.ends][number : number + 2]
        return number, examples[examples < end] - start

    def examples(self) -> tuple[Stored, Stored]:
        """Return the inputs and the outputs of all examples, if each block is a pair (X, y)."""
        return Stored(self, 0), Stored(self, 1)

    def _path(self, number: int) -> Path:
        return Path(self.folder) / f"{number}.pickle"


class Stored(Sequence[Any]):
    """The inputs, or the outputs, of examples stored in files.

    Parameters
    ----------
    files : BlockFiles
    part : {0, 1}
        The element of each pair (X, y) that is read: 0 for the inputs, 1 for the outputs.
    examples : ndarray of shape (n,), optional
        The indices of the examples among all examples of the files, in increasing order. Default:
        all.
    """

    def __init__(self, files: BlockFiles, part: int, examples: Indices | None = None) -> None:
        self.files, self.part = files, part
        self.examples = np.arange(files.ends[-1]) if examples is None else examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, which: Any) -> Any:
        """Return one example.

        If several examples are requested, only the examples in the block of the first example are
        returned.
        """
        found = self.examples[which]
        number, places = self.files.places(np.atleast_1d(found))
        block = self.files.read(number)[self.part]
        return take(block, places) if np.ndim(found) else block[int(places[0])]

    def some(self, which: Any) -> Stored:
        """Return the examples with the indices ``which``."""
        return Stored(self.files, self.part, self.examples[which])

    def in_double(self) -> Stored:
        """Convert the numbers in the files to double precision."""
        for number in range(len(self.files)):
            self.files.write(number, in_double(self.files.read(number)))
        return self


class Mapped:
    """An iterable of the values of a function, which are computed again in each iteration."""

    def __init__(self, blocks: Iterable[Any], function: Callable[[Any], Any]) -> None:
        self._blocks, self._function = blocks, function

    def __iter__(self) -> Iterator[Any]:
        return map(self._function, self._blocks)
