"""The register of planted bugs and of correct problems, and the ways to plant a bug."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from structsvm import Problem

Data = Callable[[], tuple[Any, Any]]
#: A wrong method: a function of the right one, the object and the arguments.
Wrong = Callable[..., Any]


class Case(NamedTuple):
    """A problem for the checker.

    Attributes
    ----------
    what : str
        The method that is wrong, and how; of a correct problem its name.
    problem : type
        The class with the bug; its bases are correct.
    data : callable
        Makes X and Y; new ones each time, because a bug may change them.
    faulty : tuple of str
        The names that count as right: one, or more where nobody can tell which of them is wrong.
    """

    what: str
    problem: type[Problem]
    data: Data
    faulty: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.problem.__name__}: {self.what}" if self.faulty else self.what


BUGS: list[Case] = []
CORRECT: list[Case] = []
#: The data of each correct class, which its subclasses share.
DATA: dict[type, Data] = {}


def correct(data: Data) -> Any:
    """Register a correct class."""

    def register(kind: type[Problem]) -> type[Problem]:
        CORRECT.append(Case(kind.__name__, with_batches(kind), data, ()))
        DATA[kind] = data
        return kind

    return register


@cache
def silent(kind: type[Problem]) -> Any:
    """Return the problem without ``outputs``, so that the checker has only its answers."""
    return subclass(kind, f"Silent{kind.__name__}", outputs=Problem.outputs)


def bug(*faulty: str, data: Data | None = None) -> Any:
    """Register a class with a bug that is more than one wrong method, by its name."""

    def register(kind: type[Problem]) -> type[Problem]:
        words = "".join(
            f" {letter.lower()}" if letter.isupper() else letter for letter in kind.__name__
        )
        plant(words.strip(), with_batches(kind), data, faulty)
        return kind

    return register


def bugs(
    kind: Any,
    method: str,
    wrong: Mapping[str, Wrong],
    faulty: Sequence[str] = (),
    data: Data | None = None,
) -> None:
    """Register wrong methods, by their mistakes.

    A method of the task has a point before its name. The method is to be blamed, unless others are
    ``faulty``.
    """
    for what, change in wrong.items():
        plant(what, changed(kind, method, change), data, faulty or [method])


def answers(
    kind: Any,
    method: str,
    wrong: Mapping[str, Callable[[Any], Any]],
    faulty: Sequence[str] = (),
    data: Data | None = None,
) -> None:
    """Register wrong answers of a method: functions of the right one."""

    def method_of(change: Callable[[Any], Any]) -> Wrong:
        return lambda right, owner, *arguments: change(right(*arguments))

    for what, change in wrong.items():
        planted = changed(kind, method, method_of(change))
        plant(what, planted, data, faulty or [method])


def declared(kind: Any, name: str, values: Iterable[Any]) -> None:
    """Register wrong values of an attribute."""
    for value in values:
        wrong = subclass(kind, kind.__name__, **{name: value})
        plant(f"{name} = {value!r}", wrong, None, [name])


def plant(what: str, kind: Any, data: Data | None, faulty: Sequence[str]) -> None:
    names = (f"{kind.batches.__name__}{name}" if name[0] == "." else name for name in faulty)
    data = data or next(DATA[base] for base in kind.__mro__ if base in DATA)
    BUGS.append(Case(f"{faulty[0]}: {what}", kind, data, tuple(names)))


def changed(kind: Any, method: str, wrong: Wrong) -> Any:
    """A subclass with a wrong method."""
    if method[0] != ".":
        return subclass(kind, kind.__name__, **{method: with_right(kind, method, wrong)})
    batches, method = kind.batches, method[1:]
    own = subclass(batches, batches.__name__, **{method: with_right(batches, method, wrong)})
    return with_batches(subclass(kind, kind.__name__, batches=own))


def with_right(kind: Any, method: str, wrong: Wrong) -> Callable[..., Any]:
    right = getattr(kind, method)

    def call(self: Any, *arguments: Any) -> Any:
        return wrong(lambda *given: right(self, *given), self, *arguments)

    return call


def subclass(kind: Any, name: str, **own: Any) -> Any:
    return type(name, (kind,), {**own, "__module__": __name__})


def with_batches(kind: Any) -> Any:
    """The class; where it has ``batches``, a class of tasks, its method ``task`` makes these."""
    if "batches" in vars(kind):
        kind.task = lambda self, X, Y=None: self.batches(self, X, Y)
    return kind


def memory(owner: Any) -> dict[Any, Any]:
    """The memory of a wrong method, kept with the object."""
    found: dict[Any, Any] = vars(owner).setdefault("memory", {})
    return found
