"""From StructuredSVM.fit to the user's oracle: few frames, and no module entered twice."""

import sys
import traceback
import warnings
from itertools import groupby
from typing import NamedTuple

import pytest
from sklearn.exceptions import ConvergenceWarning
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    StructuredSVM,
)

#: Largest number of frames, that of ``fit`` and that of the oracle included.
MOST_FRAMES = 12

MULTILABEL = (Multilabel, *multilabel_data(n=20), 50.0)
#: With a C at which no descent reaches the tolerance, so that the cutting plane continues.
STALLING = (Multilabel, *multilabel_data(), 1e4)
TOPICS = (LatentTopics, topics_data(), None, 50.0)
RUNS = {
    "auto": ("auto", *MULTILABEL),
    "OneSlackCuttingPlane": (OneSlackCuttingPlane(), *MULTILABEL),
    "NSlackCuttingPlane": (NSlackCuttingPlane(), *MULTILABEL),
    "CCCP": (CCCP(), *TOPICS),
    "CCCP, stopped": (CCCP(max_iter=3), *TOPICS),
    "BlockCoordinateFrankWolfe": (BlockCoordinateFrankWolfe(rtol=1e-2), *MULTILABEL),
    "BlockCoordinateFrankWolfe, stopped": (BlockCoordinateFrankWolfe(max_iter=3), *MULTILABEL),
    "SmoothedCuttingPlane": (SmoothedCuttingPlane(), *MULTILABEL),
    "SmoothedCuttingPlane, stopped": (SmoothedCuttingPlane(max_iter=3), *MULTILABEL),
    "SmoothedCuttingPlane, stalled": (SmoothedCuttingPlane(rtol=0), *STALLING),
    "SmoothedLBFGS": (SmoothedLBFGS(), *MULTILABEL),
    "SmoothedLBFGS, stopped": (SmoothedLBFGS(max_iter=3), *MULTILABEL),
    "SmoothedLBFGS, stalled": (SmoothedLBFGS(rtol=0), *STALLING),
}


class Step(NamedTuple):
    """One frame of a chain of calls."""

    module: str
    path: str
    line: int
    function: str

    def __str__(self):
        return f"{self.path}:{self.line} {self.function}"


def step(frame, line):
    code = frame.f_code
    return Step(frame.f_globals["__name__"], code.co_filename, line, code.co_name)


def chain_to(frame):
    """The frames from that of ``StructuredSVM.fit`` to this one."""
    steps = [step(frame, frame.f_lineno)]
    while frame.f_code is not StructuredSVM.fit.__code__:
        frame = frame.f_back
        steps.append(step(frame, frame.f_lineno))
    return tuple(reversed(steps))


def chain_of(error):
    """The frames of an error and its cause, from that of ``StructuredSVM.fit`` on.

    The cause has passed the frames from the user's method to the one that caught it.
    """
    outer, inner = (list(traceback.walk_tb(e.__traceback__)) for e in (error, error.__cause__))
    frames = [frame for frame, _ in outer]
    start = [frame.f_code for frame in frames].index(StructuredSVM.fit.__code__)
    caught = frames.index(inner[0][0])
    return tuple(step(frame, line) for frame, line in outer[start:caught] + inner)


def require_short_chain(chain):
    """At most MOST_FRAMES frames, and no module that is left and entered again."""
    count, listed = len(chain), "\n".join(map(str, chain))
    assert count <= MOST_FRAMES, f"{count} frames, more than {MOST_FRAMES}:\n{listed}"
    modules = [module for module, _ in groupby(chain, key=lambda step: step.module)]
    twice = sorted({module for module in modules if modules.count(module) > 1})
    assert not twice, f"{', '.join(twice)} entered twice:\n{listed}"


def fit(solver, problem, X, Y, C):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        StructuredSVM(problem, C=C, solver=solver, n_jobs=1).fit(X, Y)


def recording(kind, fails_at=None):
    """A problem, and the chains of the calls of its oracle; one call may fail."""
    chains = []

    class Recording(kind):
        def separation_oracle(self, x, y, w):
            chains.append(chain_to(sys._getframe()))
            if len(chains) - 1 == fails_at:
                raise ArithmeticError("on purpose")
            return super().separation_oracle(x, y, w)

    return Recording(), chains


@pytest.fixture(params=RUNS)
def run(request):
    """A solver, a kind of problem, X, Y and C."""
    return RUNS[request.param]


@pytest.mark.sampled(7)
def test_every_call_is_a_few_frames_below_fit(run):
    solver, kind, *data = run
    problem, chains = recording(kind)
    fit(solver, problem, *data)
    assert len(chains) > len(data[0])
    for chain in sorted(set(chains), key=len, reverse=True):
        assert (chain[0].function, chain[-1].function) == ("fit", "separation_oracle")
        require_short_chain(chain)


@pytest.mark.sampled(13)
def test_the_traceback_of_an_error_has_no_more_frames(run):
    solver, kind, *data = run
    problem, chains = recording(kind)
    fit(solver, problem, *data)
    deepest = max(range(len(chains)), key=lambda j: len(chains[j]))
    problem, chains = recording(kind, fails_at=deepest)
    with pytest.raises(ProblemError, match=r"separation_oracle raised .* on purpose") as caught:
        fit(solver, problem, *data)
    chain = chain_of(caught.value)
    require_short_chain(chain)
    assert [step[::3] for step in chain] == [step[::3] for step in chains[deepest]]


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ("abcdefghijklm", "13 frames, more than 12:"),
        ("abba", "a entered twice:"),
        ("abab", "a, b entered twice:"),
    ],
)
def test_the_tests_above_can_fail(modules, message):
    chain = [Step(module, f"{module}.py", line, "f") for line, module in enumerate(modules)]
    with pytest.raises(AssertionError) as caught:
        require_short_chain(chain)
    lines = str(caught.value).splitlines()
    assert lines[0] == message
    assert [line.strip() for line in lines[1 : 1 + len(chain)]] == list(map(str, chain))
    require_short_chain([chain[0]] * MOST_FRAMES)
