"""Errors about methods whose return values contradict the contract or another method.

The functions of this module are called only after a check has failed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.missing import missing
from structsvm.data.arrays import Vector
from structsvm.exceptions import InputError, ProblemError
from structsvm.task.advice import advice
from structsvm.task.faults import name_of
from structsvm.task.sums import products, sliced

#: Number of further calls of an oracle at the same w before its quality is doubted.
AGAIN = 3
#: The advice to an author whose methods contradict the contract.
MORE = "structsvm.check_problem(problem, X, Y) finds out more"
#: The advice if a method changes its arguments.
COPY = f"Work on a copy. {MORE}"
#: The advice if methods contradict each other.
RUN = "Run structsvm.check_problem(problem, X, Y) to find which is wrong"
#: The advice if methods contradict each other and no bound holds.
THE_SAME = (
    "Its methods must answer the same at every call: were loss, joint_feature or an oracle changed "
    "since a checkpoint was written, or do they depend on earlier calls? "
    f"{RUN}, and remove a checkpoint of the methods as they were"
)
#: The advice if values and expectations of a soft oracle contradict each other.
SIGN = f"Is their sign that of joint_feature(x, y) - joint_feature(x, y_hat)? {RUN}"
#: The advice if an oracle depends on chance.
REPEATABLE = (
    "It must depend on its arguments alone, and no method may change these: seed what is random at "
    f"every call, and keep no state that calls change. {RUN}"
)
#: The advice if an oracle misses outputs.
UNDERGENERATING = (
    "Run structsvm.check_problem(problem, X, Y) to find the mistake; if there is none, because it "
    "searches only some of the outputs, declare oracle_quality = 'undergenerating'"
)


def contract_error(problem: Any, words: str, to_author: str = MORE) -> ProblemError:
    """Return a ProblemError with the message `words`, and with advice."""
    return ProblemError(f"{words}. {advice(problem, to_author)}")


# ---------------------------------------------------------------------- the contract


def changed(problem: Any, before: list[Any], now: list[Any]) -> ProblemError:
    """Return the error for the first example that a method has changed in place."""
    pairs = zip(before, now, strict=True)
    (number, x, _), (_, new, _) = next(pair for pair in pairs if pair[0] != pair[1])
    part = "x" if x != new else "y"
    return contract_error(
        problem,
        f"a method of {type(problem).__name__} changed its {part} in place, that of example "
        f"{number} among others, so the result is not one for the data given. If {part.upper()} "
        "was an array or a list it is changed now: load it again",
        COPY,
    )


def no_prediction(problem: Any, reason: Any = None) -> str:
    """Return the message about a decoder that is missing, or fails for the given reason."""
    why = f"{reason}. {advice(problem, MORE)}" if reason else missing(problem, "decode")
    return f"training has ended, but no output can be predicted: {why}"


def missed(block: Any, i: int, found: float, true: float) -> str:
    """Return the message about a decoder whose output has a lower score than the true output."""
    decoder = name_of(block, "decode")
    owner = "" if "." in decoder else f"{type(block.problem).__name__}."
    return (
        f"{owner}{decoder} misses outputs: for example {block.index[i]} it returned one with a "
        f"score of {found:.6g} at the final w, but the true output has {true:.6g}. Either "
        f"{decoder} is wrong, or this true output is one that the searches do not consider, so "
        "that the separation oracle misses it too: compare Y with outputs(x), and see "
        f"decode_may_miss. {advice(block.problem, MORE)}"
    )


# ---------------------------------------------------------------------- earlier answers


def unequal(problem: Any, number: int, slacks: Any) -> str:
    """Return the message about an oracle whose outputs have different slacks at the same w."""
    return (
        f"two calls of the oracle of {type(problem).__name__} with the same x, y and w differ: for "
        f"example {number} their outputs have the violations {min(slacks):.6g} and "
        f"{max(slacks):.6g}, so the bounds of a result depend on chance. "
        f"{advice(problem, REPEATABLE)}"
    )


def no_truth(problem: Any, number: int, violation: float) -> str:
    """Return the message about an oracle whose output has a smaller slack than the true output."""
    return (
        f"the separation oracle of {type(problem).__name__} is declared exact, but at the final w "
        f"its output for example {number} has the violation {violation:.6g}, and the true output "
        "has 0: so the objective may be too low. Does the oracle leave out the true output? If it "
        f"must, declare oracle_quality = 'undergenerating'. {advice(problem, MORE)}"
    )


def no_loss(examples: Any, labels: Any) -> ProblemError:
    """Return the error about an oracle that finds no output with a loss above 0 at w = 0.

    The losses of predictions show whether outputs other than the true output have a loss above 0.
    """
    problem = examples.problem
    found = "the oracle returned an output of loss 0 for every example at w = 0"
    w = np.random.default_rng(0).normal(size=examples.size)
    try:
        losses = [[*examples.map(_predicted_losses, labels, some)] for some in (w, -w)]
    except ProblemError as error:
        if not isinstance(error.__cause__, InputError):
            raise
        losses = []  # an input without a prediction shows nothing
    if any(block.any() for blocks in losses for block in blocks):
        to_author = f"is the oracle forgetting the loss, or returning the true output? {MORE}"
        return ProblemError(
            f"{found}, where it should return one of the largest loss, and decode finds outputs of "
            f"a loss > 0; {advice(problem, to_author)}"
        )
    return ProblemError(
        f"{found}, and decode finds no other at random w: so there is nothing to learn. Has every "
        f"example of {type(problem).__name__} only one possible output, by the constraints on "
        "outputs, or are all weights of the loss 0?"
    )


def beaten(
    examples: Any, labels: Any, w: Vector, known: Vector, slacks: Vector, allowed: float
) -> ProblemError:
    """Return the error about an oracle that varies, or misses an output of higher score.

    See :func:`structsvm.solvers.shared.consistency.require_unbeaten`.
    """
    problem, each = examples.problem, len(slacks) == examples.n
    again = [np.concatenate([*examples.map(_slacks, labels, w)]) for _ in range(AGAIN)]
    answers = np.array([*again, slacks] if each else again)
    spread = np.ptp(answers, axis=0)
    worst = int(np.argmax(spread))
    if spread[worst] > allowed:
        return ProblemError(unequal(problem, examples.index[worst], answers[:, worst]))
    worst = int(np.argmax(known - slacks))
    where = f" for example {examples.index[worst]}" if each else ""
    cheap = examples.cheap_searches
    others = f", or {' or '.join(cheap)}," if cheap else ""
    feasible = (
        f"An output of {' or '.join(cheap)} must be one that the oracle could return for the same "
        "x. "
    )
    return contract_error(
        problem,
        f"the oracle is declared {problem.oracle_quality} but an output that it{others} returned "
        f"earlier scores higher{where}: violation {known[worst]:.6g} against {slacks[worst]:.6g}",
        (feasible if cheap else "") + UNDERGENERATING,
    )


def _predicted_losses(block: Any, w: Vector) -> Vector:
    """Return the losses of all examples' decoded outputs."""
    return np.asarray(block.losses(block.decode(w)))


def _slacks(block: Any, w: Vector) -> Vector:
    """Return the slacks of all examples, from a call of the oracle at w."""
    outputs, at = block.search(w), block.at(w)
    rows = sliced(block.differences, outputs, block.n, block.size)
    found = np.concatenate([products(each, at) for _, each in rows])
    return np.asarray(np.maximum(block.losses(outputs) - found, 0))
