"""Too little memory: refused before the work where that is certain, explained where it is found."""

import subprocess
import sys

import numpy as np
import pytest
from changed_tasks import with_task
from toy_problems import Multilabel, multilabel_data

from structsvm import OneSlackCuttingPlane, ProblemError, SmoothedLBFGS, StructuredSVM
from structsvm.oracle import memory, setup
from structsvm.oracle.memory import VECTORS, available_memory
from structsvm.planes.working_set import WorkingSet
from structsvm.problems import Multiclass

X, Y = multilabel_data()


def test_a_w_that_cannot_fit_is_refused_before_the_first_call():
    class Huge(Multilabel):
        def initialize(self, X, Y):
            self.size_joint_feature = 10**13

        def joint_feature(self, x, y):
            raise AssertionError("called")

    expected = r"w has 10000000000000 entries in Huge, .* 5 vectors .*: 4e\+05 GB, and there are"
    with pytest.raises(MemoryError, match=f"{expected} .* GB; use fewer features"):
        StructuredSVM(Huge()).fit(X, Y)


def test_only_what_surely_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(setup, "LONG", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: VECTORS * 8 * 9)  # w has 9 entries
    OneSlackCuttingPlane(max_iter=1).solve(Multilabel(), X, Y)
    monkeypatch.setattr(memory, "available_memory", lambda: VECTORS * 8 * 9 - 1)
    with pytest.raises(MemoryError, match="w has 9 entries"):
        OneSlackCuttingPlane(max_iter=1).solve(Multilabel(), X, Y)


def test_where_nothing_is_known_nothing_is_refused(monkeypatch):
    monkeypatch.delattr(memory.os, "sysconf")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert available_memory() == np.inf


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_a_limit_on_the_process_counts(tmp_path):
    code = """
import resource
from structsvm.oracle.memory import available_memory
physical = available_memory()
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, resource.RLIM_INFINITY))
assert 0 < available_memory() <= 3e9 and available_memory() <= physical
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_a_shortage_in_the_engine_is_explained(monkeypatch):
    def add(self, *planes):
        raise MemoryError("Unable to allocate 1 GiB")

    monkeypatch.setattr(WorkingSet, "add", add)
    expected = r"^OneSlackCuttingPlane ran out of memory \(Unable to allocate 1 GiB\): .* 9 entries"
    with pytest.raises(MemoryError, match=expected):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y)


def test_a_shortage_in_a_method_names_it_and_the_number_of_examples():
    def soft(task, w, mu, weights):
        raise MemoryError("Unable to allocate 1 TiB")

    def decode(task, w):
        raise MemoryError

    Greedy = with_task(Multiclass, soft=soft, decode=decode)
    data = np.eye(30), np.arange(30) % 3
    expected = (
        r"^ChangedMulticlassTask.soft raised MemoryError for 30 examples at once: Unable .* 1"
    )
    with pytest.raises(ProblemError, match=rf"{expected} TiB \(use sparse features.* block_size"):
        SmoothedLBFGS().solve(Greedy(), *data)
    with pytest.warns(UserWarning, match="no output can be predicted"):
        svm = StructuredSVM(Greedy(), solver=OneSlackCuttingPlane()).fit(*data)
    with pytest.raises(ProblemError, match=r"Task.decode raised MemoryError for 30 examples"):
        svm.predict(data[0])
