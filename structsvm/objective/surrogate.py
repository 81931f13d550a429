r"""Surrogates of the loss: what stands for an example's loss in the objective, its slack.

With the loss-augmented scores :math:`s_i(\hat y) = \Delta(y_i, \hat y) - \langle w, \Psi(x_i, y_i)
- \Psi(x_i, \hat y) \rangle` of margin rescaling, the slacks of :mod:`structsvm.objective` are

========================  ======================================================================
``'hinge'``               :math:`\max_{\hat y} s_i(\hat y)`
``'softmax_margin'``      :math:`\log \sum_{\hat y} \exp s_i(\hat y)`
``'log_loss'``            :math:`\log \sum_{\hat y} \exp (s_i(\hat y) - \Delta(y_i, \hat y))`
========================  ======================================================================

The last is the negative log-likelihood of a conditional random field (Lafferty, McCallum & Pereira,
ICML 2001), :math:`-\log p(y_i | x_i)` with :math:`p(y | x) \propto \exp \langle w, \Psi(x, y)
\rangle`; with the loss in its scores, it is the softmax-margin of Gimpel & Smith (NAACL 2010), an
upper bound of both others. Both are smoothed slacks of :class:`structsvm.SoftOutput` at the
temperature 1, which is kept, where training with the hinge lowers it.

Their dual has the entropy H of the distributions :math:`\alpha_i` over the outputs:

.. math::

    D(\alpha) = \frac{C}{n} \sum_i \big( E_{\alpha_i}[\Delta] + H(\alpha_i) \big)
    - \tfrac12 \|v\|^2, \qquad
    v = \frac{C}{n} \sum_i E_{\alpha_i}[\Psi(x_i, y_i) - \Psi(x_i, \cdot)]

without the losses for the likelihood. At the distributions of the field itself, :math:`P(w) -
D(\alpha) = \tfrac12 \|w - v\|^2`. As H is concave, a plane of one point may be mixed with others as
if its offset were constant: its offset is the expected loss plus the entropy, and the slack is at
least what it says at every w.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Rescaling = Literal["margin", "slack"]
Loss = Literal["hinge", "softmax_margin", "log_loss"]

#: The temperature that is kept.
KEPT = 1.0
#: The factor of the losses where there should be none. A soft oracle adds them to its scores: it is
#: called at a temperature and with weights that are so large that the losses are rounded away. A
#: power of two, so that nothing else is rounded.
NO_LOSS = 2.0**-60
#: The surrogates, with the temperature, 0 where it falls, and the factor of the losses.
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
        How losses enter the hinge.
    loss : {'hinge', 'softmax_margin', 'log_loss'}
    """

    rescaling: Rescaling = "margin"
    loss: Loss = "hinge"

    @property
    def temperature(self) -> float:
        """The temperature that is kept; 0 for the hinge."""
        return LOSSES[self.loss][0]

    @property
    def loss_factor(self) -> float:
        """The factor of the losses in the scores."""
        return LOSSES[self.loss][1]


HINGE = Surrogate()
