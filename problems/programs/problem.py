"""Integer programs as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from structsvm.contract.problem import OracleQuality, Problem, ScoreTerms
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples
from structsvm.data.validation import require_flag
from structsvm.exceptions import InputError
from structsvm.problems.programs.labels import checked, known_in, values_of, weights_of
from structsvm.problems.programs.program import Compiled, Program
from structsvm.problems.programs.search import (
    RELAXED,
    ROUNDOFF,
    Solver,
    best,
    quality,
    require_limits,
    solved,
)
from structsvm.problems.programs.task import ProgramTask, augmented, each


@dataclass(eq=False, repr=False)
class IntegerProgram(Problem):
    r"""The problem of predicting 0/1 vectors that satisfy linear constraints.

    An input is a :class:`Program`. A subclass may take other inputs, and convert them by the method
    :meth:`program`. An output is a 0/1 vector of shape (v,) that satisfies the constraints, or a
    pair of a 0/1 vector and the weights of the variables in the loss, which are >= 0. A weight of 0
    means that the true value of the variable is unknown. If a true output violates the constraints,
    some of its variables of weight 0 are changed to satisfy the constraints: as few as possible.

    - :math:`\Psi(x, y) = \frac1v \sum_i y_i \psi_i`, where :math:`\psi_i` are the features of
      variable i, and v is the number of variables.
    - :math:`\Delta(y, \hat y) = \frac1v \sum_i c_i |y_i - \hat y_i|` with weights c, by default 1:
      the fraction of the variables that are wrong. Every search is one integer program, because the
      loss is linear in :math:`\hat y`.

    Parameters
    ----------
    time_limit : float, optional
        Seconds, > 0, after which a search by HiGHS returns the best solution so far, or raises an
        error if it has no solution. With a time limit the oracle may miss the best output.
    mip_rel_gap : float, default=0.0
        Relative gap, >= 0, at which a search by HiGHS may stop. With a gap > 0 the oracle may miss
        the best output. The default of HiGHS itself, 1e-4, is not used.
    relaxation : bool, default=False
        Whether the separation oracle solves the linear relaxation, which has fractional outputs.
        The relaxation is faster to solve than the integer program. Predictions are 0/1 vectors even
        with a relaxation.
    solver : 'highspy' or callable, optional
        The solver that replaces ``scipy.optimize.milp``.

        'highspy' uses the package highspy, and is as exact as ``scipy.optimize.milp``. 'highspy'
        keeps the linear relaxation of each program, starts each search from the previous solution,
        and branches on fractional variables. If 30 relaxations are not enough,
        ``scipy.optimize.milp`` solves the program. If there are several best solutions, earlier
        searches determine which one is found.

        A function ``solver(scores, constraint, start)`` returns the 0/1 vector y that maximises
        ``scores @ y`` subject to ``constraint``. The argument ``constraint`` is a
        ``scipy.optimize.LinearConstraint`` with a sparse matrix ``A``. ``start`` is a solution to
        start from, or None. If the solver is a function, leave ``time_limit`` and ``mip_rel_gap``
        at their defaults. A function that may miss the best solution needs the attribute
        ``oracle_quality = "undergenerating"``.

    Raises
    ------
    ImportError
        If the solver is 'highspy' and the package highspy is not installed.

    Notes
    -----
    Some versions of HiGHS print lines that begin with ``HighsMipSolverData`` or ``Running HiGHS``;
    no option turns these lines off.

    References
    ----------
    Tsochantaridis et al., Large Margin Methods for Structured and Interdependent Output Variables,
    JMLR 2005; Finley & Joachims, Training Structural SVMs when Exact Inference is Intractable, ICML
    2008, which studies relaxations. Psi and the loss are means over the variables, so that a good C
    does not depend on the number of variables. Without constraints, the slack is the mean slack of
    a binary SVM.

    Examples
    --------
    Define a subclass for knapsacks, to predict which items are packed into a bag:

    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import IntegerProgram, Program
    >>> class Knapsack(IntegerProgram):
    ...     def program(self, bag):
    ...         return Program(bag["features"], {"weight": ([bag["weights"]], [10])})
    >>> features = np.array([[4.0, 1.0], [3.0, 1.0], [1.0, 1.0]])
    >>> bags = [{"features": features, "weights": weights} for weights in ([6, 5, 4], [9, 7, 3])]
    >>> svm = StructuredSVM(Knapsack()).fit(bags, [[1, 0, 1], [0, 1, 1]])
    >>> svm.predict([{"features": features, "weights": [4, 4, 4]}])
    [array([1, 1, 0])]
    """

    oracle_cost = "expensive"
    block_size = 1

    time_limit: float | None = None
    mip_rel_gap: float = 0.0
    relaxation: bool = False
    solver: Solver | None = None

    def program(self, x: Program) -> Program:
        """Return the program of an input; by default the input is a program itself."""
        return x

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        if self.relaxation:
            return "overgenerating"
        return quality(self.time_limit, self.mip_rel_gap, self.solver)

    @property
    def search_of_user(self) -> str:  # type: ignore[override]
        return "solver" if callable(self.solver) else ""

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        return None if callable(self.solver) else ROUNDOFF

    def initialize(self, X: Any, Y: Any) -> None:
        require_limits(self.time_limit, self.mip_rel_gap, self.solver)
        require_flag("relaxation", self.relaxation)
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the outputs Y; it is None")
        programs = each("X", lambda i: self.compiled(X[i]), n_examples(X))
        self.size_joint_feature = programs[0].features.shape[1]
        each("X", lambda i: self.with_features(programs[i]), len(programs))
        outputs = each("Y", lambda i: self.checked_output(programs[i], Y[i]), len(programs))
        if not any(known_in(y).any() for y in outputs):
            raise ValueError(
                "no variable of any output in Y is known: all are -1, or have weight 0 in the "
                "loss; give the value of some variables, with a weight above 0"
            )
        self.max_loss = max(float(weights_of(y).mean()) for y in outputs)

    def task(self, X: Any, Y: Any = None) -> ProgramTask:
        return ProgramTask(self, X, Y)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        program = self.compiled(x)
        return program.sum(values_of(y) / program.n_variables)

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        program = self.compiled(x)
        return program.sum((values_of(y) - values_of(y_hat)) / program.n_variables)

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        program, v = self.compiled(x), len(values_of(y))
        return ScoreTerms(range(v), values_of(y) / v, program.features, w)

    def loss(self, y: Any, y_hat: Any) -> float:
        wrong = np.abs(values_of(y) - values_of(y_hat))
        return float(weights_of(y) @ wrong / len(wrong))

    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        """Return ``max_loss`` times the weighted fraction of known variables that are wrong."""
        values, weights = values_of(y), weights_of(y) * known_in(y)
        wrong = weights @ np.abs(values - values_of(y_hat))
        return float((self.max_loss or 1.0) * wrong / max(weights.sum(), np.finfo(float).tiny))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        program = self.compiled(x)
        scores = augmented(program, y, w)
        if self.relaxation:
            relaxed = solved(program, scores, RELAXED, self.time_limit, solver=self.solver)
            return np.clip(relaxed, 0.0, 1.0)
        return self._best(program, scores, values_of(y))

    def decode(self, x: Any, w: Vector) -> Any:
        program = self.compiled(x)
        return self._best(program, program.scores(w), None)

    def outputs(self, x: Any) -> Iterable[Any]:
        program = self.compiled(x)
        vectors = (np.array(y) for y in product((0, 1), repeat=program.n_variables))
        return (y for y in vectors if not len(program.violations(y)))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return ten examples of choosing talks that do not overlap and fit into a limited time."""
        rng = np.random.default_rng(0)
        X, Y = [], []
        for _ in range(10):
            features, lengths = rng.normal(size=(6, 3)), rng.integers(1, 4, size=6)
            overlap = np.eye(5, 6) + np.eye(5, 6, 1)
            constraints = {"overlap": (overlap, np.ones(5)), "length": ([lengths], [6])}
            X.append(Program(features, constraints))
            worth = features @ [1.0, -2.0, 0.5] + 0.5 * rng.normal(size=6)
            Y.append(best(Compiled.of(X[-1]), worth, None, None))
        return X, Y

    # ------------------------------------------------------------------ inside

    def _best(self, program: Compiled, scores: Vector, start: Any) -> Any:
        """Return the 0/1 vector of largest score."""
        options = {"time_limit": self.time_limit, "mip_rel_gap": self.mip_rel_gap}
        return best(program, scores, self.solver, start, **options)

    def _with_best(self, program: Compiled, values: Any, known: Any, scores: Vector) -> Any:
        """Return the known values, with the values of highest score for the unknown variables."""
        rest, values = program.restricted(known, values), values.copy()
        try:
            values[~known] = self._best(rest, scores[~known], None)
        except InputError as error:
            raise InputError(f"with the known variables as they are, {error}") from None
        return values

    def compiled(self, x: Any) -> Compiled:
        """Return the checked program of an input, or raise the ValueError stored in its place."""
        if isinstance(x, ValueError):
            raise x
        return x if isinstance(x, Compiled) else Compiled.of(self.program(x))

    def with_features(self, program: Compiled) -> Compiled:
        """Return the program; raise an InputError if its number of features is wrong."""
        d = program.features.shape[1]
        if d != self.size_joint_feature:
            raise InputError(
                f"a variable has {d} features here, but {self.size_joint_feature} in the first "
                "program of the training"
            )
        return program

    def checked_output(self, program: Compiled, y: Any) -> Any:
        """Return an output as integers; raise a ValueError if it is invalid."""
        if isinstance(program, ValueError):
            raise program
        y = checked(y, program.n_variables)
        program.require_feasible(values_of(y), "the output", known_in(y))
        return y

    def completed(self, program: Compiled, y: Any) -> Any:
        """Return the output; if it violates constraints, change its unknown variables."""
        values = values_of(y)
        if not len(program.violations(values)):
            return y
        return self._with_best(program, values, known_in(y), 2.0 * values - 1), weights_of(y)
