"""One block of examples: every call of the problem's methods for them, counted and timed.

The engine reaches examples through :class:`Block` alone, and soft oracles through
:mod:`structsvm.oracle.soft_outputs`. A block calls a batch form where the problem offers one, else
the single form in a loop; either way the answer is checked, and an error names the method and the
example.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, repeat
from typing import Any, cast

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import cheap_searches, offers
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples, take
from structsvm.exceptions import ProblemError
from structsvm.objective.surrogate import HINGE, Surrogate
from structsvm.oracle.advice import advice
from structsvm.oracle.call import (
    JOINT_FEATURE,
    ORACLE,
    Call,
    Tally,
    checked_matrix,
    read_only,
    unpacked,
)
from structsvm.oracle.charges import charged
from structsvm.oracle.likeness import Likeness, likeness
from structsvm.oracle.slices import Slices
from structsvm.oracle.stacks import (
    Entries,
    SumOf,
    condensed,
    pair_differences,
    stacked_numbers,
    stacked_rows,
    sum_of_weighted,
)


class Block:
    """An initialized problem and some of the examples.

    Attributes
    ----------
    n : int
        Number of these examples.
    size : int
        Length of w.
    index : ndarray of shape (n,)
        Their numbers among all examples, which errors report.
    X, Y : sequences
        Inputs and outputs, as the problem's ``prepare`` returns them.
    prior : ndarray of shape (size,) or None
        w_0 of :mod:`structsvm.objective`: every w given to a block is relative to it.
    weights : ndarray of shape (n,)
        The weights of the examples. All losses and, by :meth:`rescaled`, all rows of planes are
        multiplied by them, so slacks are weighted without the solvers knowing.
    tally : Tally
        Counts the calls; shared by all blocks made from this one.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any,
        index: Indices,
        surrogate: Surrogate = HINGE,
        weights: Vector | None = None,
        prior: Vector | None = None,
    ) -> None:
        self.problem, self.index, self.n, self.prior = problem, index, len(index), prior
        self.weights = np.ones(self.n) if weights is None else weights
        self.size = int(problem.size_joint_feature)
        self.surrogate = surrogate
        self.tally, self._relabelled = Tally(), False
        with Call(problem, "prepare", propagates=ValueError):
            prepared = problem.prepare(X, Y)
        self.X, self.Y = unpacked(prepared, 2, "prepare", "pair (X, Y)", "")
        for name, data in (("X", self.X), ("Y", self.Y)):
            if data is not None and (found := n_examples(data, f"prepare's {name}")) != self.n:
                raise ProblemError(
                    f"prepare must return the {self.n} examples that it was given; its {name} has "
                    f"{found}; {advice(problem)}"
                )
        pairs = ("X", X, self.X), ("Y", Y, self.Y)
        self._remade = [name for name, given, made in pairs if _form(given) != _form(made)]

    def subset(self, places: Indices) -> Block:
        """Some of these examples, by their positions in the block."""
        block = copy.copy(self)
        block.X = take(self.X, places)
        block.Y = None if self.Y is None else take(self.Y, places)
        block.n, block.index = len(places), self.index[places]
        block.weights = self.weights[places]
        return block

    def with_labels(self, labels: Any) -> Block:
        """The same inputs with other outputs, such as imputed labels; None for the block's own."""
        if labels is None:
            return self
        block = copy.copy(self)
        block.Y, block._relabelled = labels, True
        return block

    # ------------------------------------------------------------------ outputs

    def shifted(self, w: Vector) -> Vector:
        """The w of the problem's methods, which may not change it: the prior is added."""
        return read_only(w if self.prior is None else w + self.prior)

    def separate(self, w: Vector) -> Sequence[Any]:
        """The separation oracle's output for every example (loss-augmented inference).

        For w of shape (n, size), one for each example, the single form is called.
        """
        problem, margin = self.problem, self.surrogate.rescaling == "margin"
        self.tally.calls += self.n
        hint = ""
        if isinstance(problem, SelfLabelledProblem):
            hint = "y is what impute returned, or is in Y: only CCCP imputes"
        w = self.shifted(w)
        name = "batch_separation_oracle" if margin else "batch_slack_oracle"
        if w.ndim == 1 and offers(problem, name):
            batch = problem.batch_separation_oracle if margin else problem.batch_slack_oracle
            with self.call(name, hint=hint) as call:
                found = batch(self.X, self.Y, w)
            return call.checked_length(found, self.n)
        name = "separation_oracle" if margin else "slack_oracle"
        oracle, outputs = problem.separation_oracle if margin else problem.slack_oracle, []
        with self.single_call(name, hint=hint) as call:
            # A loop: before Python 3.12 a comprehension adds a frame to every traceback.
            for i, own in zip(call.examples(), self.each(w), strict=True):
                outputs.append(oracle(self.X[i], self.Y[i], own))
        return call.checked_outputs(outputs)

    def refine(self, w: Vector, outputs: Sequence[Any]) -> Sequence[Any]:
        """A more violated output near the given one, for every example."""
        w = self.shifted(w)
        with self.single_call("refine", hint=self._hint()) as call:
            refined = [
                self.problem.refine(self.X[i], self.Y[i], w, outputs[i]) for i in call.examples()
            ]
        return call.checked_outputs(refined)

    def impute(self, w: Vector) -> Sequence[Any]:
        """Labels of a self-labelled problem at w; Y holds the annotations, or is None."""
        w, problem = self.shifted(w), cast(SelfLabelledProblem, self.problem)
        if offers(problem, "batch_impute"):
            with self.call("batch_impute") as call:
                found = problem.batch_impute(self.X, self.Y, w)
            return call.checked_length(found, self.n)
        annotations = [None] * self.n if self.Y is None else self.Y
        with self.single_call("impute") as call:
            labels = [problem.impute(self.X[i], annotations[i], w) for i in call.examples()]
        return call.checked_outputs(labels)

    def decode(self, w: Vector) -> Sequence[Any]:
        """The prediction for every example, by the single form for w of shape (n, size)."""
        w, outputs = self.shifted(w), []
        if w.ndim == 1 and offers(self.problem, "batch_decode"):
            with Call(self.problem, "batch_decode", self.index) as call:
                found = self.problem.batch_decode(self.X, w)
            return call.checked_length(found, self.n)
        with Call(self.problem, "decode", self.index, hint=self._preparation) as call:
            for i, own in zip(call.examples(), self.each(w), strict=True):
                outputs.append(self.problem.decode(self.X[i], own))
        return call.checked_outputs(outputs)

    def each(self, w: Vector) -> Iterable[Vector]:
        """The weights for every example: the rows of w, or the same w."""
        return w if w.ndim == 2 else repeat(w, self.n)

    # ------------------------------------------------------------------ losses

    def losses(self, outputs: Sequence[Any], search: str = "", more: str = "") -> Vector:
        """The weighted loss of every example's output, shape (n,).

        For messages, ``search`` returned the outputs, by default any search; ``more`` says what
        else may be wrong.
        """
        search = search or self._search
        hint = f"y_hat is what {search} returned{more}"
        method = "batch_loss" if offers(self.problem, "batch_loss") else "loss"
        with self.charge(outputs, Block.losses, search):
            if method == "loss":
                losses = self._single_losses("loss", outputs, hint)
            else:
                with self.call("batch_loss", hint=hint) as call:
                    found = self.problem.batch_loss(self.Y, outputs)
                losses = call.checked(found, (self.n,), rows=self.index)
        return self.weights * self._nonnegative(method, losses)

    def evaluation_losses(self, outputs: Sequence[Any]) -> Vector:
        """The weighted loss of every prediction, shape (n,), where Y may hold annotations."""
        if offers(self.problem, "evaluation_loss"):
            method, hint = "evaluation_loss", f"y_hat is what {self.decoder} returned"
            with self.charge(outputs, Block.evaluation_losses, self.decoder):
                losses = self._single_losses(method, outputs, hint)
            return self.weights * self._nonnegative(method, losses)
        annotated = ""
        if isinstance(self.problem, SelfLabelledProblem):
            annotated = ", y an annotation: define evaluation_loss if it is not a complete output"
        return self.losses(outputs, self.decoder, annotated)

    def losses_of_passes(self, passes: Sequence[Sequence[Any]]) -> Vector:
        """The weighted losses of several outputs of every example, shape (len(passes), n)."""
        if offers(self.problem, "batch_loss"):
            return np.array([self.losses(outputs) for outputs in passes])
        m, outputs = len(passes), chain.from_iterable(passes)
        with self.charge(passes[0], Block.losses):
            losses = self._single_losses("loss", outputs, self._hint(), m)
        return self.weights * self._nonnegative("loss", losses).reshape(m, self.n)

    def _single_losses(
        self, method: str, outputs: Iterable[Any], hint: str, passes: int = 1
    ) -> Vector:
        """The losses of the outputs of one pass after another."""
        loss, places = getattr(self.problem, method), passes * list(range(self.n))
        labels = passes * [self.Y[i] for i in range(self.n)]
        with self.single_call(method, hint=hint) as call:
            found = call.answers(places)
            found.extend(map(loss, labels, outputs))
        return stacked_numbers(call, places, found)

    def _nonnegative(self, method: str, losses: Vector) -> Vector:
        if not np.all(losses >= 0):
            i = int(np.argmin(losses))
            raise ProblemError(
                f"{method} must be >= 0; it is {losses[i]} for example {self.index[i % self.n]}"
            )
        return losses

    # ------------------------------------------------------------------ joint features

    def rescaled(self, weights: Vector, losses: Vector) -> Vector:
        """Weights of the joint-feature differences in a plane where the losses have ``weights``.

        Slack rescaling multiplies them by the loss, which includes the example's weight.
        """
        return weights * (self.weights if self.surrogate.rescaling == "margin" else losses)

    def sum_difference(
        self, outputs: Sequence[Any], weights: Vector, search: str = ""
    ) -> Vector | Entries:
        """sum_i weights[i] * joint_feature_difference(x_i, y_i, y_hat_i), shape (size,).

        For messages, ``search`` returned the outputs, by default any search.
        """
        measure = partial(Block.sum_difference, weights=weights, search=search)
        with self.charge(outputs, measure, search):
            if offers(self.problem, "sum_joint_feature_difference"):
                return self._batch_sum(outputs, weights, search)
            # A weight of 0 may belong to an output that has no joint feature.
            counted, sums = np.flatnonzero(weights), []
            slices = Slices(len(counted), self.size)
            for places in slices:
                chosen = counted[places]
                rows = self._single_rows(chosen.tolist(), outputs, search)
                slices.note(rows)
                sums.append(sum_of_weighted(weights[chosen], rows))
            return condensed(sums, self.size)

    def _batch_sum(self, outputs: Sequence[Any], weights: Vector, search: str) -> Vector:
        method = "sum_joint_feature_difference"
        with self.call(method, JOINT_FEATURE, self._hint(search)) as call:
            found = self.problem.sum_joint_feature_difference(self.X, self.Y, outputs, weights)
        return call.checked(found, (self.size,))

    def differences(self, outputs: Sequence[Any], search: str = "") -> Iterator[tuple[slice, Any]]:
        """The joint-feature differences of all examples, a slice of the examples at a time.

        Yields the slice and its rows, in CSR format where the problem returns that. For messages,
        ``search`` returned the outputs, by default any search.
        """
        slices = Slices(self.n, self.size)
        for places in slices:
            measure = partial(Block._rows, places=places, search=search)
            with self.charge(outputs, measure, search):
                rows = self._rows(outputs, places, search)
            slices.note(rows)
            yield places, rows

    def _rows(self, outputs: Sequence[Any], places: slice, search: str) -> Any:
        if offers(self.problem, "batch_joint_feature_difference"):
            return self._batch_rows(places, outputs, search)
        return self._single_rows(range(places.start, places.stop), outputs, search)

    def joint_features(
        self, outputs: Sequence[Any] | None = None, search: str = ""
    ) -> Iterator[tuple[slice, Any]]:
        """The joint features of all examples' own outputs, or of others, in the same way.

        For messages, ``search`` returned the others, by default any search.
        """
        slices, own = Slices(self.n, self.size), outputs is None
        hint = self._joint_feature_hint() if own else f"y is what {search or self._search} returned"
        for places in slices:
            measure = partial(Block._feature_rows, places=places, hint=hint)
            with self._charge_imputed(measure) if own else self.charge(outputs, measure, search):
                rows = self._feature_rows(self.Y if own else outputs, places, hint)
            slices.note(rows)
            yield places, rows

    def _feature_rows(self, outputs: Any, places: slice, hint: str) -> Any:
        each, found = range(places.start, places.stop), []
        with self.single_call("joint_feature", JOINT_FEATURE, hint) as call:
            for i in call.examples(each):
                found.append(self.problem.joint_feature(self.X[i], outputs[i]))
        return stacked_rows(call, each, found, self.size)

    def _single_rows(self, places: Sequence[int], outputs: Sequence[Any], search: str = "") -> Any:
        problem, found = self.problem, []
        if offers(problem, "joint_feature_difference"):
            method = "joint_feature_difference"
            with self.single_call(method, JOINT_FEATURE, self._hint(search)) as call:
                for i in call.examples(places):
                    found.append(problem.joint_feature_difference(self.X[i], self.Y[i], outputs[i]))
            return stacked_rows(call, places, found, self.size)
        hint = self._joint_feature_hint(search)
        with self.single_call("joint_feature", JOINT_FEATURE, hint) as call:
            for i in call.examples(places):
                x = self.X[i]
                found += problem.joint_feature(x, self.Y[i]), problem.joint_feature(x, outputs[i])
        twice = [place for place in places for _ in range(2)]
        return pair_differences(stacked_rows(call, twice, found, self.size))

    def _batch_rows(self, places: slice, outputs: Sequence[Any], search: str) -> Any:
        method = "batch_joint_feature_difference"
        given = (take(data, places) for data in (self.X, self.Y, outputs))
        with self.call(method, JOINT_FEATURE, self._hint(search)) as call:
            found = self.problem.batch_joint_feature_difference(*given)
        shape, index = (places.stop - places.start, self.size), self.index[places]
        if sparse.issparse(found):
            return checked_matrix(method, found, shape, index)
        return call.checked(found, shape, rows=index)

    def term_sizes(self, outputs: Sequence[Any], scale: Vector) -> tuple[Vector, float]:
        """The sums of the problem's ``term_sizes`` over the examples: of planes, and of losses.

        ``scale``, of shape (n,), multiplies those of planes.
        """
        rows, losses = SumOf(total=np.zeros(self.size)), 0.0
        with self.single_call("term_sizes", JOINT_FEATURE, self._hint()) as call:
            for i in call.examples():
                found = self.problem.term_sizes(self.X[i], self.Y[i], outputs[i])
                row, loss = unpacked(found, 2, "term_sizes", "pair (rows, loss)", call.where())
                sizes = abs(stacked_rows(call, [i], [row], self.size))
                rows(sum_of_weighted(scale[i : i + 1], sizes))
                losses += self.weights[i] * abs(float(call.checked(loss, (), where=call.where())))
        return rows.total, float(losses)

    # ------------------------------------------------------------------ messages

    def charge(
        self, outputs: Any, measure: Callable[[Block, Any], Any], search: str = ""
    ) -> AbstractContextManager[None]:
        """A context for a measure of outputs that charges its errors to the method at fault.

        The block's own outputs are measured for comparison; errors for these are raised as they
        are. ``search`` returned the outputs, by default any search.
        """
        if outputs is self.Y:
            return charged({})
        relabelled = self.with_labels(outputs)
        without = {search or self._search: lambda: self._likeness(measure, outputs)}
        if self._relabelled:
            without[self._imputer] = lambda: relabelled._likeness(measure, self.Y)
        return charged(without)

    def _charge_imputed(self, measure: Callable[[Block, Any], Any]) -> AbstractContextManager[None]:
        """The same for a measure of imputed labels alone, which it compares with predictions."""
        if not self._relabelled:
            return charged({})

        def decoded() -> Likeness:
            return self.with_labels(self.decode(np.zeros(self.size)))._likeness(measure, self.Y)

        return charged({self._imputer: decoded})

    def _likeness(self, measure: Callable[[Block, Any], Any], outputs: Any) -> Likeness:
        """Whether outputs are like the block's own, which can be measured or raise an error."""
        measure(self, self.Y)
        found = likeness(outputs, self.Y)
        # A relaxed output may have another form.
        relaxed = self.problem.oracle_quality == "overgenerating"
        return min(found, Likeness.UNSETTLED) if relaxed else found

    @property
    def _imputer(self) -> str:
        return "batch_impute" if offers(self.problem, "batch_impute") else "impute"

    @property
    def decoder(self) -> str:
        """The method that predicts."""
        return "batch_decode" if offers(self.problem, "batch_decode") else "decode"

    @property
    def oracle(self) -> str:
        """The method that finds the most violated output."""
        name = "separation_oracle" if self.surrogate.rescaling == "margin" else "slack_oracle"
        return f"batch_{name}" if offers(self.problem, f"batch_{name}") else name

    @property
    def _search(self) -> str:
        """The methods that may have returned an output."""
        return " or ".join(filter(None, (self.oracle, self.cheap_search)))

    @property
    def cheap_search(self) -> str:
        """The methods that may have returned an output in place of the oracle."""
        return " or ".join(cheap_searches(self.problem, self.surrogate))

    def _hint(self, search: str = "") -> str:
        return f"y_hat is what {search or self._search} returned"

    def _joint_feature_hint(self, search: str = "") -> str:
        """The methods that may have returned the y given to joint_feature, for messages."""
        truth = "the true output"
        if isinstance(self.problem, SelfLabelledProblem):
            truth = "what impute returned (complete, in a LatentProblem: it must be a whole output)"
        return self._hint(search).replace("y_hat is", f"y is {truth}, or", 1)

    @property
    def _preparation(self) -> str:
        """Words for messages where prepare has changed the form of X[i] or Y[i]."""
        made = [name for name in self._remade if name == "X" or not self._relabelled]
        if not made:
            return ""
        forms = " and ".join(f"{name}[i]" for name in made)
        return f"prepare made {forms}, which every method of one example must accept"

    def call(self, method: str, kind: str = ORACLE, hint: str = "") -> Call:
        """A call of a method for these examples, which is counted and timed."""
        return Call(self.problem, method, self.index, self.tally, kind, hint=hint)

    def single_call(self, method: str, kind: str = ORACLE, hint: str = "") -> Call:
        """The same for a method of one example."""
        return self.call(method, kind, "; ".join(filter(None, (hint, self._preparation))))


def _form(data: Any) -> Any:
    """The type and shape of the first example."""
    try:
        first = data[0]
    except Exception as error:  # scipy < 1.13 cannot index sparse arrays; there is no Y
        return type(error)
    return type(first), getattr(first, "shape", None)
