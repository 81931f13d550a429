"""Choose the vectors w at which the problem's searches are tested.

Even a wrong oracle returns the right output for most vectors w. To find errors in the searches, the
checks use vectors w of many norms. Some vectors come from a short training run. Further vectors are
chosen where errors are likely: near vectors that were tested before, and where two recorded outputs
have equal scores. Where the scores of two outputs are nearly equal, an inexact search often returns
the worse output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.check.findings import attempted
from structsvm.check.subject import Subject
from structsvm.contract.capabilities import defines
from structsvm.contract.constraints import constraints_of
from structsvm.data.arrays import Vector
from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import projected

#: The score that each search maximises, as a function of the losses and the products <w, Psi(x, y)
#: - Psi(x, y_hat)> of outputs. The score of the true output is subtracted, which changes no
#: maximiser.
SCORES = {
    "separation_oracle": lambda losses, products: losses - products,
    "slack_oracle": lambda losses, products: losses * (1 - products),
    "decode": lambda losses, products: -products,
}


#: The same scores as formulas.
FORMULAS = {
    "separation_oracle": "loss(y, y_hat) - <w, Psi(x, y) - Psi(x, y_hat)>",
    "slack_oracle": "loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)",
    "decode": "<w, Psi(x, y_hat) - Psi(x, y)>",
}


def term_sizes(method: str, losses: Any, products: Any) -> Any:
    """Return the sizes of the summands in scores, given losses and the sizes of <w, Psi>."""
    return SCORES[method](losses, -products)


#: Range of the size of the points. Within it scores do not overflow in float32.
SCALES = (1e-30, 1e30)
#: Sizes of the random points, relative to the size at which scores are about as large as losses.
FACTORS = (1e-3, 0.1, 0.3, 1.0, 2.0, 4.0, 10.0, 100.0, 1e4, 1e-7)
#: Index of the point at which scores are about as large as losses.
NATURAL = 1 + FACTORS.index(1.0)
#: Lead of one output over another near a tie, relative to the terms of the scores. It exceeds the
#: accepted rounding.
LEADS = (3e-5, -3e-5)
#: Number of steps of subgradient descent on all examples.
STEPS = 6
#: Number of examples that are learned one at a time.
LEARNED_EXAMPLES = 3
#: Largest number of perceptron-like steps for each of these examples.
LEARNING_STEPS = 6
#: Number of further points, near others or at ties, if outputs can be enumerated.
MORE_POINTS = 20
#: Number of further points if outputs cannot be enumerated. Then only outputs found at other points
#: can expose an error.
MORE_POINTS_UNENUMERATED = 76
#: Largest total number of entries of all points, which bounds memory if w is long.
MAX_NUMBERS = 5e6
#: Smallest number of points to visit, however long w is.
FEWEST_POINTS = 12


class Visit(NamedTuple):
    """A vector w, the true or imputed label of every example, and the searches' outputs at this w.

    The dictionary ``found`` maps the name of a search to a list, which holds for each example a
    pair (hash, output), or None if the call failed.
    """

    w: Vector
    labels: list[Any]
    found: dict[str, list[tuple[Any, Any] | None]]


def explore(subject: Subject, visits: Sequence[Visit]) -> Iterator[Vector]:
    """Yield the points one by one.

    Each point depends on the outputs found at earlier points.
    """
    rng, size = subject.rng, subject.calls.size
    project = projection(subject)
    direction = rng.standard_normal(size)
    # At w = 0 only the loss counts. There a self-labelled problem could impute anything.
    yield project(1e-9 * direction if subject.self_labelled else np.zeros(size))
    scale = _natural_scale(subject, visits[0])
    for factor in FACTORS:
        yield project(factor * scale * rng.standard_normal(size))
    # A search that recognises w by its norm takes the next two points for an earlier one.
    yield project(-visits[NATURAL].w)
    yield project(visits[NATURAL].w[::-1])
    for shape in (
        np.abs,
        lambda w: -np.abs(w),
        lambda w: np.where(rng.random(size) < 0.5, w, 0.0),
        lambda w: np.where(np.arange(size) < size / 2, w, 0.0),
        lambda w: np.where(np.arange(size) < size / 2, 0.0, w),
        lambda w: np.where(np.arange(size) == rng.integers(size), 100 * w, w),
    ):
        yield project(scale * shape(rng.standard_normal(size)))
    w = visits[1].w  # a small random point
    for step in range(1, STEPS + 1):
        row = _mean_difference(subject, visits[-1])
        norm = float(np.linalg.norm(row))
        if norm > 0:
            w = project(w + 2 * scale / (step * norm) * row)
            yield w
    yield from (project(w) for w in _learning(subject, visits))
    enumerable = subject.self_labelled or defines(subject.problem, "outputs")
    for attempt in range(MORE_POINTS if enumerable else MORE_POINTS_UNENUMERATED):
        method = ("separation_oracle", "decode")[attempt // 2 % 2]
        yield project(_tie(subject, visits, method) if attempt % 2 else _nearby(rng, visits))


def _learning(subject: Subject, visits: Sequence[Visit]) -> Iterator[Vector]:
    """Learn the true output of a few examples, one at a time; yield the vectors w of all steps.

    After the last step for an example, the true output of the example should have the highest
    score.
    """
    for i in subject.rng.permutation(subject.calls.n)[:LEARNED_EXAMPLES]:
        w = visits[2].w
        for _ in range(LEARNING_STEPS):
            yield w
            measured = _measured(subject, visits[-1], int(i))
            if measured is None:
                break
            loss, difference = measured
            if difference @ difference < SCALES[0] ** 2:  # too small to learn w
                break
            # Step half as far again as the hyperplane where the violation is 0, or at least a
            # little.
            violation = max(loss - float(difference @ w), 0.1 * loss)
            w = w + 1.5 * violation / (difference @ difference) * difference


def _nearby(rng: Any, visits: Sequence[Visit]) -> Vector:
    """Return an earlier w plus a random step, about 0.1, 0.3 or 1 times as long as w."""
    # The first point is excluded: its norm is about 0, so there would be no step.
    w: Vector = visits[rng.integers(1, len(visits))].w
    step: Vector = rng.standard_normal(len(w)) * np.linalg.norm(w) / np.sqrt(len(w))
    return w + float(rng.choice([0.1, 0.3, 1.0])) * step


def _tie(subject: Subject, visits: Sequence[Visit], method: str) -> Vector:
    """Return a w at which the outputs found at two earlier vectors have nearly equal scores.

    The function chooses a pair of earlier vectors w at which ``method`` found different outputs.
    Scores are linear in w. Between a w at which one output scores higher and a w at which another
    output scores higher, there is a w at which both scores are equal. Where the scores of two
    outputs are nearly equal, a search that rounds w may return the output with the lower score. If
    the same output scores higher at both chosen vectors, the function returns a random w between
    the vectors.
    """
    rng = subject.rng
    i, lead = int(rng.integers(subject.calls.n)), rng.choice(LEADS)
    first = visits[int(rng.integers(1, len(visits)))]
    second = _nearest_other(visits, first, i, method)
    here, there = (_measured(subject, visit, i, method) for visit in (first, second))
    fraction = rng.uniform()
    if here is not None and there is not None:
        ahead, behind = (
            SCORES[method](here[0], here[1] @ w) - SCORES[method](there[0], there[1] @ w)
            for w in (first.w, second.w)
        )
        if ahead > 0 > behind:
            norm = max(float(np.linalg.norm(w)) for w in (first.w, second.w))
            size = max(
                term_sizes(method, loss, norm * np.linalg.norm(row)) for loss, row in (here, there)
            )
            with np.errstate(over="ignore"):  # if features underflow
                fraction = float(np.clip((ahead - lead * size) / (ahead - behind), 0, 1))
    return (1 - fraction) * first.w + fraction * second.w


def _nearest_other(visits: Sequence[Visit], visit: Visit, i: int, method: str) -> Visit:
    """Return the record of the nearest w at which a search found another output for example i."""
    entry = visit.found[method][i]
    others = [
        other
        for other in visits[1:]
        if entry and (found := other.found[method][i]) and found[0] != entry[0]
    ]
    return min(others, key=lambda other: float(np.linalg.norm(other.w - visit.w)), default=visit)


def _measured(
    subject: Subject, visit: Visit, i: int, method: str = "separation_oracle"
) -> tuple[float, Vector] | None:
    """Return loss and joint-feature difference of a search's output at a visited point."""
    entry = visit.found[method][i]
    return None if entry is None else subject.measure(i, visit.labels[i], method, entry[1])


