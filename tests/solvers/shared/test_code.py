"""Hashes of a problem's code: what was edited has another one, and what was only moved has not."""

import functools
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from toy_problems import Multilabel

from structsvm.problems import Multiclass
from structsvm.solvers.shared.code import code_hashes

SOURCE = """
import functools
import numpy as np
from toy_problems import Multilabel

FACTOR = 2.0
TABLE = {"a": np.arange(3.0)}
CALLS = 0
CACHE = object()

def hamming(y, y_hat):
    return FACTOR * sum(a != b for a, b in zip(y, y_hat))

def compiled(function):
    made = np.vectorize(function)
    return made

@compiled
def weight(y):
    return 3.0 + y

class Matcher:
    def match(self, y):
        return "abc" in {"abc", "abd", "xyz"} and TABLE["a"][0]

class Mine(Multilabel):
    scale = 1.0

    def loss(self, y, y_hat):
        global CALLS
        CALLS += 1
        return self.scaled(hamming(y, y_hat))

    def scaled(self, loss, least=0.0):
        return max(least, loss + Matcher().match(loss) * self.scale * weight(0))

    doubled = functools.partial(hamming, y_hat=(1, 1, 1))
    half = staticmethod(lambda y: y / 2)

    @property
    def first(self):
        return [inner for inner in range(3) if (lambda k: k > 1)(inner)]

    @staticmethod
    @functools.lru_cache
    def third(y):
        return y - 8

    @functools.cached_property
    def second(self):
        return 5

    def example_data(self):
        return None
"""


def hashes_of(source, monkeypatch, *parameters):
    module = types.ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    exec(compile(source, "mine.py", "exec"), vars(module))
    problem = module.Mine()
    vars(problem).update(enumerate(parameters))
    return code_hashes(problem)


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("FACTOR * sum", "sum", {"hamming", "FACTOR"}),
        ("FACTOR = 2.0", "FACTOR = 2.5", {"FACTOR"}),
        ("np.arange(3.0)", "np.arange(4.0)", {"TABLE"}),
        ("a != b", "a == b", {"hamming"}),
        ("3.0 + y", "3.5 + y", {"weight"}),
        ('"abc" in', '"xyz" in', {"Matcher.match"}),
        ("scale = 1.0", "scale = 2.0", {"Mine.scale"}),
        ("0.0):\n        return max(least, loss", "0.0):\n        return max(least, FACTOR * loss",
         {"Mine.scaled"}),
        ("least=0.0", "least=0.1", {"Mine.scaled"}),
        ("(1, 1, 1)", "(1, 1, 0)", {"Mine.doubled"}),
        ("y / 2", "y / 3", {"Mine.half"}),
        ("k > 1", "k > 2", {"Mine.first"}),
        ("y - 8", "y - 9", {"Mine.third"}),
        ("return 5", "return 6", {"Mine.second"}),
    ],
)  # fmt: skip
def test_what_was_edited_has_another_hash(before, after, named, monkeypatch):
    assert before in SOURCE
    first = hashes_of(SOURCE, monkeypatch)
    second = hashes_of(SOURCE.replace(before, after), monkeypatch)
    assert {name for name in {*first, *second} if first.get(name) != second.get(name)} == named


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Mine", "\n\n# a comment\nclass Mine"),
        (
            "    def loss(self, y, y_hat):\n",
            '    def loss(self, y, y_hat):\n        """Doc."""\n\n',
        ),
        ("return None", "return 1"),
        ("CALLS = 0", "CALLS = 7"),
    ],
)
def test_lines_comments_and_docstrings_do_not_count(before, after, monkeypatch):
    assert before in SOURCE
    edited = SOURCE.replace(before, after)
    assert hashes_of(SOURCE, monkeypatch) == hashes_of(edited, monkeypatch)


def test_the_code_of_parameters_counts(monkeypatch):
    module = types.ModuleType("mine")

    def found(text):
        exec(f"def loss(y):\n    return {text}\n", vars(module))
        module.loss.__module__ = "mine"
        for held in (module.loss, functools.partial(module.loss, 1), [module.loss]):
            problem = Multiclass()
            problem.held, problem.inner = held, Multilabel()
            yield code_hashes(problem)

    for one, other in zip(found("y + 1"), found("y + 2"), strict=True):
        assert {"loss", "Multilabel.loss"} <= {*one}
        assert {name for name in one if one[name] != other[name]} == {"loss"}


def test_the_library_counts_by_its_version():
    assert code_hashes(Multiclass(cost=np.eye(3))) == {}


@pytest.mark.slow
def test_hashes_are_the_same_in_every_process(tmp_path):
    (tmp_path / "mine.py").write_text(SOURCE)
    script = textwrap.dedent(
        f"""
        import sys
        sys.path[:0] = [{str(tmp_path)!r}, *{[p for p in sys.path if p]!r}]
        from mine import Mine
        from structsvm.solvers.shared.code import code_hashes
        print(sorted(code_hashes(Mine()).items()))
        """
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1 and "Mine.loss" in printed.pop()
