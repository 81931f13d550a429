"""The formulas of the objective, on numbers that can be checked by hand, and in one place only."""

import ast
from pathlib import Path

import numpy as np
import pytest

from structsvm.objective import example_cap, group_caps, lagrangian, primal_value

ENGINE = Path(__file__).parents[2] / "structsvm"
#: Where the objective is written, and the quadratic programs of its restricted dual.
HERE = [ENGINE / "objective" / "__init__.py", *(ENGINE / "qp").iterdir()]
OTHERS = sorted(path for path in ENGINE.rglob("*.py") if path not in HERE)
HALF = ast.dump(ast.Constant(0.5))


def test_a_group_weighs_its_fraction_of_the_examples():
    np.testing.assert_array_equal(group_caps(6.0, np.array([1, 2])), [2.0, 4.0])
    assert example_cap(6.0, 3) == 2.0 == group_caps(6.0, np.ones(3))[0]


def test_primal_and_dual_values_are_those_of_the_plain_formulas():
    w, caps, slacks = np.array([3.0, 4.0]), np.array([2.0, 1.0]), np.array([0.5, 0.25])
    assert primal_value(w, caps, slacks) == 12.5 + 1.25
    assert lagrangian(w, w, 4.0) == 4.0 - 12.5


def test_the_dual_with_bounds_is_below_the_primal_and_meets_it_at_the_optimum():
    # One example with loss 1 and difference (1, -1), w >= 0, C = 10: w = (1, 0), and P = D = 1 / 2.
    row, offset, lower, cap = np.array([1.0, -1.0]), 1.0, np.zeros(2), np.array([10.0])
    duals, primals = [], []
    for alpha in np.linspace(0, 2, 9):
        w = np.maximum(alpha * row, lower)
        duals.append(lagrangian(w, alpha * row, alpha * offset))
        primals.append(primal_value(w, cap, np.maximum(offset - w @ row, 0)[None]))
    assert max(duals) == pytest.approx(0.5)
    assert min(primals) == pytest.approx(0.5)


# ---------------------------------------------------------------------- one place only


def formulas(source):
    """The lines of some source that write C / n, or half a squared norm."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and (is_cap(node) or is_half_square(node)):
            yield node.lineno


def is_cap(node):
    """Whether it is a quotient with the factor C in the numerator."""
    return isinstance(node.op, ast.Div) and any(map(is_C, factors(node.left)))


def is_C(node):
    return getattr(node, "id", None) == "C" or getattr(node, "attr", None) == "C"


def is_half_square(node):
    """Whether it is half the product of something with itself."""
    found = [ast.dump(factor) for factor in factors(node)]
    return HALF in found and len(set(found)) < len(found)


def factors(node):
    """The factors of a product: 0.5 where it is divided by 2, and both of a square."""
    if isinstance(node, ast.UnaryOp):
        yield from factors(node.operand)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "float":
        yield from factors(node.args[0])
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.MatMult)):
        yield from [*factors(node.left), *factors(node.right)]
    elif isinstance(node, ast.BinOp) and ast.unparse(node).endswith("** 2"):
        yield from [node.left, node.left]
    elif isinstance(node, ast.BinOp) and ast.unparse(node).endswith(("/ 2", "/ 2.0")):
        yield from [*factors(node.left), ast.Constant(0.5)]
    else:
        yield node


def test_the_objective_and_its_dual_are_written_here_alone():
    found = []
    for path in OTHERS:
        source = path.read_text()
        lines = source.splitlines()
        found += [f"{path}:{number} {lines[number - 1].strip()}" for number in formulas(source)]
    assert not found, "use structsvm.objective in place of\n" + "\n".join(found)


def test_the_test_above_can_fail():
    lines = """
    cap = C / n
    cap = state.C / state.examples.n * slack
    caps = C * sizes / sizes.sum()
    value = 0.5 * (w @ w)
    value = linear - 0.5 * float(v @ v)
    value = slack + float(state.w @ state.w) / 2.0 - dual
    value = 0.5 * np.linalg.norm(w) ** 2
    value = w @ (0.5 * w)
    """
    assert sorted(set(formulas(f"def f():{lines}"))) == list(range(2, 10))


def test_other_quotients_and_products_are_left_alone():
    lines = """
    smallest = allowed / state.C
    means = chosen / n
    middle = 0.5 * (w + best.w)
    v = self.C * cut.rows[0]
    square = w @ w
    graph = (weights + weights.T) / 2
    reflected = v - 2 * constant * (constant @ v)
    """
    assert not list(formulas(f"def f():{lines}"))