def _mean_difference(subject: Subject, visit: Visit) -> Vector:
    """Return the mean joint-feature difference, which is minus a subgradient of the mean slack."""
    found = [_measured(subject, visit, i) for i in range(subject.calls.n)]
    rows = [measured[1] for measured in found if measured is not None]
    return np.mean(rows, axis=0) if rows else np.zeros(subject.calls.size)


def _natural_scale(subject: Subject, visit: Visit) -> float:
    """Return the size of the entries of w for which scores are about as large as losses."""
    ratios = []
    for i in range(subject.calls.n):
        loss, difference = _measured(subject, visit, i) or (0.0, np.zeros(1))
        if loss > 0 and (size := float(np.linalg.norm(difference))) > 0:
            ratios.append(loss / size)
    # Beyond these scales nothing is tested: scores overflow, or vanish beside the losses.
    return float(np.clip(np.median(ratios), *SCALES)) if ratios else 1.0


def constraints(subject: Subject) -> Constraints:
    """Return the problem's constraints as a :class:`Constraints`."""
    found = constraints_of(subject.problem)
    return Constraints(found.rows, subject.calls.size, found.lower)


def projection(subject: Subject) -> Callable[[Vector], Vector]:
    """Return a function that projects w onto the set that the problem's constraints allow."""
    found, error = attempted(constraints, subject)
    # constraints_are_valid reports an error.
    return (lambda w: w) if error else lambda w: projected(w, found)
