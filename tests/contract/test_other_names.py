"""Names that users of other programs write, and misspelt ones, are answered with ours."""

import inspect
import re

import correct_problems
import pytest
import toy_problems
from sklearn.base import clone
from toy_problems import Multilabel, multilabel_data

import structsvm
from structsvm import LatentProblem, OneSlackCuttingPlane, Problem, features, problems
from structsvm.bases import HasParameters
from structsvm.contract.missing import missing
from structsvm.contract.missing import misspelt as misspelt_names
from structsvm.other_names import METHODS, PARAMETERS

KINDS = {
    name: kind
    for module in (structsvm, problems, features)
    for name in module.__all__
    if inspect.isclass(kind := getattr(module, name)) and issubclass(kind, HasParameters)
}
REQUIRED = ("joint_feature", "loss", "separation_oracle", "decode")


def parameters(kind):
    return [*inspect.signature(kind).parameters]


def test_all_that_problems_export_can_be_imported_from_the_package():
    assert {*problems.__all__} <= {*dir(structsvm)}
    for name in problems.__all__:
        assert getattr(structsvm, name) is getattr(problems, name)


def misspelt():
    for name in ("ChainSVM", "OneSlackCuttingPlane", "GraphLabelling"):
        yield from ((name.lower(), name), (name[:-2] + name[:-3:-1], name), (name + "s", name))


@pytest.mark.parametrize("package", ["structsvm", "structsvm.problems"])
@pytest.mark.parametrize(("name", "own"), [*misspelt()])
def test_a_misspelt_name_is_answered_with_ours(package, name, own):
    if package == "structsvm.problems" and own in structsvm.__all__:
        return
    with pytest.raises(ImportError, match=re.escape(own)):
        exec(f"from {package} import {name}")
    module = structsvm if package == "structsvm" else problems
    with pytest.raises(AttributeError, match=re.escape(own)):
        getattr(module, name)
    assert not hasattr(module, name)


def test_modules_and_strange_names_are_as_ever(monkeypatch):
    monkeypatch.delattr(problems, "graphs")  # as before it is imported: it is like Graph
    exec("from structsvm.problems import graphs")
    exec("from structsvm import qp, check, problems")  # check is like no export, problems is
    for name in ("nonsense", "_private", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"^module 'structsvm' has no attribute '{name}'$"):
            getattr(structsvm, name)
        with pytest.raises(ImportError, match=r"^cannot import name"):
            exec(f"from structsvm import {name}")


@pytest.mark.parametrize("name", KINDS)
def test_another_parameter_is_answered_with_ours(name):
    kind = KINDS[name]
    known = parameters(kind)
    near = {own[:-1]: own for own in known if len(own) > 5}
    for other, own in [*PARAMETERS.items(), *((other, [own]) for other, own in near.items())]:
        if other in known:
            continue
        with pytest.raises(TypeError, match=f"^{name} has no parameter '{other}': ") as error:
            kind(**{other: 1})
        if {*own} & {*known}:
            assert re.search(r"write (\w+)", str(error.value)).group(1) in known
            assert other not in near or str(error.value).endswith(f"write {near[other]}")
    with pytest.raises(TypeError, match=r"its parameters are|it has none"):
        kind(nonsense=1)
    if "n_clusters" in inspect.signature(vars(kind).get("predict", parameters)).parameters:
        with pytest.raises(
            TypeError, match=r"give it to predict, as in predict\(X, n_clusters=...\)$"
        ):
            kind(n_clusters=1)


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("max_iterations", "max_iter"), ("tol", "rtol"), ("eps", "rtol"), ("period", "rtol"),
        ("c2", r"C, n / \(2 c2\) for n examples"), ("alpha", "C, 1 / alpha if alpha weighs .*"),
        ("lam", "C, 1 / lam if lam weighs .*"), ("c", "C"),
        ("algorithm", r"solver, a solver object such as OneSlackCuttingPlane\(\)"),
        ("loss_function", "loss"), ("n_threads", "n_jobs"),
        ("seed", "random_state"), ("timeout", "time_limit"), ("patience", "n_iter_no_change"),
    ],
)  # fmt: skip
def test_what_others_call_it(other, own):
    with pytest.raises(TypeError, match=f"^ChainSVM has no parameter '{other}': write {own}$"):
        problems.ChainSVM(**{other: 1})


