"""The contract between a structured prediction problem and structsvm.

A problem defines the joint feature map Psi(x, y), the loss Delta(y, y_hat) and two searches over
the outputs. The searches are loss-augmented inference (the separation oracle) and prediction.
structsvm does not copy outputs. structsvm inspects outputs in two cases only: to compare imputed
labels that are plain values, and to explain an error by the types and shapes of outputs. structsvm
reads inputs only to check, for a few examples, that no method has changed an input.

The module :mod:`structsvm.objective` defines the objective that training minimises.
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
    """The terms of an output's score, with their positions in the input.

    The score <w, Psi(x, y)> is ``factors @ rows @ weights``.

    Attributes
    ----------
    positions : sequence of m hashable objects
        For each row of features, the position in x to which the row belongs, such as the index of a
        word.
    factors : ndarray of shape (m,)
        The coefficient of each row in the score.
    rows : array or CSR matrix of shape (m, size_joint_feature)
        Rows of features, with one column per weight. If two outputs use the same features at a
        position, the two outputs have equal rows for the position.
    weights : ndarray of shape (size_joint_feature,)
        The vector w, or weights that are scaled for features in different units.
    """

    positions: Sequence[Any]
    factors: Vector
    rows: Any
    weights: Vector

    @classmethod
    def of_blocks(cls, factors: Vector, row: Any, w: Vector) -> ScoreTerms:
        """Return the terms of a joint feature, the Kronecker product of ``factors`` and ``row``."""
        blocks = sparse.kron(sparse.identity(len(factors)), row)
        return cls([None] * len(factors), factors, blocks, w)


class Problem(HasParameters):
    """A structured prediction problem; subclass it to define a new problem.

    Four methods are required: :meth:`joint_feature`, :meth:`loss`, :meth:`separation_oracle` and
    :meth:`decode`. Most problems define :meth:`initialize` as well, and :meth:`outputs` and
    :meth:`example_data` for tests. Training is faster if a problem defines :meth:`task`. All
    methods except the four required methods are optional. An optional method is None until a
    subclass defines it. A subclass withdraws an inherited method by setting it to None, as in
    ``constraints = None``. Run :func:`structsvm.check_problem` on every new class of problems. The
    function check_problem finds most mistakes, and its error messages name the method that is
    wrong.

    ``X`` is any sequence of inputs (array, scipy.sparse CSR matrix, list, ...), and ``X[i]`` is the
    input of the i-th example. ``Y`` is the sequence of the examples' outputs. ``w`` is a float64
    array of shape (size_joint_feature,). No method may change inputs, outputs or w in place.
    Constructor parameters follow scikit-learn's convention: each parameter is stored unchanged in
    an attribute of the same name. If each parameter is stored in the attribute of the same name,
    the problem can be cloned, and its parameters can be tuned.

    Attributes
    ----------
    size_joint_feature : int
        Length of w and of every joint feature, set by :meth:`initialize`.
    oracle_quality : {'exact', 'undergenerating', 'overgenerating'}, default='exact'
        The quality of :meth:`separation_oracle`'s solution. 'exact': no output scores higher than
        the output returned. 'undergenerating': the oracle searches only some of the outputs, as
        greedy or local search does, and may miss the best output. 'overgenerating': the oracle is
        exact over a superset of the outputs, as in a relaxation. The guaranteed bounds of a result
        depend on the quality (Finley & Joachims, Training Structural SVMs when Exact Inference is
        Intractable, ICML 2008).
    decode_may_miss : bool, default=False
        Whether :meth:`decode` deliberately searches only some of the possible true outputs, for
        example only parses without crossing arcs. If True, the output of ``decode`` may score less
        than a true output.
    oracle_cost : {'cheap', 'expensive'} or None, default=None
        The time that :meth:`separation_oracle` takes per example. The value 'cheap' means a few
        microseconds: hundreds of passes over the data cost little. The default None means 'cheap'
        if the class defines :meth:`task`, and 'expensive' otherwise. The choice of
        ``solver='auto'`` depends on the cost of the oracle. Blocks have at least 400 examples if
        the oracle is cheap.
    max_loss : float or None, default=None
        The largest possible value of the loss, or None if the largest value is unknown. The method
        ``score`` uses ``max_loss`` to scale its result to [0, 1].
    parallelism : {'processes', 'threads'}, default='processes'
        Whether processes or threads compute blocks of examples if ``n_jobs`` is more than 1. Choose
        'threads' if the methods release Python's global interpreter lock, as large numpy operations
        do, and if they may be called concurrently.
    work : float or None, default=None
        Average number of multiplications per example in the searches of the task. The method
        :meth:`initialize` may set ``work``. None means ``size_joint_feature``. The examples are
        divided into at most 1,024 blocks. ``work`` determines the size of the blocks: the search of
        a block must take longer than the overhead of a call. The results are the same for every
        ``n_jobs``, because the division of the examples into blocks does not depend on ``n_jobs``.
    roundoff : float or None, default=None
        Relative rounding error of the scores that :meth:`separation_oracle` compares. Set
        ``roundoff`` if the scores have larger rounding errors than arithmetic in the precision of
        X. The oracle's output may score less than the best output, by ``roundoff`` times the size
        of the scores. The rounding error of a result's primal value includes a multiple of
        ``roundoff``.
    block_size : int or None, default=None
        Minimum number of examples in a block, which is a group of examples that are searched
        together. If there are more than 32 blocks, each block has at least ``8 * block_size``
        examples. By default, the attribute ``work`` or ``oracle_cost`` determines the minimum
        number of examples in a block.
    search_of_user : str, default=''
        The name of a parameter whose value is a user's function that the searches call. If
        ``search_of_user`` is set, error messages about a search mention the user's parameter, not
        the problem.
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

        Requires: ``initialize`` has run; y is an output of x. Ensures: finite real numbers of shape
        (size_joint_feature,), the same for every call with equal arguments. The result is a 1-d
        array or sequence. If most entries are 0, the result may be a scipy.sparse row of shape (1,
        size_joint_feature) or a 1-d scipy.sparse array. The type of the result is the same for all
        outputs. The result must be a new object or an object that never changes, because structsvm
        collects the joint features of many examples before reading them.
        """
        raise NotImplementedError(missing(self, "joint_feature"))

    def loss(self, y: Any, y_hat: Any) -> float:
        """Return Delta(y, y_hat), the loss of predicting y_hat if y is true.

        Requires: y is an output of some x. In a self-labelled problem, y was returned by
        ``impute``. y_hat is an output of the same x, or an object that an oracle returned for this
        x.
        Ensures: the result is a finite number >= 0, and 0 for ``loss(y, y)``.
        """
        raise NotImplementedError(missing(self, "loss"))

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the argmax over y_hat of loss(y, y_hat) + <w, Psi(x, y_hat)>.

        The search of the separation oracle is called loss-augmented inference. The result is the
        output whose margin constraint is violated most (margin rescaling).

        Requires: w has shape (size_joint_feature,). Ensures: the result is an output (never None)
        that attains the maximum over all outputs, including the true y, or comes as close as
        ``oracle_quality`` declares. Calls with equal arguments return outputs with equal scores,
        for every ``oracle_quality``. To return equal scores for equal arguments, a random search
        must reset its random generator at every call. The output must be a new or immutable object,
        because structsvm stores the output.
        """
        raise NotImplementedError(missing(self, "separation_oracle"))

    def decode(self, x: Any, w: Vector) -> Any:
        """Return the prediction, argmax over y of <w, Psi(x, y)>.

        Requires: w has shape (size_joint_feature,).
        Ensures: the result is an output of x (never None) that attains the maximum. The output may
        miss the maximum if ``oracle_quality`` is not 'exact'. Calls with equal arguments return
        outputs with equal scores.
        """
        raise NotImplementedError(missing(self, "decode"))

    # ------------------------------------------------------------------ what most problems add

    def initialize(self, X: Any, Y: Any) -> None:
        """Set ``size_joint_feature``, and all other attributes that depend on the data.

        Requires: X and Y hold at least one example. Y is None for a self-labelled problem without
        annotations. Ensures: ``size_joint_feature`` is set. A later call overwrites everything
        learned from earlier data. Calls with the same data give the same result. To give the same
        result for the same data, a random method must reset its random generator at every call.
        Raises ValueError if the data do not fit the problem.

        The default calls joint_feature for the first example and stores the length of the result.
        """
        self.size_joint_feature = int(np.prod(np.shape(self.joint_feature(X[0], Y[0]))))

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Any:
        """Return Psi(x, y) - Psi(x, y_hat), in a form that :meth:`joint_feature` may return.

        Override this method if the difference is cheaper to compute than the two joint features, or
        if :meth:`joint_feature` does not accept the oracle's y_hat (a relaxed output, a set of
        changes).
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
        """Enumerate all outputs of x, each exactly once, for tests on small inputs.

        The method may be a generator. The method raises NotImplementedError if the outputs cannot
        be listed, for example if outputs are real numbers.
        """

    @optional
    def example_data(self) -> tuple[Any, Any]:
        """Return small X and Y for tests, and for the command ``structsvm check module:Class``.

        The method may be a static or a class method. Ensures: ``initialize`` accepts X and Y.
        """

    # ------------------------------------------------------------------ speed

    def task(self, X: Any, Y: Any = None) -> Task:
        """Return the problem bound to n examples: a :class:`structsvm.Task`.

        Override this method to process many examples at once with arrays. Return an object of a
        subclass of :class:`structsvm.Task`. The default task calls the problem's methods for one
        example after another. If an inherited task does not call a method that you override,
        override ``task``, too.

        Requires: ``initialize`` has run; Y may be None.
        """
        return Task(self, X, Y)

    # ------------------------------------------------------------------ optional

    @optional
    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>).

        The method is loss-augmented inference for slack rescaling, where the loss multiplies the
        violation. With this method, training accepts ``rescaling='slack'`` (Tsochantaridis et al.,
        JMLR 2005, SVM-delta-s).

        Requires: w has shape (size_joint_feature,). Ensures: the result meets the conditions of
        :meth:`separation_oracle`, where the score of an output is its loss times its violation.
        """

    @optional
    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        """Return the log-partition function, and the expected loss and joint feature difference.

        The method is the smooth counterpart of :meth:`separation_oracle`. In conditional random
        fields, this computation is called inference; for a chain, it is the forward-backward
        algorithm. All smoothed solvers, such as :class:`structsvm.SmoothedLBFGS`, need this method.
        If the layer :class:`structsvm.torch.StructuredHingeLoss` has a parameter mu > 0, the layer
        needs this method or an inference over tensors.

        Requires: the temperature mu is > 0. Ensures: the result has the three values that
        :class:`structsvm.SoftOutput` defines.
        """

    @optional
    def constraints(self) -> WeightConstraints | tuple[Any, Any] | None:
        """Return the linear constraints and lower bounds on w, or None.

        The solvers :class:`structsvm.OneSlackCuttingPlane`, :class:`structsvm.NSlackCuttingPlane`
        and :class:`structsvm.CCCP` satisfy the constraints, and call the oracles only with a w that
        satisfies them. All solvers except OneSlackCuttingPlane, NSlackCuttingPlane and CCCP refuse
        a problem that defines this method.

        Requires: ``initialize`` has run. Ensures: the result is a pair (A, b) for A w <= b, or a
        :class:`structsvm.WeightConstraints`, which may also hold lower bounds.
        """

    # ------------------------------------------------------------------ optional: parts of outputs

    @optional
    def possible_parts(self, x: Any) -> Sequence[Sequence[Any]]:
        """Return a list of the possible parts of outputs of x for each slot (position or word).

        An output has one part for each slot: in a sequence, one label for each position; in a
        parse, one head for each word. If :meth:`chosen_parts` and :meth:`decode_with` are also
        defined, prediction sets can show the possible parts, and explanations can compare a
        prediction with the runner-up. See :class:`structsvm.conformal.Conformal` and
        :func:`structsvm.reasons.explain`.
        """

    @optional
    def chosen_parts(self, x: Any, y: Any) -> Sequence[Any]:
        """Return the part of output y in each slot of :meth:`possible_parts`."""

    @optional
    def decode_with(self, x: Any, w: Vector, slot: int, part: Any) -> Any:
        """Return the highest-scoring output of x with ``part`` at the position ``slot``.

        Ensures: the result is an output of x, found as reliably as by :meth:`decode`. If no output
        of x has ``part`` at the position ``slot``, the result is None.
        """

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        """Return the terms of the score by their positions in x.

        If a problem defines this method, :func:`structsvm.reasons.explain` shows what each position
        contributes to the score, and by how much a feature would have to change to alter the
        prediction. The default method returns one term for the whole joint feature, at the position
        None.
        """
        row = rows_of([self.joint_feature(x, y)], len(w), [0])
        return ScoreTerms([None], np.ones(1), row, w)
