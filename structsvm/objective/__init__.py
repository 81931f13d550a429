r"""The objective and its dual, stated once; all other pages and docstrings refer to this text.

The primal problem for n examples with margin rescaling, where :math:`A w \le b` are the linear
constraints and :math:`\ell` the lower bounds of the problem, if it has any:

.. math::

    \min_w \; P(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_{i=1}^n s_i \xi_i
    \quad\text{subject to}\quad A w \le b, \; w \ge \ell

    \xi_i = \max_{\hat y} \big[ \Delta(y_i, \hat y)
            - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y) \rangle \big]_+

(Tsochantaridis et al., JMLR 2005; C/n as in Joachims, Finley & Yu, Machine Learning 2009). With
slack rescaling the bracket is :math:`\Delta (1 - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y)
\rangle)`. The regularisation parameter C multiplies the mean slack, so its meaning does not change
with n. For a library whose C' multiplies the sum of the slacks, C = n C'. The weights of the
examples, :math:`s_i`, are 1, or a ``sample_weight`` divided by its mean: the mean slack is then a
weighted mean, and an example of weight 2 counts as two. Since :math:`s_i \ge 0` can be moved into
the maximum, a weighted slack is the slack of an example whose losses and joint-feature differences
are multiplied by :math:`s_i`. Below, and in all solvers, losses and differences are already
multiplied by :math:`s_i`. The slack above is the hinge loss; :mod:`structsvm.objective.surrogate`
defines smooth slacks for probabilities.

With prior weights :math:`w_0` the regulariser is :math:`\tfrac12 \|w - w_0\|^2`. Solvers work with
:math:`u = w - w_0`, which their code calls w: the offset of a plane is then :math:`b_j - \langle
w_0, a_j \rangle`, the constraints are :math:`A u \le b - A w_0` and :math:`u \ge \ell - w_0`, and
everything else is as without a prior, where :math:`w_0 = 0`.

The examples are divided into groups that share a slack: n groups of one example (n-slack) or one
group of n examples (1-slack). The mean slack of group g has the weight :math:`C_g = C |g| / n`,
which bounds the sum of the group's dual variables. A cutting plane j of group g chooses an output
for each of its examples; its row :math:`a_j` is the mean of their joint-feature differences and its
offset :math:`b_j` the mean of their losses. The dual restricted to a working set of planes, with
multipliers :math:`\mu` for the constraints, is

.. math::

    \max_{\alpha, \mu \ge 0} \; \sum_j \alpha_j b_j - b^\top \mu
    - \tfrac12 \Big\| \sum_j \alpha_j a_j - A^\top \mu \Big\|^2
    \quad\text{subject to}\quad \sum_{j \in g} \alpha_j \le C_g

At its solution :math:`w = \sum_j \alpha_j a_j - A^\top \mu`. Each constraint is a plane, too, with
row :math:`-A_r` and offset :math:`-b_r`, in a group of infinite weight: its slack must be 0.

With lower bounds, let :math:`v = \sum_j \alpha_j a_j - A^\top \mu`. The best multipliers of the
bounds follow from :math:`\alpha` and :math:`\mu`: they make :math:`w = \max(v, \ell)`, entry by
entry. The last term of the dual, :math:`-\tfrac12 \|v\|^2`, then becomes :math:`\tfrac12 \|w\|^2
- v^\top w`.
"""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector


def group_caps(C: float, sizes: Vector) -> Vector:
    """Return C_g, the weight of each group's mean slack: C times its fraction of the examples.

    ``sizes`` holds the number of examples in each group, shape (n_groups,).
    """
    return C * np.asarray(sizes, dtype=np.float64) / np.sum(sizes)


def example_cap(C: float, n: int) -> float:
    """Return C / n, the weight of the slack of one of n examples."""
    return C / n


def regulariser(w: Vector) -> float:
    """Return half the squared norm of w."""
    return 0.5 * float(w @ w)


def primal_value(w: Vector, caps: Vector, slacks: Vector) -> float:
    """Return P(w) from the weight and the mean slack of each group."""
    return float(regulariser(w) + caps @ slacks)


def lagrangian(w: Vector, v: Vector, linear: float) -> float:
    """Return the Lagrangian at w, ``regulariser(w) + linear - v @ w``, for dual variables.

    ``v`` and ``linear`` come from the dual variables: the linear term is sum_j alpha_j b_j - b^T
    mu. The Lagrangian at w is at most P(w). The minimum of the Lagrangian over w >= l, attained at
    w = max(v, l), is the dual value.
    """
    return float(regulariser(w) + linear - float(v @ w))


def unbounded_dual_value(v: Vector, linear: float) -> float:
    """Return the dual value if there are no lower bounds, so that w = v."""
    return linear - regulariser(v)


def dual_factor(before: float, C: float) -> float:
    """Return the factor that makes dual variables for another C, ``before``, feasible for C.

    Sums of dual variables are bounded by multiples of C.
    """
    return C / before
