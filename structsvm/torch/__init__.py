r"""Loss layers of PyTorch for networks with structured outputs; they need the extra ``torch``.

:class:`StructuredHingeLoss` puts a problem behind a network. The loss of an example is the slack
:math:`\xi_i` of :mod:`structsvm.objective`, or the smoothed slack of :class:`structsvm.SoftOutput`
at a temperature mu. The outputs of the network replace the inputs or the scores.

:class:`PerturbedFenchelYoungLoss` needs only a decoder: it smooths the maximum by noise.

A layer asks a :class:`structsvm.networks.TensorInference` for scores, losses and predictions. If a
problem has one, by ``tensor_inference``, all examples of a batch are computed together, on any
device, with gradients by autograd. For other problems :mod:`structsvm.torch.general` calls methods
that know no tensors, and computes gradients as follows:

- in w: for a fixed output of the separation oracle, the slack of an example is linear in w, so its
  gradient is Psi(x, y_hat) - Psi(x, y). For the smoothed slack it is the expectation of this
  difference, which the soft oracle returns.
- in x: <w, Psi(x, y_hat) - Psi(x, y)> is differentiated in x, for a fixed y_hat. The problem may
  define this gradient by ``input_gradient``. Otherwise the gradient is derived, if Psi is linear in
  x up to a constant: the slope along an entry of x is the difference between the values of Psi at 1
  in this entry and at the origin. Every call tests whether Psi is linear.

The gradient of the smoothed slack in x is an expectation, too, which the expectation of Psi does
not determine: the problem must define it by ``soft_input_gradient``. Gradients of the perturbed
loss are means over the outputs that are decoded from each sample.
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
