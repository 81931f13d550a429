"""The concave-convex procedure for self-labelled problems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structsvm.outcome import Iteration, Status
from structsvm.planes import projected
from structsvm.problem import Problem, SelfLabelledProblem, Vector
from structsvm.separation import Cuts, aggregate_cut
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.run import DualSide, Run
from structsvm.validation import checked_generator, checked_w

#: Relabelling ends when the objective falls by less than this share ("alpha% = 0.01").
RELABEL_RTOL = 1e-4
#: The search ends at this relative gap, or after so many passes; the descent does the rest.
SEARCH_RTOL = 0.03
SEARCH_PASSES = 40


class CCCP(OneSlackCuttingPlane):
    """The constrained concave-convex procedure, for self-labelled problems.

    *Search*: after each oracle pass the problem restricted to the working set is solved by turns:
    impute labels at w, make the planes against them, solve the quadratic program; until the
    restricted objective falls by less than 0.01 %. This is the order of Zhao, Wang & Zhang (ICML
    2008, Algorithms 1 and 2): cutting planes outside, the concave-convex procedure inside. From
    an empty working set it anneals, since early planes are few and labels still move freely.

    *Descent*, from the best point of the search: hold the labels, solve the now convex problem by
    one-slack cutting planes to the tolerance, impute anew; until that lowers the objective by
    less than 0.01 %. The objective never rises here, and the gap of the last convex problem
    certifies w given its labels.

    Where we differ from the papers: the descent; a plane is kept as what the oracle returned and
    made anew against the labels of the day; and a relabelling that would raise the restricted
    objective is refused.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`. The gap is that of the problem with its labels held.
    max_iter : int, default=1000
        Passes over the data at most, of both phases together. Imputing anew at the end of a
        descent takes one more each time.
    prune_after : int, default=50
        As in :class:`OneSlackCuttingPlane`; the labels still move, so planes may come back to use.
    search : bool, default=True
        Without it the descent starts at w0.
    random_state : int or numpy.random.Generator, default=0
        Given to the problem's ``initial_w`` where no w0 is given.
    """

    needs_labels = False

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 1000,
        time_limit: float | None = None,
        prune_after: int = 50,
        search: bool = True,
        random_state: Any = 0,
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit, prune_after)
        self.search = search
        self.random_state = random_state

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        if not isinstance(problem, SelfLabelledProblem):
            raise TypeError(
                f"CCCP needs a SelfLabelledProblem; {type(problem).__name__} has known outputs: "
                "use OneSlackCuttingPlane or NSlackCuttingPlane"
            )

    def _first_query(self, run: Run, w0: Vector | None) -> Vector:
        if w0 is None:
            problem, rng = run.bound.problem, checked_generator(self.random_state)
            w0 = problem.initial_w(run.bound.X, rng)
            w0 = checked_w(f"{type(problem).__name__}.initial_w", w0, run.bound.size)
        w0 = projected(w0, run.working_set.constraints)
        if not w0.any():
            raise ValueError(
                "w0 must not be zero, nor its projection onto the constraints: all outputs tie "
                "there, and no label is implied"
            )
        run.searching = self.search
        run.labels = run.bound.impute(w0)
        run.solve()  # the dual solution is one for these labels
        return w0

    def _cuts(self, run: Run, query: Vector) -> Cuts:
        if not run.searching:
            return super()._cuts(run, query)
        labels = run.bound.impute(query)
        self._relabel(run, labels)
        return aggregate_cut(run.bound, labels, query)

    def _finished(self, run: Run, iteration: Iteration) -> bool:
        """The search ends in the descent, the descent where imputing anew lowers nothing."""
        if run.searching:
            enough = max(self._tolerance(run), SEARCH_RTOL * iteration.best_primal)
            close = iteration.gap <= enough < math.inf  # infinite while w breaks a constraint
            if close or iteration.iteration >= SEARCH_PASSES:
                self._start_descent(run)
            return False
        if not super()._finished(run, iteration) or self._impute_anew(run):
            return False
        assert run.best is not None
        return run.best.primal - run.best.dual.value <= self._tolerance(run)

    def _advance(self, run: Run, query: Vector, cuts: Cuts) -> Vector | None:
        if run.searching:
            return self._search_step(run, cuts)
        assert run.best is not None
        if cuts.labels is not run.labels:
            return run.best.w
        following = super()._advance(run, query, cuts)
        return run.best.w if following is None and self._impute_anew(run) else following

    def _close(self, run: Run, status: Status) -> None:
        assert run.best is not None
        if run.searching:
            # Should Ctrl-C cut in, the dual bound of 0 belongs to any labels.
            none = np.zeros_like(run.dual.multipliers)
            nothing = DualSide(0.0, np.empty(0), (), none, run.best.labels)
            run.best = run.best._replace(dual=nothing)
            self._start_descent(run)
        elif status is not Status.CONVERGED:
            self._impute_anew(run)

    # ------------------------------------------------------------------ search

    def _search_step(self, run: Run, cuts: Cuts) -> Vector:
        planes = run.working_set
        if cuts.labels is not run.labels:  # these labels were refused: keep to the accepted ones
            rows, offsets = run.made_against(run.labels, cuts.sources)
            cuts = cuts._replace(rows=rows, offsets=offsets)
        planes.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)
        planes.prune(self.prune_after)
        restricted = run.solve()
        while self._relabel(run, run.bound.impute(restricted.w)):
            previous, restricted = restricted, run.solve()
            if previous.primal - restricted.primal <= RELABEL_RTOL * abs(previous.primal):
                break
        return run.w

    def _relabel(self, run: Run, labels: Any) -> bool:
        """Make the planes against new labels, unless that raises the restricted objective at w."""
        planes = run.working_set
        rows, offsets = run.planes_against(labels)
        slack = max(0.0, float((offsets - rows @ run.w).max(initial=0)))
        before = planes.slacks(run.w)[0]
        if run.C * (slack - before) > 1e-9 * (1 + run.C * before):
            return False
        run.accept(labels, rows, offsets)
        return True

    # ------------------------------------------------------------------ descent

    def _start_descent(self, run: Run) -> None:
        assert run.best is not None
        run.hold(run.best.labels, run.best.w, run.best.slacks)
        run.searching = False

    def _impute_anew(self, run: Run) -> bool:
        """Hold what is imputed at the best point, unless that raises the objective.

        Returns whether the objective fell by more than next to nothing.
        """
        assert run.best is not None
        w, held = run.best.w, run.best.primal
        labels = run.bound.impute(w)
        slacks = aggregate_cut(run.bound, labels, w).slacks
        if run.objective(w, slacks) > held:  # imputing may raise the loss
            return False
        run.hold(labels, w, slacks)
        return held - run.best.primal > RELABEL_RTOL * abs(held)
