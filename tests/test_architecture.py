"""The direction of the arrows, and what the library leaves alone."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest
from toy_problems import Multilabel, full_optimum, multilabel_data

import structsvm
from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.qp import active_set, interior_point

ROOT = Path(__file__).parent.parent
ENGINE = sorted((ROOT / "structsvm").rglob("*.py"))
LIBRARY = ENGINE + sorted((ROOT / "problems").rglob("*.py"))
TASKS = sorted((ROOT / "structsvm" / "task").glob("*.py"))
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


def imports(source):
    """Every module that some source imports, at any depth of its code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{a.name}" for a in node.names)


def reaches_problems(module):
    return "problems" in module.split(".")


def calls_print(source):
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        for node in ast.walk(ast.parse(source))
    )


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_engine_never_imports_a_problem(path):
    found = [name for name in imports(path.read_text()) if reaches_problems(name)]
    if path == ROOT / "structsvm" / "__init__.py":  # for type checkers; it exports them lazily
        assert found == ["structsvm.problems", "structsvm.problems.*"]
    elif path.name not in FRONT:
        assert not found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_never_prints(path):
    assert path.name in FRONT or not calls_print(path.read_text())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_layer_and_inference_over_tensors_import_torch(path):
    if path.parent.name != "torch" and path.name != "tensors.py":
        assert not [name for name in imports(path.read_text()) if name.split(".")[0] == "torch"]


def test_the_checks_import_each_other_one_way():
    files = (ROOT / "structsvm" / "check").glob("*.py")
    graph = {
        f"structsvm.check.{path.stem}": {
            name.rpartition(".")[0] for name in imports(path.read_text())
        }
        for path in files
    }
    TopologicalSorter(graph).prepare()  # it raises an error for a circle


def test_the_checks_catch_what_a_users_code_raises_in_one_place():
    files = (ROOT / "structsvm" / "check").glob("*.py")
    assert [path.name for path in files if "except Exception" in path.read_text()] == [
        "findings.py"
    ]


def test_a_task_knows_neither_the_engine_nor_solvers():
    rooms = {"bases", "contract", "data", "exceptions", "objective", "task"}
    found = {name for path in TASKS for name in imports(path.read_text())}
    own = {name.split(".")[1] for name in found if name.startswith("structsvm.")}
    assert own <= rooms


def test_training_passes_no_room_of_a_client():
    """Layers of networks are known to structsvm.torch, to the checker and to problems alone."""
    homes = {"torch", "check"}
    corridor = [p for p in ENGINE if p.parent.name not in homes and p.name != "networks.py"]
    assert len(corridor) > 100
    assert not {path.name for path in corridor if mentions_a_client(path.read_text())}


def mentions_a_client(source):
    """Whether code, docstrings or comments have a word of a client."""
    return not CLIENTS.isdisjoint(re.findall(r"\w+", source))


