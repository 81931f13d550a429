r"""PyTorch layers that compute losses of networks with structured outputs.

The layers need PyTorch, which the extra ``torch`` installs.

For a problem of structsvm, :class:`StructuredHingeLoss` computes the loss of a network's outputs.
The loss of an example is its slack :math:`\xi_i` (:mod:`structsvm.objective`) or, at a temperature
mu, its smoothed slack (:class:`structsvm.SoftOutput`). The outputs of the network are either the
inputs of the problem or its scores.

:class:`PerturbedFenchelYoungLoss` needs only a decoder, and smooths the maximum by noise.

A layer computes scores, losses and predictions with the methods of a
:class:`structsvm.networks.TensorInference`. If a problem defines ``tensor_inference``, all examples
of a batch are computed together, on any device, with gradients by autograd. For problems without
``tensor_inference``, :mod:`structsvm.torch.general` calls the methods for arrays, and computes
gradients as follows:

- The gradient of a slack with respect to w is Psi(x, y_hat) - Psi(x, y), where y_hat is the output
  of the separation oracle. If the slack is smoothed, the soft oracle computes its gradient with
  respect to w: the expectation of Psi(x, y_hat) - Psi(x, y).
- For the gradient of a slack with respect to x, the layer fixes the output y_hat of the separation
  oracle, and differentiates <w, Psi(x, y_hat) - Psi(x, y)>. The problem may define the gradient
  with respect to x by ``input_gradient``. If the problem does not define ``input_gradient``, Psi
  must be linear in x up to a constant, and the layer derives the gradient from Psi. The
  derivative of a linear Psi with respect to an entry of x is Psi at the unit vector of this entry,
  minus Psi at the origin. Every call tests whether Psi is linear in x.

The expectation of Psi does not determine the gradient of the smoothed slack with respect to x, so
the problem must define ``soft_input_gradient``. The gradient of the perturbed loss is a mean over
samples of noise, with one decoded output for each sample.
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
