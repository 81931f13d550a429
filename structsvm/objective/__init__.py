r"""The objective and its dual.

The pages and docstrings use the definitions given here.

The primal problem for n examples with margin rescaling follows. The linear constraints
:math:`A w \le b` and the lower bounds :math:`\ell` are optional:

.. math::

    \min_w \; P(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_{i=1}^n s_i \xi_i
    \quad\text{subject to}\quad A w \le b, \; w \ge \ell

    \xi_i = \max_{\hat y} \big[ \Delta(y_i, \hat y)
            - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y) \rangle \big]_+

(Tsochantaridis et al., JMLR 2005; C/n as in Joachims, Finley & Yu, Machine Learning 2009). With
slack rescaling, :math:`\xi_i = \max_{\hat y} [\Delta(y_i, \hat y) \, (1 - \langle w, \Psi(x_i, y_i)
- \Psi(x_i, \hat y) \rangle)]_+`. The meaning of the regularisation parameter C does not depend on
n, because C multiplies the mean slack. For libraries whose parameter C' multiplies the sum of the
slacks, C' = C / n. The weights :math:`s_i` of the examples are 1, or the values of
``sample_weight`` divided by their mean. With weights, the mean slack is a weighted mean, in which
an example of weight 2 counts as two examples. In all solvers and in the formulas below, the losses
and joint-feature differences of an example are already multiplied by the example's weight
:math:`s_i`. The slack :math:`\xi_i` is the structured hinge loss. Smooth slacks, for probabilities,
are defined in :mod:`structsvm.objective.surrogate`.

With prior weights :math:`w_0` the regulariser is :math:`\tfrac12 \|w - w_0\|^2`. Solvers work with
:math:`u = w - w_0`, which is called w in the code of the solvers. In terms of :math:`u = w - w_0`,
the offset of a plane is :math:`b_j - \langle w_0, a_j \rangle`, and the constraints are :math:`A u
\le b - A w_0` and :math:`u \ge \ell - w_0`. The prior weights change only the regulariser, the
offsets and the constraints. Without a prior, :math:`w_0 = 0`.

The examples are divided into groups that share a slack. There are either n groups of one example
(n-slack) or one group of n examples (1-slack). The mean slack of group g has the weight :math:`C_g
= C |g| / n`. The weight C_g bounds the sum of the group's dual variables. A cutting plane j of
group g chooses an output for each example of the group. The row :math:`a_j` of a plane is the mean
of the joint-feature differences, and its offset :math:`b_j` is the mean of the losses. The
following is the dual restricted to a working set of planes, with multipliers :math:`\mu` for the
constraints:

.. math::

    \max_{\alpha, \mu \ge 0} \; \sum_j \alpha_j b_j - b^\top \mu
    - \tfrac12 \Big\| \sum_j \alpha_j a_j - A^\top \mu \Big\|^2
    \quad\text{subject to}\quad \sum_{j \in g} \alpha_j \le C_g

At the solution of the dual, :math:`w = \sum_j \alpha_j a_j - A^\top \mu`. The linear constraint r
is also a plane, with the row :math:`-A_r` and the offset :math:`-b_r`. The slack of a constraint's
plane has an infinite weight, and must be 0.

The best multipliers of the lower bounds follow from the multipliers :math:`\alpha` of the planes
and :math:`\mu` of the constraints. With lower bounds :math:`\ell`, each entry of w is the larger of
the entries of :math:`\ell` and of the vector :math:`v = \sum_j \alpha_j a_j - A^\top \mu`: :math:`w
= \max(v, \ell)`. Lower bounds change the last term of the dual from :math:`-\tfrac12 \|v\|^2` to
:math:`\tfrac12 \|w\|^2 - v^\top w`.
"""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector


def group_caps(C: float, sizes: Vector) -> Vector:
    """Return C_g, the weight of each group's mean slack: C times the group's share of examples.

    The array ``sizes`` holds the number of examples in each group, shape (n_groups,).
    """
    return C * np.asarray(sizes, dtype=np.float64) / np.sum(sizes)


def example_cap(C: float, n: int) -> float:
    """Return C / n, the weight of each example's slack for n examples."""
    return C / n


def regulariser(w: Vector) -> float:
    """Return half the squared norm of w."""
    return 0.5 * float(w @ w)


def primal_value(w: Vector, caps: Vector, slacks: Vector) -> float:
    """Return P(w), given the weight C_g and the mean slack of each group."""
    return float(regulariser(w) + caps @ slacks)


def lagrangian(w: Vector, v: Vector, linear: float) -> float:
    """Return the Lagrangian of the primal problem at w.

    The arguments ``v`` and ``linear`` are computed from the dual variables: ``v`` is the weighted
    sum of the rows of planes and constraints, and ``linear`` is the linear part of the dual value.
    The Lagrangian at w is at most P(w). The minimum of the Lagrangian over all w above the lower
    bounds l is the dual value. The Lagrangian is smallest at w = max(v, l), the larger of ``v`` and
    l in each entry.
    """
    return float(regulariser(w) + linear - float(v @ w))


def unbounded_dual_value(v: Vector, linear: float) -> float:
    """Return the dual value if w has no lower bounds: ``linear`` minus half of ``v @ v``."""
    return linear - regulariser(v)


def dual_factor(before: float, C: float) -> float:
    """Return the factor that scales dual variables if the parameter C changes from ``before``.

    The bounds on sums of dual variables are multiples of C.
    """
    return C / before
