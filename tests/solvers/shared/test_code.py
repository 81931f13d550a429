"""Hashes of a problem's source: a class that was edited has another one."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest
from toy_problems import Multilabel

from structsvm.problems import Multiclass
from structsvm.solvers.shared.code import source_hashes

SOURCE = """
from toy_problems import Multilabel

class Base(Multilabel):
    scale = 1.0

    def loss(self, y, y_hat):
        return self.scale * (y != y_hat)

class Mine(Base):
    @staticmethod
    def half(y):
        return y / 2
"""


def hashes_of(source, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    return source_hashes(importlib.import_module("mine").Mine())


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("y != y_hat", "y is not y_hat", {"Base"}),
        ("scale = 1.0", "scale = 1.25", {"Base"}),
        ("y / 2", "y / 2.0", {"Mine"}),
        ("import Multilabel", "import Multilabel  # a comment", set()),
    ],
)
def test_what_was_edited_has_another_hash(before, after, named, tmp_path, monkeypatch):
    assert before in SOURCE
    first = hashes_of(SOURCE, tmp_path, monkeypatch)
    second = hashes_of(SOURCE.replace(before, after), tmp_path, monkeypatch)
    assert first.keys() == second.keys() == {"Mine", "Base", "Multilabel", "BruteForce"}
    assert {name for name in first if first[name] != second[name]} == named


def test_the_library_counts_by_its_version_and_a_class_without_a_source_is_named():
    assert source_hashes(Multiclass(cost=np.eye(3))) == {}
    scope = {"Multilabel": Multilabel, "__name__": "typed"}
    exec("class Typed(Multilabel):\n    pass\n", scope)
    with pytest.warns(UserWarning, match=r"source of Typed cannot be read: .* define it in a file"):
        assert source_hashes(scope["Typed"]()).keys() == {"Multilabel", "BruteForce"}


@pytest.mark.slow
def test_hashes_are_the_same_in_every_process(tmp_path):
    (tmp_path / "mine.py").write_text(SOURCE)
    script = "from mine import *; from structsvm.solvers.shared.code import source_hashes as hashes"
    path, printed = os.pathsep.join([str(tmp_path), *filter(None, sys.path)]), set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", f"{script}; print(sorted(hashes(Mine()).items()))"]
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        printed.add(subprocess.check_output(command, text=True, env=env))
    assert len(printed) == 1 and "Mine" in printed.pop()
