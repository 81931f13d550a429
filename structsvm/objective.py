r"""The objective, written once; every other page and docstring refers to this one.

For n examples, margin rescaling and the problem's own linear constraints and lower bounds
:math:`\ell`, if it has any:

.. math::

    \min_w \; P(w) = \tfrac12 \|w\|^2 + \frac{C}{n} \sum_{i=1}^n \xi_i
    \quad\text{subject to}\quad A w \le b, \; w \ge \ell

    \xi_i = \max_{\hat y} \big[ \Delta(y_i, \hat y)
            - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y) \rangle \big]_+

(Tsochantaridis et al., JMLR 2005; C/n as in Joachims, Finley & Yu, Machine Learning 2009). With
slack rescaling the bracket is :math:`\Delta (1 - \langle w, \Psi(x_i, y_i) - \Psi(x_i, \hat y)
\rangle)`. C weighs the mean slack, so its meaning does not change with n; a library that weighs
the sum of slacks by C' has C = n C'.

The examples are divided into groups that share a slack: n groups of one (n-slack) or one group of
n (1-slack). The mean slack of group g weighs :math:`C_g = C |g| / n`, which bounds the sum of the
group's dual variables. A plane j of group g is the mean over its examples of the joint-feature
differences, :math:`a_j`, and of the losses, :math:`b_j`, of some outputs. The dual restricted to a
working set of planes, with multipliers :math:`\mu` for the constraints, is

.. math::

    \max_{\alpha, \mu \ge 0} \; \sum_j \alpha_j b_j - b^\top \mu
    - \tfrac12 \Big\| \sum_j \alpha_j a_j - A^\top \mu \Big\|^2
    \quad\text{subject to}\quad \sum_{j \in g} \alpha_j \le C_g

and :math:`w = \sum_j \alpha_j a_j - A^\top \mu`. Each constraint is a plane of its own,
:math:`-A_r`, :math:`-b_r`, in a group without a bound: its slack costs infinitely much.

With lower bounds, let :math:`v = \sum_j \alpha_j a_j - A^\top \mu`. Their multipliers are known for
given :math:`\alpha, \mu`: they raise w to :math:`\max(v, \ell)`. The last term of the dual,
:math:`-\tfrac12 \|v\|^2`, then becomes :math:`\tfrac12 \|w\|^2 - v^\top w`.
"""

from __future__ import annotations

import numpy as np

from structsvm.problem import Vector


def group_caps(C: float, sizes: Vector) -> Vector:
    """C_g, the weight of each group's mean slack: C times its fraction of the examples."""
    return C * np.asarray(sizes, dtype=np.float64) / np.sum(sizes)


def example_cap(C: float, n: int) -> float:
    """C / n, the weight of the slack of one of n examples."""
    return C / n


def regulariser(w: Vector) -> float:
    """Half the squared norm of w."""
    return 0.5 * float(w @ w)


def primal_value(w: Vector, caps: Vector, slacks: Vector) -> float:
    """P(w) from the mean slack of each group."""
    return float(regulariser(w) + caps @ slacks)


def lagrangian(w: Vector, v: Vector, linear: float) -> float:
    """1/2 |w|^2 + l - <v, w>, for the v of the dual variables and their linear term l.

    l is sum_j alpha_j b_j - b^T mu. The least value over w is D, and no value is above P(w).
    """
    return float(regulariser(w) + linear - float(v @ w))


def dual_value(v: Vector, w: Vector, linear: float) -> float:
    """D: the Lagrangian at its minimiser w = max(v, l)."""
    return lagrangian(w, v, linear)


def unbounded_dual_value(v: Vector, linear: float) -> float:
    """D where there are no bounds, so that w = v."""
    return linear - regulariser(v)


def linear_term(dual: float, v: Vector) -> float:
    """sum_j alpha_j b_j, from the dual value where there are no bounds."""
    return dual + regulariser(v)
