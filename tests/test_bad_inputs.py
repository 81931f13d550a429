"""A small seed of the fuzz of bad inputs, and that the fuzz sees what it looks for."""

import signal
import time
import warnings

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.robustness import _fuzz_case, _fuzz_process, fuzz
from benchmarks.robustness._target import Insane, Target
from benchmarks.robustness._targets import targets, uncovered

#: Cases of the small seed.
COUNT = 150


@pytest.mark.slow
def test_a_small_seed_ends_well():
    found = list(_fuzz_process.cases(seed=0, first=0, count=COUNT))
    assert [case["number"] for case in found] == list(range(COUNT))
    assert not [case for case in found if case["outcome"] in fuzz.FAILURES]
    assert {case["outcome"] for case in found} == {"result", "error"}


def test_a_worker_that_cannot_start_is_an_error(monkeypatch):
    monkeypatch.setattr(_fuzz_process.sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="the worker ended before its first case"):
        next(_fuzz_process.cases(seed=0, first=0, count=1))


def test_everything_public_is_called():
    assert not uncovered()


def test_a_case_depends_on_its_seed_and_number_alone():
    everything = targets()
    first = [_fuzz_case.drawn(3, number, everything)[1] for number in range(20)]
    assert first == [_fuzz_case.drawn(3, number, everything)[1] for number in range(20)]
    assert first != [_fuzz_case.drawn(4, number, everything)[1] for number in range(20)]


def fails(error):
    def call(given):
        raise error

    return call


def warns(category, times):
    def call(given):
        for _ in range(times):
            warnings.warn("planted", category, stacklevel=1)

    return call


def loops(given):
    while True:
        time.monotonic()


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        (lambda given: None, "result"), (fails(ValueError("expected")), "error"),
        (fails(TypeError("expected")), "error"), (fails(FileNotFoundError("expected")), "error"),
        (fails(KeyError("planted")), "undocumented"), (fails(OverflowError("no")), "undocumented"),
        (fails(np.linalg.LinAlgError("planted")), "undocumented"),
        (fails(MemoryError("planted")), "undocumented"), (fails(Insane("NaN")), "insane"),
        (warns(UserWarning, 3), "result"), (warns(UserWarning, 4), "flood"),
        (warns(RuntimeWarning, 1), "flood"), (loops, "hang"),
    ],
)  # fmt: skip
def test_how_a_case_ends(call, outcome, monkeypatch):
    monkeypatch.setattr(_fuzz_case, "LIMIT", 0.05)
    before = signal.signal(signal.SIGPROF, _fuzz_case.raise_hang)
    try:
        assert _fuzz_case.ended(Target("planted", {}, {}, call), {})["outcome"] == outcome
    finally:
        signal.signal(signal.SIGPROF, before)
