r"""Surrogates of the loss: the slacks that replace the losses in the objective.

Let :math:`s_i(\hat y) = \Delta(y_i, \hat y) - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y)
\rangle` be the loss-augmented scores for margin rescaling. The slack of an example in the training
objective is one of the following functions:

========================  ======================================================================
``'hinge'``               :math:`\max_{\hat y} s_i(\hat y)`
``'softmax_margin'``      :math:`\log \sum_{\hat y} \exp s_i(\hat y)`
``'log_loss'``            :math:`\log \sum_{\hat y} \exp (s_i(\hat y) - \Delta(y_i, \hat y))`
========================  ======================================================================

The log loss is the negative log-likelihood of a conditional random field (Lafferty, McCallum &
Pereira, ICML 2001), :math:`-\log p(y_i | x_i)` with :math:`p(y | x) \propto \exp \langle w, \Psi(x,
y) \rangle`. If the scores include losses, the log loss becomes the softmax margin of Gimpel & Smith
(NAACL 2010). The softmax margin is an upper bound of both log loss and hinge loss. The softmax
margin and the log loss are slacks that are smoothed at the fixed temperature 1
(:class:`structsvm.SoftOutput`). If the hinge loss is smoothed in training, the temperature falls
step by step.

The dual problem of the softmax margin contains the entropy H of the distributions :math:`\alpha_i`
over the outputs:

.. math::

    D(\alpha) = \frac{C}{n} \sum_i \big( E_{\alpha_i}[\Delta] + H(\alpha_i) \big)
    - \tfrac12 \|v\|^2, \qquad
    v = \frac{C}{n} \sum_i E_{\alpha_i}[\Psi(x_i, y_i) - \Psi(x_i, \cdot)]

The dual of the log loss has no term for the losses, and is otherwise equal to the dual of the
softmax margin. If :math:`\alpha_i` holds the probabilities of the outputs in the random field with
the weights w, the duality gap is :math:`P(w) - D(\alpha) = \tfrac12 \|w - v\|^2`, where the vector
v holds the weights computed from :math:`\alpha`. The offset of a plane is the expected loss plus
the entropy. If the rows and the offsets of several planes are averaged, the result is still a lower
bound of the slack at every w.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Rescaling = Literal["margin", "slack"]
Loss = Literal["hinge", "softmax_margin", "log_loss"]

#: The fixed temperature.
KEPT = 1.0
#: The factor of the losses for the log loss, which has none. A soft oracle adds losses to its
#: scores, so it is called at a temperature and with weights so large that the losses vanish by
#: rounding. The factor is a power of two, so that nothing else is rounded.
NO_LOSS = 2.0**-60
#: The fixed temperature of each surrogate, 0 if training lowers it, and the factor of the losses.
LOSSES: dict[Loss, tuple[float, float]] = {
    "hinge": (0.0, 1.0),
    "softmax_margin": (KEPT, 1.0),
    "log_loss": (KEPT, NO_LOSS),
}


class Surrogate(NamedTuple):
    """The surrogate of an example's loss.

    Attributes
    ----------
    rescaling : {'margin', 'slack'}
        Whether losses are added to the scores, or multiply the violations of the margin.
    loss : {'hinge', 'softmax_margin', 'log_loss'}
    """

    rescaling: Rescaling = "margin"
    loss: Loss = "hinge"

    @property
    def temperature(self) -> float:
        """The fixed temperature of the surrogate; 0 for the hinge."""
        return LOSSES[self.loss][0]

    @property
    def loss_factor(self) -> float:
        """The factor that multiplies the losses in the scores."""
        return LOSSES[self.loss][1]


HINGE = Surrogate()
