"""The direction of the arrows, and what the library leaves alone."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest
from toy_problems import Multilabel, full_optimum, multilabel_data

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.qp import active_set, interior_point

ROOT = Path(__file__).parents[2]
ENGINE = sorted((ROOT / "structsvm").rglob("*.py"))
LIBRARY = ENGINE + sorted((ROOT / "problems").rglob("*.py"))
TASKS, CHECKS = (sorted((ROOT / "structsvm" / room).glob("*.py")) for room in ("task", "check"))
#: The names of what one wrapper of a task knows, by its file; only ``bound`` reads them too.
KNOWN = {
    "weighted": {"Weighted", "factors", "sample_weight"},
    "shifted": {"Shifted", "prior"},
    "rescaled": {"Rescaled", "rescaling"},
    "smoothed": {"Smoothed", "loss_factor", "temperature"},
}
#: Words of those that the engine serves without knowing them: motile, linkage, layers of networks.
CLIENTS = {
    *("motile", "ilpy", "BundleMethod", "BundleResult", "linkage", "PairTable", "NetworkLayers"),
    *("TensorInference", "tensor_inference", "input_gradient", "soft_input_gradient", "networks"),
}  # fmt: skip
#: The only parts that talk to a person, and may import problems and print.
FRONT = {"main.py", "demo.py", "template.py", "versions.py"}


@cache
def nodes(source):
    return [*ast.walk(ast.parse(source))]


def those(paths, law):
    """The files whose code a law is true of."""
    return {str(path.relative_to(ROOT)) for path in paths if law(path.read_text())}


def imports(source):
    """Every module that some source imports, at any depth of its code."""
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{a.name}" for a in node.names)


def names(source):
    """The names in some code: of variables, attributes, arguments and imports."""
    for node in nodes(source):
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def imports_problems(source):
    return any("problems" in name.split(".") for name in imports(source))


def imports_torch(source):
    return any(name.split(".")[0] == "torch" for name in imports(source))


def prints(source):
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) == "print" for n in nodes(source))


def mentions_a_client(source):
    """Whether code, docstrings or comments have a word of a client."""
    return not CLIENTS.isdisjoint(re.findall(r"\w+", source))


def riddles(source):
    """First lines of docstrings that begin with a question instead of the thing."""
    for node in nodes(source):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if first.split(" ")[0] in {"What", "Of", "How", "Where", "Why", "From"}:
                yield first


def test_the_engine_never_imports_a_problem_and_the_library_never_prints():
    lazily = {"structsvm/__init__.py"}  # for type checkers
    others = [path for path in LIBRARY if path.name not in FRONT]
    assert those(set(others) & set(ENGINE), imports_problems) == lazily
    assert those(others, prints) == set()


def test_only_the_layer_and_inference_over_tensors_import_torch():
    found = those(LIBRARY, imports_torch)
    assert found and all("/torch/" in name or name.endswith("/tensors.py") for name in found)


def test_the_checks_import_each_other_one_way_and_catch_errors_of_users_in_one_place():
    graph = {
        f"structsvm.check.{path.stem}": {
            name.rpartition(".")[0] for name in imports(path.read_text())
        }
        for path in CHECKS
    }
    TopologicalSorter(graph).prepare()  # it raises an error for a circle
    catching = those(CHECKS, lambda source: "except Exception" in source)
    assert catching == {"structsvm/check/findings.py"}


def test_a_task_knows_neither_the_engine_nor_solvers():
    rooms = {"bases", "contract", "data", "exceptions", "objective", "task"}
    found = {name for path in TASKS for name in imports(path.read_text())}
    assert {name.split(".")[1] for name in found if name.startswith("structsvm.")} <= rooms


def test_training_passes_no_room_of_a_client():
    """Layers of networks are known to structsvm.torch, to the checker and to problems alone."""
    homes = {"torch", "check"}
    corridor = [p for p in ENGINE if p.parent.name not in homes and p.name != "networks.py"]
    assert len(corridor) > 100
    assert those(corridor, mentions_a_client) == set()


def test_between_solvers_and_tasks_a_prior_is_handed_over_and_never_computed_with():
    rooms = ("oracle", "planes", "qp")
    files = [path for room in rooms for path in (ROOT / "structsvm" / room).glob("*.py")]
    home = "structsvm/oracle/examples.py"
    assert those(files, lambda source: "prior" in names(source)) == {home}
    for node in nodes((ROOT / home).read_text()):
        if isinstance(node, (ast.BinOp, ast.Compare)):
            assert "prior" not in names(ast.unparse(node))


@pytest.mark.parametrize("file", KNOWN)
def test_weights_a_prior_rescaling_and_a_kept_temperature_are_known_to_one_wrapper_each(file):
    homes = those(TASKS, lambda source: not KNOWN[file].isdisjoint(names(source)))
    assert homes == {"structsvm/task/bound.py", f"structsvm/task/{file}.py"}
    module = f"structsvm.task.{file}"
    others = set(ENGINE) - set(CHECKS)  # the checker weights examples as training does
    users = those(others, lambda source: any(n.startswith(module) for n in imports(source)))
    assert users == {"structsvm/task/bound.py"}


def test_docstrings_begin_with_what_the_thing_is_or_does():
    assert those(LIBRARY, lambda source: any(riddles(source))) == set()


def test_the_laws_above_can_be_broken():
    assert mentions_a_client("#: motile expects them here")
    found = {*names("from structsvm.task.shifted import Shifted\ndef f(prior): a.b(c=d)")}
    assert found >= {*"abcd", "prior", "Shifted"}
    for line in (
        "from structsvm.problems import MMC",
        "import structsvm.problems.mmc",
        "def f():\n    from .problems.mmc import MMC",
        "from . import problems",
    ):
        assert imports_problems(line), line
    assert not imports_problems("from structsvm.contract.problem import Problem")
    assert prints("def f():\n    print('x')") and imports_torch(
        "def f():\n    from torch import nn"
    )
    assert list(riddles('def f():\n    """What a pass tells."""')) == ["What a pass tells."]


def test_a_name_imports_its_family_alone(tmp_path):
    code = (
        "import sys, structsvm; structsvm.RankingSVM; "
        "families = {name.split('.')[2] for name in sys.modules "
        "if name.startswith('structsvm.problems.')}; "
        "print(sorted(families & set(sys.argv[1:])))"
    )
    folders = sorted(path.parent.name for path in (ROOT / "problems").glob("*/__init__.py"))
    command = [sys.executable, "-c", code, *folders]
    assert subprocess.check_output(command, cwd=tmp_path, text=True) == "['ranking']\n"


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_the_fallback_trains_alone(solver, monkeypatch):
    """With an active set that does nothing, every quadratic program goes to the fallback."""
    calls, solve = [], interior_point.solve
    monkeypatch.setattr(active_set, "solve", lambda H, b, *others: (np.zeros(len(b)), 0))
    monkeypatch.setattr(interior_point, "solve", lambda *given: calls.append(0) or solve(*given))
    X, Y = multilabel_data()
    result = solver(rtol=1e-6).solve(Multilabel(), X, Y, 10.0)
    optimum, _ = full_optimum(Multilabel(), X, Y, 10.0)
    assert calls and result.primal == pytest.approx(optimum, rel=1e-5)


def test_numpys_global_state_is_left_alone():
    X, Y = multilabel_data()
    np.random.seed(0)  # noqa: NPY002
    errors, state = np.geterr(), np.random.get_state()[1].copy()  # noqa: NPY002
    OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    assert np.geterr() == errors
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
