"""Checkpoints: files to which a run is saved at intervals, and from which a run can resume."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.fingerprints import fingerprint
from structsvm.data.names import brief
from structsvm.data.validation import require_number
from structsvm.exceptions import ArchiveError, ProblemError, warn_user
from structsvm.saving.archive import Content, checked_place, guarded, read, write
from structsvm.saving.decoder import Decoder
from structsvm.saving.encoder import Encoder
from structsvm.saving.lock import locked
from structsvm.saving.names import OWN
from structsvm.saving.trusted import Trusted
from structsvm.solvers.shared.code import source_hashes
from structsvm.solvers.shared.run import Run
from structsvm.version import __version__

logger = logging.getLogger(__name__)

#: The time between two writes is at least this multiple of the time that a write takes. Likewise a
#: run takes at least this multiple of the time for its copies in memory.
SPARING = 20
#: Number of seconds that copies in memory may take in every run.
FREE = 1.0
#: The entries in the header of a file, in addition to its kind and version.
HEADER = {"fingerprints", "code", "double"}


class Checkpoint(NamedTuple):
    """A file to which a run is saved at intervals.

    If the file exists, the saved run is resumed. To resume a run, problem, solver, data and
    parameters must be the same as in the saved run. ``n_jobs``, ``max_iter`` and ``time_limit`` may
    differ from the saved run. The resulting w, objective and gap equal the results of an
    uninterrupted run to the last bit. The file is also written when the run ends, by convergence, a
    limit, Ctrl-C or an error. The file stays after training. Remove the file to train from the
    start.

    Only one run may use the file at a time. If a write fails, for example on a full disk, a warning
    names the file, and training continues.

    Parameters
    ----------
    path : path-like
        The path of the file. If the folder does not exist or is not writable when training begins,
        an ``OSError`` is raised. Symbolic links are followed.
    seconds : float, default=10.0
        Seconds between two writes, >= 0. The first write follows the first pass. The interval is
        extended to at least twenty times the time that a write takes. If ``seconds`` is 0, every
        pass is written, however long the writes take. Between two writes, a copy of the run is kept
        in memory. If copying is slow, the copy may be older than the last pass.
    accept_changed_code : bool, default=False
        Whether to resume even if the source code of the problem's class, or of one of its base
        classes, has changed since the run began. The result is right only if the methods return the
        same values as before, because earlier planes are kept.

    Examples
    --------
    >>> import os, tempfile
    >>> from structsvm import Checkpoint, OneSlackCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X, y = Multiclass.example_data()
    >>> checkpoint = Checkpoint(os.path.join(tempfile.mkdtemp(), "run.npz"), seconds=0)
    >>> few = OneSlackCuttingPlane(max_iter=3)
    >>> few.solve(Multiclass(), X, y, checkpoint=checkpoint).iterations
    3
    >>> solver = OneSlackCuttingPlane()
    >>> result = solver.solve(Multiclass(), X, y, checkpoint=checkpoint)
    >>> bool((result.w == solver.solve(Multiclass(), X, y).w).all())
    True
    """

    path: str | os.PathLike[str]
    seconds: float = 10.0
    accept_changed_code: bool = False


def as_checkpoint(checkpoint: Any) -> Checkpoint:
    """Return a Checkpoint from a Checkpoint or a path, or raise a TypeError."""
    found = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    if not isinstance(found.path, (str, os.PathLike)):
        raise TypeError(f"checkpoint must be a path, or a Checkpoint; got {brief(checkpoint)}")
    return found


def for_part(checkpoint: Any, part: str) -> Checkpoint | None:
    """Return a checkpoint for one of several runs, with `part` in the name of the file."""
    if checkpoint is None:
        return None
    whole = as_checkpoint(checkpoint)
    path = Path(whole.path)
    return whole._replace(path=path.with_name(f"{path.stem}-{part}{path.suffix}"))


class RunFile:
    """The file of a checkpoint, with methods that save and restore a run.

    Parameters
    ----------
    checkpoint : Checkpoint or path-like
    solver : Solver
    problem : Problem
        The problem, not yet initialized.
    given : mapping of str to object
        The data and parameters that a run depends on, by name.

    Raises
    ------
    ValueError
        If ``seconds`` is negative, or if a parameter or the data have no fingerprint.
    """

    def __init__(
        self, checkpoint: Any, solver: Any, problem: Any, given: Mapping[str, Any]
    ) -> None:
        checkpoint = as_checkpoint(checkpoint)
        require_number("seconds", checkpoint.seconds, ">= 0")
        self.path, self._seconds = checked_place(checkpoint.path), checkpoint.seconds
        self._accepts = checkpoint.accept_changed_code
        parameters = solver.get_params()
        for limit in ("max_iter", "time_limit"):  # these may change when a run goes on
            del parameters[limit]
        self._fingerprints = {
            name: [_kind(value), _fingerprints(name, {"": value})] for name, value in given.items()
        }
        for name, made, values in (
            ("solver", solver, parameters), ("problem", problem, vars(problem)),
        ):  # fmt: skip
            self._fingerprints[name] = [type(made).__name__, _fingerprints(name, values)]
        self._code = source_hashes(problem)
        self._solver, self._due = solver, -math.inf
        self._began, self._copying = time.monotonic(), 0.0
        self._unwritten: Content | None = None
        self._failed = False
        written_by_users = {type(thing).__module__ for thing in (problem, *solver.stages)}
        self._trusted = Trusted(packages={name.partition(".")[0] for name in written_by_users})

    @contextmanager
    def opened(self, run: Run) -> Iterator[Run]:
        """Yield the run in the file, or `run` if there is no file. The context locks the file."""
        with locked(self.path):
            resumed = self._resumed(run)
            try:
                yield resumed
            except ProblemError as error:
                if resumed is run:
                    raise
                raise ProblemError(
                    f"{error}\nThe run went on from {self.path}: if a method, or a constant that "
                    "it reads, has changed since the run began, remove the file"
                ) from error.__cause__
            finally:
                with suppress(KeyboardInterrupt):  # the result matters more than its checkpoint
                    self._write()

    def _resumed(self, run: Run) -> Run:
        """Return the saved run, or `run` if the file does not exist."""
        for part in self.path.parent.glob(f".{escape(self.path.name)}.*.part"):
            part.unlink()  # the remains of a write that was killed
        if not self.path.exists():
            return run
        content = read(self.path)
        self._require_same(content.header)
        if content.header["double"]:
            run.program.examples.use_double()
        decoder = Decoder(content, self._trusted, self._external(run))
        with guarded(self.path):
            saved: Run
            saved, tally = decoder.decode(content.root)
        vars(run.program.examples.tally).update(vars(tally))
        made = len(saved.bounds.history)
        fields = {"resumed": made}
        logger.info("%s: going on from pass %d", self.path, made, extra={"structsvm": fields})
        return saved

    def save(self, run: Run) -> None:
        """Write the run to the file if a write is due, or keep a copy of the run in memory."""
        started, made = time.monotonic(), len(run.bounds.history)
        is_due, is_last = started >= self._due, made + 1 >= self._solver.max_iter
        # Copies of the run to memory take only a small part of the run's time.
        may_copy = self._copying <= FREE + (started - self._began) / SPARING
        if run.bounds.w is None or not (is_due or is_last or may_copy):
            return
        self._unwritten = self._content(run)
        if is_due:
            self._write()
            took = time.monotonic() - started
            pause = max(self._seconds, SPARING * took) if self._seconds else 0
            self._due = started + took + pause
        if self._unwritten is not None:  # the run will change its arrays
            arrays = [array.copy("K") for array in self._unwritten.arrays]
            self._unwritten = self._unwritten._replace(arrays=arrays)
            self._copying += time.monotonic() - started

    def _content(self, run: Run) -> Content:
        """Return the content of the file, without copying the arrays of the run."""
        encoder = Encoder(self._external(run))
        root = encoder.encode((run, run.program.examples.tally))
        if self._due == -math.inf:
            self._require_known(encoder.names)
        header: dict[str, Any] = {"kind": "checkpoint", OWN: __version__}
        header["fingerprints"] = self._fingerprints
        header["code"], header["double"] = self._code, run.program.examples.doubled
        return Content(header, root, encoder.table, encoder.arrays)

    def _write(self) -> None:
        """Write the content that is not yet written; if writing fails, give a warning."""
        if self._unwritten is None:
            return
        try:
            write(self.path, self._unwritten)
        except OSError as error:
            message = f"the checkpoint {self.path} cannot be written; training goes on: {error}"
            warn = logger.warning if self._failed else warn_user
            self._failed = True
            warn(message)
        else:
            self._unwritten = None

    def _require_known(self, names: Iterable[str]) -> None:
        """Raise an ArchiveError if the file could not be read again."""
        for name in names:
            try:
                self._trusted.find(name)
            except ArchiveError as error:
                raise ArchiveError(
                    f"the run cannot be saved to {self.path}: {name} belongs neither to structsvm "
                    "nor to the package of the problem or of the solver; define it there"
                ) from error

    def _external(self, run: Run) -> dict[str, Any]:
        """Return the objects that a resumed run takes from its arguments, each with its name."""
        examples = run.program.examples
        found = {f"solver {k}": solver for k, solver in enumerate(run.stages)}
        found.update(problem=examples.problem, X=examples.X, Y=examples.Y, examples=examples)
        if (axes := examples.curvature_axes) is not None:
            found["axes"] = axes
        if run.watch is not None:
            found["held out"] = run.watch.examples
        return found

    def _require_same(self, header: Mapping[str, Any]) -> None:
        """Raise an ArchiveError that names all differences from the saved run."""
        if header.get("kind") != "checkpoint":
            raise ArchiveError(f"{self.path} is no checkpoint; choose another name for it")
        writer, lacking = header.get(OWN, "of an unknown version"), sorted(HEADER - {*header})
        if writer != __version__ or lacking:
            without = f" and has no {', '.join(lacking)} in its header" if lacking else ""
            raise ArchiveError(
                f"{self.path} was written by structsvm {writer}{without}, and this is "
                f"{__version__}: a run must end with the version that it began with; remove the "
                "file to start again"
            )
        saved = header["fingerprints"]
        other = [
            _named(name, saved.get(name), here)
            for name, here in self._fingerprints.items()
            if saved.get(name) != here
        ]
        if other:
            raise ArchiveError(
                f"{self.path} holds a run with another {', '.join(other)}; pass the same, choose "
                "another path, or remove the file to start again"
            )
        self._require_same_code(header["code"])

    def _require_same_code(self, before: Mapping[str, str]) -> None:
        """Raise an ArchiveError that names the problem's classes whose code has changed."""
        here = self._code
        edited = sorted(name for name in {*before, *here} if before.get(name) != here.get(name))
        if edited and not self._accepts:
            raise ArchiveError(
                f"{self.path} holds a run that began before {', '.join(edited)} changed; remove "
                "the file to start again, or, if all methods of the problem still return the "
                f"same, insist by Checkpoint({str(self.path)!r}, accept_changed_code=True)"
            )


def _fingerprints(name: str, values: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of each value."""
    found = {}
    for part, value in values.items():
        try:
            found[part] = fingerprint(value)
        except Exception as error:
            raise ValueError(
                f"{name}{part and '.'}{part} has no fingerprint for the checkpoint, since it "
                f"cannot be pickled ({type(error).__name__}); define classes at the top of a "
                "module, and use functions with a name"
            ) from error
    return found


def _kind(value: Any) -> str:
    """Return the type of the data, with the dtype of its numbers."""
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ + (f" of {dtype}" if isinstance(dtype, np.dtype) else "")


def _named(name: str, saved: Any, here: Any) -> str:
    """Return ``name``, and in parentheses how the saved and the present run differ."""
    if not saved:
        return name
    if saved[0] != here[0]:
        return f"{name} ({saved[0]}, and here {here[0]})"
    parts = {*saved[1], *here[1]}
    differ = sorted(part for part in parts if part and saved[1].get(part) != here[1].get(part))
    return f"{name} ({', '.join(differ)})" if differ else name
