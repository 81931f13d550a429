"""Optional methods of a problem: searches beside the oracle and the decoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structsvm.contract.missing import missing
from structsvm.data.arrays import Outputs, Vector


class Searches:
    """Searches beside the separation oracle: a cheaper one, and one for slack rescaling.

    The solvers with margin rescaling call :meth:`search_pool` or :meth:`refine` before the
    separation oracle; a solver with ``rescaling='slack'`` calls :meth:`slack_oracle`, or its batch
    form, instead of it.
    """

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        """Improve y_hat by a cheap search that starts from it, such as a local search.

        Where it is offered, Y is given and the oracle does not overgenerate, the solvers with
        margin rescaling first refine the outputs of the last pass, and call the separation oracle
        only if that adds no new plane.

        Requires: y_hat was returned by the separation oracle or this method for x, at any w.
        Ensures: an output whose loss-augmented score, loss(y, .) + <w, Psi(x, .)>, is no lower than
        y_hat's; a new object, or y_hat itself.
        """
        raise NotImplementedError(missing(self, "refine"))

    def pool_outputs(self, outputs: Sequence[Any], pool: Any = None) -> Any:
        """Return a pool with more outputs, each once: candidates for every example.

        Offer it, with :meth:`search_pool`, where the same outputs are allowed for all examples and
        the separation oracle is expensive: an output found for one example may be the best for
        another. The engine keeps the pool, and never looks inside.

        Requires: outputs of any examples, true or found by a search; ``pool`` is what this method
        returned earlier, or None for an empty one.
        Ensures: a picklable object, which later calls do not change; or None where outputs of one
        example may not be allowed for another.
        """
        raise NotImplementedError(missing(self, "pool_outputs"))

    def search_pool(self, X: Any, Y: Any, w: Vector, pool: Any) -> Outputs:
        """Return the best output of the pool for each of n examples, or a better one.

        The best has the largest loss-augmented score, loss(y, .) + <w, Psi(x, .)>. A better one may
        come from a local search that starts there.

        Where it is offered, the oracle is exact or undergenerates and Y is given, the solvers with
        margin rescaling search the pool first, and call the separation oracle only where that adds
        no new plane. The result is certified by the oracle alone.

        Ensures: n outputs (array or list), like :meth:`batch_separation_oracle` otherwise.
        """
        raise NotImplementedError(missing(self, "search_pool"))

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        """Loss-augmented inference for slack rescaling, where the loss multiplies the violation.

        Offering it allows ``rescaling='slack'`` (Tsochantaridis et al., JMLR 2005, SVM-delta-s).

        Requires: w has shape (size_joint_feature,).
        Ensures: argmax over y_hat of loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>), like
        :meth:`separation_oracle` otherwise.
        """
        raise NotImplementedError(missing(self, "slack_oracle"))

    def batch_slack_oracle(self, X: Any, Y: Any, w: Vector) -> Outputs:
        """Apply :meth:`slack_oracle` to n examples; return n outputs (array or list)."""
        raise NotImplementedError(missing(self, "batch_slack_oracle"))
