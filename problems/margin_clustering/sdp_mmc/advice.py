"""Warnings that the settings of SDPMMC, rather than the rows, determine the labels."""

from __future__ import annotations

import math

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Vector
from structsvm.exceptions import warn_user
from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.sdp_mmc.program import Program
from structsvm.problems.margin_clustering.sdp_mmc.rounding import Labelling
from structsvm.results.status import Outcome, Status

#: Range of f / n in which the kernel counts as too narrow: f is n if no row is similar to another,
#: and larger if rows have no margin at all.
NEAR_N = (0.9, 1.1)
#: Gap, as a fraction of the labels' f, above which labels count as undecided. It was chosen on
#: generated sets and on pairs of scikit-learn's classes: with a gap up to .33 every ring and moon
#: was found, and from .40 on many were missed. Other generated sets, and pairs of classes of mnist,
#: letter, satimage and UCI's sets, confirm the choice.
LARGE_GAP = 0.35
#: Relative decrease of f from which labels beyond the balance count as better even if the lower
#: bound does not prove it. Chosen and confirmed on the same sets.
MUCH_BETTER = 0.2


def warn_of_width(program: Program, objective: float, kernel: Kernel) -> None:
    """If the objective is near the number of rows, warn that the kernel finds no similar rows."""
    # K is scaled to a mean diagonal of 1, so that f is n for the identity matrix.
    ratio = objective * program.unit / program.n
    if not NEAR_N[0] <= ratio <= NEAR_N[1]:
        return
    why = "the kernel is so narrow"
    if kernel.kind == "linear":
        why, remedy = "rows are nearly orthogonal, so", "Use fewer features, or kernel='rbf'"
    elif kernel.kind == "rbf":
        remedy = f"Try to lower gamma, which is {kernel.gamma:.3g}"
    else:
        remedy = "Try to widen it"
    _warn(
        f"f(M) is {ratio:.0%} of n, its value when no row is similar to another: {why} that any "
        f"labelling has about the same margin. {remedy}"
    )


def warn_of_labels(
    program: Program, result: Outcome, best: Labelling, beyond: Labelling | None, kernel: Kernel
) -> None:
    """Warn if cluster sizes reach the limit by ``balance``, or if better labels may exist.

    ``best`` is the candidate of lowest objective that satisfies ``balance``. ``beyond`` is the
    candidate of lowest objective that violates ``balance``, or None. With more than two clusters,
    ``beyond`` is always None.
    """
    n = program.n
    setting = f"balance={program.limit / n:.3g}"
    # Labels with an f below the bound are better than all labels within the balance.
    threshold = max(result.dual, (1 - MUCH_BETTER) * best.value)
    if beyond is not None and beyond.value < threshold:
        # 2 more than the difference, so that the clusters are not at the new bound.
        wanted = min(_difference(program, beyond) + 2, n - 1) / n
        _warn(
            f"{setting} excludes clusters of {_sizes(program, beyond)} rows, whose f is "
            f"{beyond.value:.4g}; that of the labels, of {_sizes(program, best)} rows, is "
            f"{best.value:.4g}. If the clusters may be so unequal, set balance to "
            f"{math.ceil(1000 * wanted) / 1000:g}"
        )
        return  # the gap, too, may be due to the balance
    # One more row in the larger cluster adds 2 to the difference.
    if program.n_clusters == 2 <= program.limit < _difference(program, best) + 2 < n:
        _warn(
            f"the clusters, of {_sizes(program, best)} rows, are as unequal as {setting} "
            "allows, so it may have decided their sizes. Raise balance if the clusters may be more "
            "unequal, lower it if they should be more equal"
        )
    gap = best.value - result.dual
    # If a limit was reached, which gives another warning, the bound is not final.
    if result.status is Status.CONVERGED and gap > LARGE_GAP * best.value:
        wide = "The kernel may be too wide: try to"
        remedy = f"{wide} narrow it"
        if kernel.kind == "linear":
            remedy = "The clusters may have no linear margin: set offset, or try kernel='rbf'"
        elif kernel.kind == "rbf":
            remedy = f"{wide} raise gamma, which is {kernel.gamma:.3g}, some 4 times"
        _warn(
            f"label_gap_ is {gap / best.value:.0%} of label_objective_: other labels may be far "
            "better, because the relaxed matrix is undecided between several. "
            f"{remedy}. Or change balance, or link rows"
        )


def warn_of_scores(labels: Vector, predicted: Vector, kernel: Kernel, offset: float) -> None:
    """Warn if the scores of some rows contradict their labels."""
    different = np.count_nonzero(labels != predicted)
    if not different:
        return
    if kernel.kind == "rbf":
        remedy = "Raise gamma or C to have these rows beyond the margin"
    elif offset:
        remedy = "Raise offset or C, or try kernel='rbf'"
    else:
        remedy = "Centre the data if they are not, set offset, as to 10, or try kernel='rbf'"
    _warn(
        f"predict differs from labels_ on {different} of the {len(labels)} training rows "
        f"({different / len(labels):.1%}): the classifier of the labels has them on the wrong side "
        f"of its margin. {remedy}. labels_ are the clustering"
    )


def _difference(program: Program, found: Labelling) -> int:
    """Return the difference between the sizes of two clusters."""
    return round(program.difference(found.labels))


def _sizes(program: Program, found: Labelling) -> str:
    larger = (program.n + _difference(program, found)) // 2
    return f"{larger} and {program.n - larger}"


def _warn(message: str) -> None:
    warn_user(message, ConvergenceWarning)
