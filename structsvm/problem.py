"""The contract between a structured problem and the engine.

A problem says what an input x, an output y, the joint feature map and the loss are, and how to
search the outputs. The engine does the rest and knows nothing else: to it x, y and whatever an
oracle returns are opaque. It never compares, copies or inspects them.

The objective that all of this serves is written in :mod:`structsvm.objective`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

Vector = NDArray[np.float64]
Indices = NDArray[np.intp]
OracleQuality = Literal["exact", "undergenerating", "overgenerating"]
Parallelism = Literal["processes", "threads"]


class SoftOutput(NamedTuple):
    """What :meth:`Problem.soft_oracle` returns, for one example.

    With s(y') = loss(y, y') - <w, Psi(x, y) - Psi(x, y')> and the distribution
    p(y') proportional to exp(s(y') / mu), y' running over all outputs, the true y among them:

    Attributes
    ----------
    value : float
        mu * log sum_y' exp(s(y') / mu), an upper bound of the slack.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        E_p[Psi(x, y) - Psi(x, y')]; its negative is the gradient of ``value`` in w.
    loss : float
        E_p[loss(y, y')].
    """

    value: float
    joint_feature_difference: Vector
    loss: float


class SoftSum(NamedTuple):
    """What :meth:`Problem.sum_soft_oracle` returns: soft outputs of n examples, summed.

    Attributes
    ----------
    values : ndarray of shape (n,)
        ``SoftOutput.value`` of every example.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        The sum of ``SoftOutput.joint_feature_difference``.
    loss : float
        The sum of ``SoftOutput.loss``.
    slacks : ndarray of shape (n,) or None
        max_y' s(y') of every example, where it is known at no further cost. None saves the search
        for it until it matters.
    """

    values: Vector
    joint_feature_difference: Vector
    loss: float
    slacks: Vector | None = None


class Problem(BaseEstimator):
    """A structured prediction problem: subclass it to define a new one.

    Four methods are required: :meth:`joint_feature`, :meth:`loss`, :meth:`separation_oracle` and
    :meth:`decode`. All others are optional; offering one means overriding it. Run
    :func:`structsvm.check_problem` on the result: it finds most mistakes and names them.

    ``X`` is any sequence of inputs (array, scipy.sparse CSR matrix, list, ...) of which ``X[i]``
    is the i-th; ``Y`` likewise. ``w`` is a float64 array of shape (size_joint_feature,). Inputs,
    outputs and w must not be changed by any method. Constructor
    parameters follow scikit-learn's convention (stored under their own name, unchanged), so that
    they can be cloned and searched over.

    Attributes
    ----------
    size_joint_feature : int
        Length of w and of every joint feature; set by :meth:`initialize`.
    oracle_quality : {'exact', 'undergenerating', 'overgenerating'}, default='exact'
        What :meth:`separation_oracle` promises. 'exact': no output scores higher than the one
        returned. 'undergenerating': it may miss the best output (a local search).
        'overgenerating': it is exact over a superset of the outputs (a relaxation). What a
        result guarantees follows from it (Finley & Joachims, ICML 2008).
    max_loss : float or None, default=None
        The largest value the loss can take, where known; scales ``score`` to [0, 1].
    parallelism : {'processes', 'threads'}, default='processes'
        Where ``n_jobs`` asks several parts of the examples at once. 'threads' where the methods
        release Python's lock, as large operations of numpy do, and may be called at the same time.
    block_size : int or None, default=None
        The examples are asked in at most 32 parts, which are the same for any ``n_jobs``. Where
        :meth:`batch_separation_oracle` is offered, a part has at least so many examples, if there
        are so many; None leaves that number to the engine.
    """

    oracle_quality: OracleQuality = "exact"
    max_loss: float | None = None
    parallelism: Parallelism = "processes"
    block_size: int | None = None
    size_joint_feature: int

    # ------------------------------------------------------------------ required

    def joint_feature(self, x: Any, y: Any) -> Vector:
        """Psi(x, y), the joint feature of an input and an output.

        Requires: ``initialize`` has run; y is an output of x.
        Ensures: a finite 1-d array of length ``size_joint_feature``, the same at every call.
        """
        raise NotImplementedError(_missing(self, "joint_feature"))

    def loss(self, y: Any, y_hat: Any) -> float:
        """Delta(y, y_hat), what predicting y_hat costs when y is true.

        Requires: y and y_hat are outputs of the same input (y_hat may be whatever the oracle
        returns).
        Ensures: a finite number >= 0, and 0 for ``loss(y, y)``.
        """
        raise NotImplementedError(_missing(self, "loss"))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """The most violated output, argmax over y_hat of loss(y, y_hat) + <w, Psi(x, y_hat)>.

        Requires: w has length ``size_joint_feature``.
        Ensures: an output (never None) that attains the maximum, as far as ``oracle_quality``
        promises. The true y is among the candidates. A fresh object or an immutable one: the
        engine keeps it.
        """
        raise NotImplementedError(_missing(self, "separation_oracle"))

    def decode(self, x: Any, w: Vector) -> Any:
        """The prediction, argmax over y of <w, Psi(x, y)>.

        Requires: w has length ``size_joint_feature``.
        Ensures: an output of x (never None) that attains the maximum; where ``oracle_quality``
        is not 'exact' it may miss it.
        """
        raise NotImplementedError(_missing(self, "decode"))

    # ------------------------------------------------------------------ optional

    def initialize(self, X: Any, Y: Any) -> None:
        """Learn sizes from the data.

        Requires: X and Y hold at least one example. Y is None for a self-labelled problem
        without annotations.
        Ensures: ``size_joint_feature`` is set. May be called again with other data and then
        forgets the earlier. Raises ValueError where the data do not fit the problem.

        The default measures the joint feature of the first example.
        """
        self.size_joint_feature = int(np.size(self.joint_feature(X[0], Y[0])))

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        """Psi(x, y) - Psi(x, y_hat).

        Override it where the difference is cheaper than its terms, or where the oracle's y_hat
        is not an output that :meth:`joint_feature` understands (a relaxed one, a set of changes).
        """
        psi, psi_hat = (
            np.asarray(self.joint_feature(x, y)),
            np.asarray(self.joint_feature(x, y_hat)),
        )
        if psi.shape != psi_hat.shape:
            raise ValueError(
                f"joint_feature must be of one shape for all outputs; it returned {psi.shape} for "
                f"y and {psi_hat.shape} for y_hat"
            )
        return psi - psi_hat

    def constraints(self) -> tuple[Any, Any] | None:
        """Linear constraints A w <= b on w, or None.

        Requires: ``initialize`` has run.
        Ensures: A of shape (n_constraints, size_joint_feature), dense or scipy.sparse, and b of
        shape (n_constraints,), both finite. A row that w comes up against is kept as a dense
        plane, so thousands of such rows are slow; bounds belong into :meth:`lower_bounds`.
        """
        return None

    def lower_bounds(self) -> Vector | None:
        """Lower bounds on the weights, or None: zeros for a w that must not be negative.

        Requires: ``initialize`` has run.
        Ensures: shape (size_joint_feature,), -inf where a weight has no bound. Any number of
        bounds costs next to nothing.
        """
        return None

    def outputs(self, x: Any) -> Iterable[Any]:
        """All outputs of x, each once, for tests on small inputs; may be a generator."""
        raise NotImplementedError(_missing(self, "outputs"))

    def example_data(self) -> tuple[Any, Any]:
        """Small X and Y to test with, for the command ``structsvm check module:Class``.

        May be a static or a class method. Ensures: what ``initialize`` takes.
        """
        raise NotImplementedError(_missing(self, "example_data"))

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        """A more violated output near y_hat: a cheap search that starts from it.

        For an undergenerating oracle that is a local search. With margin rescaling and known
        outputs the solvers then ask the separation oracle only where refining what was found last
        makes no new plane.

        Requires: y_hat is what the separation oracle or this method returned for x, at any w.
        Ensures: an output whose loss(y, .) + <w, Psi(x, .)> is at least that of y_hat; a fresh
        object, or y_hat itself.
        """
        raise NotImplementedError(_missing(self, "refine"))

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """The separation oracle of slack rescaling.

        Ensures: argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>).
        Offering it allows ``rescaling='slack'`` (Tsochantaridis et al., JMLR 2005, SVM-delta-s).
        """
        raise NotImplementedError(_missing(self, "slack_oracle"))

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        """Log-partition and expectations of the loss-augmented scores at temperature mu > 0.

        The smooth counterpart of :meth:`separation_oracle`, for smoothed solvers; the exact
        meaning of the three numbers is written at :class:`structsvm.SoftOutput`.
        """
        raise NotImplementedError(_missing(self, "soft_oracle"))

    # -------------------------------------------- optional batch forms, for speed

    def prepare(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """The data in containers that the batch forms read faster; it is called once per training.

        Requires: ``initialize`` has run. Y may be None.
        Ensures: X and Y that hold the same examples in the same order. ``X[i]`` is an input and
        ``Y[i]`` an output that all methods take; ``X[rows]`` with a slice or an array of numbers
        is the container of those examples; ``X.shape[0]`` is their number. Likewise for Y.
        """
        return X, Y

    def batch_separation_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        """:meth:`separation_oracle` of every example: a sequence of n outputs (array or list)."""
        raise NotImplementedError(_missing(self, "batch_separation_oracle"))

    def batch_slack_oracle(self, X: Any, Y: Any, w: Vector) -> Sequence[Any]:
        """:meth:`slack_oracle` of every example: a sequence of n outputs (array or list)."""
        raise NotImplementedError(_missing(self, "batch_slack_oracle"))

    def batch_decode(self, X: Any, w: Vector) -> Sequence[Any]:
        """:meth:`decode` of every example: a sequence of n outputs (array or list)."""
        raise NotImplementedError(_missing(self, "batch_decode"))

    def batch_loss(self, Y: Any, Y_hat: Any) -> Vector:
        """:meth:`loss` of every pair: finite and >= 0, shape (n,)."""
        raise NotImplementedError(_missing(self, "batch_loss"))

    def batch_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any) -> Any:
        """:meth:`joint_feature_difference` of every example, shape (n, size_joint_feature).

        An array, or a scipy.sparse matrix where most entries are 0. It is called with parts of the
        data, so that the result fits in memory.
        """
        raise NotImplementedError(_missing(self, "batch_joint_feature_difference"))

    def sum_joint_feature_difference(self, X: Any, Y: Any, Y_hat: Any, weights: Vector) -> Vector:
        """sum_i weights[i] * joint_feature_difference(X[i], Y[i], Y_hat[i]).

        The one-slack plane in one call, shape (size_joint_feature,). For linear joint features it
        is a matrix product, and the largest lever on the speed of a training.
        """
        raise NotImplementedError(_missing(self, "sum_joint_feature_difference"))

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float) -> SoftSum:
        """:meth:`soft_oracle` of every example, summed where only the sum is wanted.

        What :class:`structsvm.SmoothedLBFGS` calls hundreds of times; the meaning of the numbers
        is written at :class:`structsvm.SoftSum`.
        """
        raise NotImplementedError(_missing(self, "sum_soft_oracle"))


class SelfLabelledProblem(Problem):
    """A problem whose outputs are unknown, or known in part: clustering, latent variables.

    ``Y`` is None or holds annotations in a form of the problem's own. :class:`structsvm.CCCP`
    labels the examples with :meth:`impute` and trains on the labels, in turn. In ``loss``,
    ``separation_oracle`` and ``joint_feature_difference`` y is always an imputed label.

    Attributes
    ----------
    restricts_labels : bool, default=False
        Whether :meth:`impute` keeps to more than the annotation, such as bounds on the sizes of
        clusters. Then it may return what scores less than :meth:`Problem.decode` does.
    """

    restricts_labels: bool = False

    def initialize(self, X: Any, Y: Any) -> None:
        """Learn sizes from the data; required here, since Y may be None or hold annotations."""
        raise NotImplementedError(_missing(self, "initialize"))

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """A w to start from where none is given, not zero. The default: a small random one."""
        direction = rng.standard_normal(self.size_joint_feature)
        return 1e-3 * direction / np.linalg.norm(direction)

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        """The output that scores highest at w among those that agree with the annotation y.

        Requires: y is the example's annotation, or None.
        Ensures: a complete output; without an annotation, one that scores as high as what
        ``decode`` returns, unless ``restricts_labels``. The default ignores y and decodes.
        """
        return self.decode(x, w)

    def relabelled_planes(
        self,
        X: Any,
        Y: Any,
        outputs: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """Planes of earlier oracle passes against new labels Y; an optional batch form.

        Requires: each of the m elements of ``outputs`` is what one pass over all n examples
        returned; ``weights`` has shape (m, n); ``previous`` is None or the labels of before with
        the planes that this method returned for them, so that only what changed need be summed.
        Ensures: the weighted sums over the examples of joint_feature_difference, shape
        (m, size_joint_feature), and of loss, shape (m,); new arrays.
        """
        raise NotImplementedError(_missing(self, "relabelled_planes"))


def offers(problem: Problem, method: str) -> bool:
    """Whether the problem overrides an optional method of the contract."""
    kind: Any = type(problem)
    return _overrides(kind, method)


def oracle_is_exact(problem: Problem) -> bool:
    """Whether no output scores higher than the one that the separation oracle returns."""
    return problem.oracle_quality == "exact"


def oracle_may_miss(problem: Problem) -> bool:
    """Whether the separation oracle searches only some of the outputs (undergenerating).

    Its value is then a lower bound on the slack, so the primal value is no upper bound.
    """
    return problem.oracle_quality == "undergenerating"


@cache
def _overrides(kind: Any, method: str) -> bool:
    own = getattr(kind, method, None)
    bases = (getattr(base, method, None) for base in (Problem, SelfLabelledProblem))
    return all(own is not base for base in (None, *bases))


def _missing(problem: Problem, method: str) -> str:
    return (
        f"{type(problem).__name__} does not define {method}; what it must return is written at "
        f"structsvm.Problem.{method}"
    )
