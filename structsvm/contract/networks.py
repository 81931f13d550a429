"""Optional methods of a problem, which the layers of ``structsvm.torch`` call."""

from __future__ import annotations

from typing import Any

from structsvm.contract.optional import optional
from structsvm.contract.tensors import TensorInference
from structsvm.data.arrays import Vector


class NetworkLayers:
    """Optional methods of a problem: gradients in x, and inference over tensors.

    A problem that defines one of them may inherit this class beside :class:`structsvm.Problem`, or
    not: it is only looked at for the method. The layers of ``structsvm.torch`` call them where a
    network computes x. Where Psi is linear in x, they need only :meth:`soft_input_gradient`, for
    mu > 0. With :meth:`tensor_inference` they need no gradient, and the work stays on the device of
    the tensors.
    """

    _undefined = None

    @optional
    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of the score <w, Psi(x, y)> in x, an array of numbers.

        The layers of ``structsvm.torch`` call it where a network computes x. It is not needed
        where Psi is linear in x, up to a constant: there they derive the gradient from one joint
        feature for each entry of x.

        Requires: y is an output of x, or whatever an oracle returns for it.
        Ensures: finite numbers of the shape of x.
        """

    @optional
    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``SoftOutput.value`` in x, an array of numbers.

        It is the expectation of the gradient of <w, Psi(x, y')> in x under the distribution of
        :meth:`soft_oracle`, less the gradient of <w, Psi(x, y)>; the marginals determine it.
        :class:`structsvm.torch.StructuredHingeLoss` calls it for mu > 0 where a network computes x.

        Requires: mu > 0; y is an output of x.
        Ensures: finite numbers of the shape of x.
        """

    @optional
    def tensor_inference(self) -> TensorInference:
        """Return the problem's inference over tensors of PyTorch, for all examples at once.

        For the layers of ``structsvm.torch``, which otherwise call the oracles and the decoder.
        A subclass with other scores, losses or outputs must override it, or withdraw it by
        ``tensor_inference = None``.

        Requires: ``initialize`` has run.
        Ensures: a :class:`structsvm.contract.tensors.TensorInference`. PyTorch is imported nowhere
        else.
        """