def names(source):
    """The names in some code: of variables, attributes, arguments and imports."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def test_between_solvers_and_tasks_a_prior_is_handed_over_and_never_computed_with():
    rooms = [ROOT / "structsvm" / room for room in ("oracle", "planes", "qp")]
    files = [path for room in rooms for path in sorted(room.glob("*.py"))]
    assert len(files) > 15
    homes = [path for path in files if "prior" in {*names(path.read_text())}]
    assert [path.name for path in homes] == ["examples.py"]
    uses = [
        node
        for node in ast.walk(ast.parse(homes[0].read_text()))
        if isinstance(node, (ast.BinOp, ast.Compare)) and "prior" in {*names(ast.unparse(node))}
    ]
    assert not uses


@pytest.mark.parametrize("file", KNOWN)
def test_weights_a_prior_rescaling_and_a_kept_temperature_are_known_to_one_wrapper_each(file):
    homes = [path for path in TASKS if not KNOWN[file].isdisjoint(names(path.read_text()))]
    assert {path.stem for path in homes} == {"bound", file}
    module = f"structsvm.task.{file}"
    users = [
        path for path in ENGINE if any(n.startswith(module) for n in imports(path.read_text()))
    ]
    # The checker weights examples as training does.
    assert {path.name for path in users if path.parent.name != "check"} == {"bound.py"}


def test_the_tests_above_can_fail():
    assert mentions_a_client("from structsvm.networks import NetworkLayers")
    assert mentions_a_client("#: motile expects them here")
    assert {*names("def f(prior): pass")} >= {"prior"}
    assert {*names("from structsvm.task.shifted import Shifted\nf(a.b, c=d)")} >= {
        *"abcd",
        "Shifted",
    }
    for line in (
        "from structsvm.problems import MMC",
        "from structsvm import problems",
        "import structsvm.problems.mmc",
        "def f():\n    from .problems.mmc import MMC",
        "from . import problems",
    ):
        assert any(map(reaches_problems, imports(line))), line
    assert not any(map(reaches_problems, imports("from structsvm.contract.problem import Problem")))
    assert calls_print("def f():\n    print('x')")
    assert next(imports("def f():\n    from torch import nn")).split(".")[0] == "torch"
    assert len(ENGINE) > 15
    assert len(LIBRARY) > len(ENGINE) + 3


def riddles(source):
    """First lines of docstrings that begin with a question instead of the thing."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if first.split(" ")[0] in {"What", "Of", "How", "Where", "Why", "From"}:
                yield first


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_begin_with_what_the_thing_is_or_does(path):
    assert not list(riddles(path.read_text()))


def test_a_docstring_that_is_a_riddle_is_found():
    assert list(riddles('def f():\n    """What a pass tells."""')) == ["What a pass tells."]
    assert not list(riddles('def f():\n    """Return the planes."""'))


@pytest.mark.slow
def test_importing_pulls_in_no_optional_package(tmp_path):
    code = (
        "import sys, structsvm.displays; from structsvm.problems import *; "
        "optional = 'cvxopt', 'matplotlib', 'pytest', 'hypothesis', 'networkx', 'torch'; "
        "print([module for module in optional if module in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["structsvm", "structsvm.problems"])
def test_a_name_imports_its_family_alone(package, tmp_path):
    code = (
        f"import sys, {package}; {package}.RankingSVM; "
        "families = {name.split('.')[2] for name in sys.modules "
        "if name.startswith('structsvm.problems.')}; "
        "print(sorted(families & set(sys.argv[1:])))"
    )
    folders = sorted(path.parent.name for path in (ROOT / "problems").glob("*/__init__.py"))
    done = subprocess.run(
        [sys.executable, "-c", code, *folders],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['ranking']"


def test_public_names_exist_and_are_documented():
    assert len(set(structsvm.__all__)) == len(structsvm.__all__)
    for name in structsvm.__all__:
        documented = getattr(structsvm, name)
        assert documented.__doc__, name


@pytest.fixture
def no_active_set(monkeypatch):
    """An active set that does nothing, so that every quadratic program goes to the fallback."""

    def give_up(H, b, groups, caps, alpha):
        return np.zeros(len(b)), 0

    monkeypatch.setattr(active_set, "solve", give_up)


@pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
def test_the_fallback_trains_alone(solver, no_active_set, monkeypatch):
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return solve(*arguments)

    solve = interior_point.solve
    monkeypatch.setattr(interior_point, "solve", counted)
    X, Y = multilabel_data()
    result = solver(rtol=1e-6).solve(Multilabel(), X, Y, 10.0)
    assert calls
    optimum, _ = full_optimum(Multilabel(), X, Y, 10.0)
    assert result.primal == pytest.approx(optimum, rel=1e-5)


def test_numpys_global_state_is_left_alone():
    X, Y = multilabel_data()
    np.random.seed(0)  # noqa: NPY002
    errors, state = np.geterr(), np.random.get_state()[1].copy()  # noqa: NPY002
    OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    assert np.geterr() == errors
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
