r"""Loss layers of PyTorch for networks with structured outputs; they need the extra ``torch``.

:class:`StructuredHingeLoss` puts a problem behind a network. Its value for an example is the slack
:math:`\xi_i` of :mod:`structsvm.objective`, with the network's outputs in the place of the inputs,
or of the scores; or the smoothed slack of :class:`structsvm.SoftOutput`, at a temperature mu.

:class:`PerturbedFenchelYoungLoss` needs a decoder alone: it smooths the maximum by noise.

A layer asks a :class:`structsvm.networks.TensorInference` for scores, losses
and predictions. A problem may offer one, by ``tensor_inference``: then all examples of a batch are
computed at once, on any device, with the gradients of autograd. For others
:mod:`structsvm.torch.general` calls the methods of the problem, which know nothing of tensors:

- w: the slack of an example is linear in w where the output that the separation oracle found is
  fixed, so its gradient is the negative joint-feature difference, Psi(x, y_hat) - Psi(x, y), and,
  smoothed, the expectation of that, as the soft oracle returns it.
- x: <w, Psi(x, y_hat) - Psi(x, y)> is differentiated in x, y_hat fixed. The problem may offer this
  gradient by ``input_gradient``. Otherwise it is derived, for any Psi that is linear in x but for
  a constant: the slope along an entry of x is then the difference between two values of Psi, at the
  origin and at 1 in that entry. Whether Psi is linear is tested at every call.

Smoothed, the gradient in x is an expectation too, which the expectation of Psi does not determine:
the problem defines it by ``soft_input_gradient``. Perturbed, gradients are means over the outputs
decoded from each sample.
"""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "structsvm.torch needs PyTorch: pip install 'structured-svm[torch]'"
    ) from error

from structsvm.torch.loss import StructuredHingeLoss
from structsvm.torch.perturbed import PerturbedFenchelYoungLoss

__all__ = ["PerturbedFenchelYoungLoss", "StructuredHingeLoss"]