@pytest.mark.parametrize("name", KINDS)
def test_signatures_are_those_of_the_constructors(name):
    assert {*parameters(KINDS[name])} == {*KINDS[name]._get_param_names()}


def test_a_class_without_a_constructor_takes_no_arguments():
    class Plain(Problem):
        """No constructor."""

    class Any(Problem):
        """A constructor that takes what comes."""

        def __init__(self, first=1, **others):
            self.first, self.others = first, others

    for arguments, named in (((3,), {}), ((), {"tol": 3})):
        with pytest.raises(TypeError):
            Plain(*arguments, **named)
    assert isinstance(clone(Plain()), Plain)
    assert Any(2, tol=3).others == {"tol": 3}


@pytest.mark.parametrize("method", REQUIRED)
def test_another_name_of_a_method_is_to_be_renamed(method):
    others = [other for other, own in METHODS.items() if method in own]
    for other in (*others, method[:-1], method + "s", method[:2] + method[3:]):
        known = {name: None for name in REQUIRED if name != method}
        problem = type("Own", (Problem,), {other: lambda self, x, y: x, "encode": len, **known})()
        with pytest.raises(NotImplementedError, match=f"found {other}: rename it to {method}"):
            getattr(problem, method)(*([None] * (3 if method == "separation_oracle" else 2)))
    own = type("Own", (Problem,), {"encode": len, "task": len, "size": 3})
    assert "found" not in missing(own(), method)
    inherited = type("Heir", (type("Base", (), {"inference": len}), Problem), {})
    assert "found inference: rename it to decode" in missing(inherited(), "decode")


OWN = {*vars(Multilabel()), *vars(Multilabel), *vars(toy_problems.BruteForce)}
OPTIONAL = {name for name in dir(Problem) if name[0] != "_"} - {*OWN, *dir(HasParameters)}


@pytest.mark.parametrize("name", sorted(OPTIONAL))
def test_a_misspelt_optional_name_is_noted_in_a_fit(name):
    middle = len(name) // 2
    twisted = name[:middle] + name[middle + 1] + name[middle] + name[middle + 2 :]
    for other in (name[:-1], name + "_", twisted)[: 3 if len(name) > 6 else 2]:
        problem = type("Own", (Multilabel,), {other: None})()
        note = f"^Own.{other} is not in the contract: is {name} meant.$"
        with pytest.warns(UserWarning, match=note):
            OneSlackCuttingPlane(max_iter=1).solve(problem, *multilabel_data(0, 4))


def test_names_of_other_programs_for_optional_methods_are_noted():
    own = type("Own", (LatentProblem, Multilabel), {"latent": None, "batch_decode": None})
    assert misspelt_names(own, frozenset()) == [
        "Own.batch_decode is not in the contract: is task meant?",
        "Own.latent is not in the contract: is complete meant?",
    ]


def test_no_name_of_a_right_problem_is_noted():
    kinds = {kind for module in (problems, toy_problems, correct_problems)
             for kind in vars(module).values()
             if inspect.isclass(kind) and issubclass(kind, Problem)
             and kind.joint_feature is not Problem.joint_feature}  # fmt: skip
    helpers = (
        "losses", "scores", "features", "encode", "labels", "n_labels", "weights", "costs",
        "predict", "score", "outputs_of", "decode_all", "edges", "graph", "cost", "trained",
    )  # fmt: skip
    assert len(kinds) > 30
    for kind in kinds:
        own = type("Own", (kind,), dict.fromkeys(helpers))
        assert not misspelt_names(own, frozenset()), kind
