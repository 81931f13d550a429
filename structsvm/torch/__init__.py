r"""Loss layers of PyTorch for networks with structured outputs.

The layers need PyTorch, which the extra ``torch`` installs.

:class:`StructuredHingeLoss` is a loss layer: a problem behind a network. The loss of an example is
the slack :math:`\xi_i` of :mod:`structsvm.objective`, or the smoothed slack of
:class:`structsvm.SoftOutput` at a temperature mu. The outputs of the network are either the inputs
of the problem or its scores.

:class:`PerturbedFenchelYoungLoss` needs only a decoder, and smooths the maximum by noise.

A layer computes scores, losses and predictions with the methods of a
:class:`structsvm.networks.TensorInference`. If a problem defines ``tensor_inference``, all examples
of a batch are computed together, on any device, with gradients by autograd. For problems without
``tensor_inference``, :mod:`structsvm.torch.general` calls the methods for arrays, and computes
gradients as follows:

- with respect to w: for a fixed output of the separation oracle, the slack of an example is linear
  in w. The gradient is therefore Psi(x, y_hat) - Psi(x, y). For the smoothed slack, the gradient is
  the expectation of Psi(x, y_hat) - Psi(x, y), which the soft oracle returns.
- with respect to x: <w, Psi(x, y_hat) - Psi(x, y)> is differentiated for a fixed y_hat. The problem
  may define the gradient with respect to x by ``input_gradient``. If the problem does not define
  the gradient, it is derived, provided that Psi is linear in x up to a constant. The derivative of
  a linear Psi with respect to an entry of x is Psi at the unit vector of this entry, minus Psi at
  the origin. Every call tests whether Psi is linear in x.

The gradient of the smoothed slack with respect to x is an expectation. Since the expectation of Psi
does not determine this gradient, the problem must define ``soft_input_gradient``. The gradient of
the perturbed loss is a mean over samples of noise, with one decoded output for each sample.
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
