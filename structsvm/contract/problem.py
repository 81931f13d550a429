"""The contract between a structured prediction problem and the engine.

A problem defines the joint feature map Psi(x, y), the loss Delta(y, y_hat) and two searches over
the outputs: loss-augmented inference (the separation oracle) and prediction. The engine does the
rest. Outputs and whatever an oracle returns are opaque to it: it never copies or inspects them, and
it compares only imputed labels that are plain values, and, once a method has failed, the form of
its outputs with that of others. Inputs it reads only to see, for a few of them, that no method has
changed them.

The objective that is minimised is written in :mod:`structsvm.objective`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.bases import HasParameters
from structsvm.contract.constraints import WeightConstraints
from structsvm.contract.missing import missing
from structsvm.contract.optional import optional
from structsvm.contract.soft_oracle import SoftOutput
from structsvm.data.arrays import Vector
from structsvm.data.sparse_indices import require_indices
from structsvm.task.answers import rows_of
from structsvm.task.task import Task

OracleQuality = Literal["exact", "undergenerating", "overgenerating"]
OracleCost = Literal["cheap", "expensive"]
Parallelism = Literal["processes", "threads"]


class ScoreTerms(NamedTuple):
    """The terms that the score of an output adds up, by their positions in the input.

    The score, <w, Psi(x, y)>, is ``factors @ rows @ weights``.

    Attributes
    ----------
    positions : sequence of m hashable objects
        Where in x each row of features belongs, such as the number of a word.
    factors : ndarray of shape (m,)
    rows : array or CSR matrix of shape (m, size_joint_feature)
        Features in the columns of their weights: equal in all outputs that use them there.
    weights : ndarray of shape (size_joint_feature,)
        w, or the weights of features in other units.
    """

    positions: Sequence[Any]
    factors: Vector
    rows: Any
    weights: Vector

    @classmethod
    def of_blocks(cls, factors: Vector, row: Any, w: Vector) -> ScoreTerms:
        """The terms where w has a block of weights of the same row of features for each factor."""
        return cls([None] * len(factors), factors, sparse.kron(np.eye(len(factors)), row), w)


class Problem(HasParameters):
    """A structured prediction problem: subclass it to define a new one.

    Four methods are required: :meth:`joint_feature`, :meth:`loss`, :meth:`separation_oracle` and
    :meth:`decode`. Most problems add :meth:`initialize`, and :meth:`outputs` and
    :meth:`example_data` for tests. :meth:`task` makes training fast. The other methods are optional
    too: they are None until a subclass defines them, and a subclass withdraws an inherited one by
    None, as ``constraints = None``. Run :func:`structsvm.check_problem` on the new class: it finds
    most mistakes and names the method.

    ``X`` is any sequence of inputs (array, scipy.sparse CSR matrix, list, ...) of which ``X[i]``
    is the i-th; ``Y`` is the sequence of their outputs. ``w`` is a float64 array of shape
    (size_joint_feature,). No method may change its inputs, outputs or w in place. Constructor
    parameters follow scikit-learn's convention (stored under their own name, unchanged), so that
    a problem can be cloned and its parameters tuned.

    Attributes
    ----------
    size_joint_feature : int
        Length of w and of every joint feature; set by :meth:`initialize`.
    oracle_quality : {'exact', 'undergenerating', 'overgenerating'}, default='exact'
        How well :meth:`separation_oracle` solves its maximisation. 'exact': no output scores higher
        than the one returned. 'undergenerating': it searches only some of the outputs and may miss
        the best (greedy or local search). 'overgenerating': it is exact over a superset of the
        outputs (a relaxation). It decides which bounds a result guarantees (Finley & Joachims,
        Training Structural SVMs when Exact Inference is Intractable, ICML 2008).
    decode_may_miss : bool, default=False
        Whether :meth:`decode` searches, on purpose, only some of the outputs that Y may hold, such
        as parses without arcs that cross. Then it may return less than a true output.
    oracle_cost : {'cheap', 'expensive'} or None, default=None
        The time of :meth:`separation_oracle` for an example: 'cheap' is a few microseconds, so that
        hundreds of passes over the data cost little. None stands for 'cheap' if :meth:`task` is
        defined, else for 'expensive'. ``solver='auto'`` chooses by it, and 'cheap' makes blocks of
        400 examples or more.
    max_loss : float or None, default=None
        The largest value that the loss can take, where known; scales ``score`` to [0, 1].
    parallelism : {'processes', 'threads'}, default='processes'
        Where blocks of examples are evaluated if ``n_jobs`` is more than 1. Choose 'threads' if the
        methods release Python's global interpreter lock, as large numpy operations do, and may be
        called concurrently.
    work : float or None, default=None
        Average number of multiplications of a search of :meth:`task` for an example, if
        :meth:`initialize` sets it; None stands for ``size_joint_feature``. The examples are divided
        into at most 32 blocks, each large enough to be worth a call and a sum of vectors as long as
        w. The blocks are the same for any ``n_jobs``, and so is the result.
    roundoff : float or None, default=None
        Relative error of the scores that :meth:`separation_oracle` compares, where it exceeds the
        roundoff of arithmetic with X: how much better an output it may miss, relative to the size
        of the scores. The rounding errors of a result's primal value cover a multiple of it.
    block_size : int or None, default=None
        Minimum number of examples in a block; by default it follows from ``work`` or
        ``oracle_cost``.
    search_of_user : str, default=''
        The name of a parameter that holds a user's function, which the searches call. Their errors
        then name this parameter, not the problem.
    """

    _undefined = None
    oracle_quality: OracleQuality = "exact"
    decode_may_miss: bool = False
    oracle_cost: OracleCost | None = None
    max_loss: float | None = None
    parallelism: Parallelism = "processes"
    work: float | None = None
    roundoff: float | None = None
    block_size: int | None = None
    search_of_user: str = ""
    size_joint_feature: int

    @property
    def has_own_difference(self) -> bool:
        """Whether a subclass overrides :meth:`joint_feature_difference`."""
        return type(self).joint_feature_difference is not Problem.joint_feature_difference

    # ------------------------------------------------------------------ required

    def joint_feature(self, x: Any, y: Any) -> Any:
        """Return Psi(x, y), the joint feature vector of an input and an output.

        Requires: ``initialize`` has run; y is an output of x.
        Ensures: finite real numbers of shape (size_joint_feature,), the same at every call: a 1-d
        array or sequence, or, where most entries are 0, a scipy.sparse row of shape
        (1, size_joint_feature) or a 1-d scipy.sparse array; the same kind for all outputs. A new
        object, or one that does not change: the engine collects joint features of many examples
        before it reads them.
        """
        raise NotImplementedError(missing(self, "joint_feature"))

    def loss(self, y: Any, y_hat: Any) -> float:
        """Return Delta(y, y_hat), the loss of predicting y_hat where y is true.

        Requires: y is an output of some x, in a self-labelled problem one that ``impute`` returned;
        y_hat is an output of the same x, or whatever an oracle returns for it.
        Ensures: a finite number >= 0, and 0 for ``loss(y, y)``.
        """
        raise NotImplementedError(missing(self, "loss"))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference: argmax over y_hat of loss(y, y_hat) + <w, Psi(x, y_hat)>.

        The maximiser violates the margin most, so its constraint is the cutting plane that
        separates w from the feasible set (margin rescaling).

        Requires: w has shape (size_joint_feature,).
        Ensures: an output (never None) that attains the maximum over all outputs, the true y
        included, or comes as close as ``oracle_quality`` declares. Calls with the same arguments
        return outputs of the same score, whatever the quality: seed what is random at every call. A
        new or an immutable object: the engine keeps it.
        """
        raise NotImplementedError(missing(self, "separation_oracle"))

    def decode(self, x: Any, w: Vector) -> Any:
        """Return the prediction, argmax over y of <w, Psi(x, y)>.

        Requires: w has shape (size_joint_feature,).
        Ensures: an output of x (never None) that attains the maximum; it may miss it unless
        ``oracle_quality`` is 'exact'. Calls with the same arguments return outputs of the same
        score.
        """
        raise NotImplementedError(missing(self, "decode"))

    # ------------------------------------------------------------------ what most problems add

    def initialize(self, X: Any, Y: Any) -> None:
        """Set ``size_joint_feature``, and whatever else depends on the data.

        Requires: X and Y hold at least one example. Y is None for a self-labelled problem
        without annotations.
        Ensures: ``size_joint_feature`` is set. A later call with other data overwrites all that
        was learned from earlier data, and it gives the same result for the same data: seed what is
        random. Raises ValueError if the data do not fit the problem.

        The default sets the length of the first example's joint feature vector.
        """
        self.size_joint_feature = int(np.prod(np.shape(self.joint_feature(X[0], Y[0]))))

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        """Return Psi(x, y) - Psi(x, y_hat), in a form that :meth:`joint_feature` may have.

        Override it if the difference is cheaper than its terms, or if the oracle's y_hat is not an
        output that :meth:`joint_feature` accepts (a relaxed output, a set of changes).
        """
        psi, psi_hat = self.joint_feature(x, y), self.joint_feature(x, y_hat)
        if np.shape(psi) != np.shape(psi_hat):
            raise ValueError(
                f"joint_feature must be of one shape for all outputs; it returned {np.shape(psi)} "
                f"for y and {np.shape(psi_hat)} for y_hat"
            )
        for row in (psi, psi_hat):
            if sparse.issparse(row):
                require_indices(row, "a joint feature that")
        if not sparse.issparse(psi):
            psi = np.asarray(psi)
        return 1.0 * psi - psi_hat  # unsigned integers would wrap

    @optional
    def outputs(self, x: Any) -> Iterable[Any]:
        """Enumerate all outputs of x, each once, for tests on small inputs; may be a generator.

        Raises NotImplementedError where they cannot be listed, as for real numbers.
        """

    @optional
    def example_data(self) -> tuple[Any, Any]:
        """Return small X and Y to test with, for the command ``structsvm check module:Class``.

        May be a static or a class method. Ensures: data that ``initialize`` accepts.
        """

    # ------------------------------------------------------------------ speed

    def task(self, X: Any, Y: Any = None) -> Task:
        """Return the problem bound to n examples: a :class:`structsvm.Task`.

        Override it to compute with arrays, by a subclass of :class:`structsvm.Task`; by default
        the methods above are called for one example after another. A subclass that overrides a
        method for which an inherited task answers overrides this one, too.

        Requires: ``initialize`` has run; Y may be None.
        """
        return Task(self, X, Y)

    # ------------------------------------------------------------------ optional

    @optional
    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference for slack rescaling, where the loss multiplies the violation.

        Defining it allows ``rescaling='slack'`` (Tsochantaridis et al., JMLR 2005, SVM-delta-s).

        Requires: w has shape (size_joint_feature,).
        Ensures: argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>), like
        :meth:`separation_oracle` otherwise.
        """

    @optional
    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        """Return log-partition function and expectations of the loss-augmented scores.

        The smooth counterpart of :meth:`separation_oracle`: inference in a conditional random
        field, such as the forward-backward algorithm for a chain. :class:`structsvm.SmoothedLBFGS`
        and the other smoothed solvers need it, and so does
        :class:`structsvm.torch.StructuredHingeLoss` for mu > 0.

        Requires: mu > 0, the temperature.
        Ensures: the three values that :class:`structsvm.SoftOutput` defines.
        """

    @optional
    def constraints(self) -> WeightConstraints | tuple[Any, Any] | None:
        """Return the linear constraints and lower bounds on w, or None.

        :class:`structsvm.OneSlackCuttingPlane`, :class:`structsvm.NSlackCuttingPlane` and
        :class:`structsvm.CCCP` keep them, and call the oracles only with a w that satisfies them.
        The other solvers refuse a problem that defines this method.

        Requires: ``initialize`` has run.
        Ensures: a pair (A, b) with A w <= b, or a :class:`structsvm.WeightConstraints`, which may
        hold lower bounds too.
        """

    # ------------------------------------------------------------------ optional: parts of outputs

    @optional
    def possible_parts(self, x: Any) -> Sequence[Sequence[Any]]:
        """Return the parts that outputs of x may have: a list for each slot.

        Each output fills each slot by one part, such as a position by a label or a word by a head.
        With :meth:`chosen_parts` and :meth:`decode_with` prediction sets are shown by their parts,
        and predictions are explained against the runner-up: see
        :class:`structsvm.conformal.Conformal` and :func:`structsvm.reasons.explain`.
        """

    @optional
    def chosen_parts(self, x: Any, y: Any) -> Sequence[Any]:
        """Return the part of output y in each slot of :meth:`possible_parts`."""

    @optional
    def decode_with(self, x: Any, w: Vector, slot: int, part: Any) -> Any:
        """Return the output of highest score among those with a part in a slot.

        Ensures: an output of x, as good as :meth:`decode` would find it; None where no output has
        the part.
        """

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        """Return the terms of the score by their positions in x.

        Override it, and explanations have a row for each position, and say by how much a feature
        there would have to change: see :func:`structsvm.reasons.explain`. By default the joint
        feature is the features of a single position, None.
        """
        row = rows_of([self.joint_feature(x, y)], len(w), [0])
        return ScoreTerms([None], np.ones(1), row, w)
