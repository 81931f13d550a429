"""The command ``structsvm``: what it prints and with which status it ends."""

import inspect
import re
import runpy
import subprocess
import sys
import textwrap

import pytest

import structsvm
import structsvm.problems
from structsvm.command_line import versions
from structsvm.command_line.main import main

SOUND = """
    from structsvm import Problem

    class Sign(Problem):
        def joint_feature(self, x, y):
            return [x * y]

        def loss(self, y, y_hat):
            return float(y != y_hat)

        def separation_oracle(self, x, y, w):
            return max((-1, 1), key=lambda label: self.loss(y, label) + w[0] * x * label)

        def decode(self, x, w):
            return max((-1, 1), key=lambda label: w[0] * x * label)

    class WithData(Sign):
        @staticmethod
        def example_data():
            return [0.5, -1.0, 2.0], [1, -1, 1]

    class Faulty(WithData):
        def loss(self, y, y_hat):
            return 1.0

    class Demanding(Sign):
        def __init__(self, size):
            self.size = size

    def data():
        return WithData.example_data()

    def three():
        return 1, 2, 3

    def nothing():
        return [], []

    not_a_class = 3
"""


BUNDLED = [
    name
    for name in structsvm.problems.__all__
    if inspect.isclass(kind := getattr(structsvm.problems, name))
    and issubclass(kind, structsvm.Problem)
]


@pytest.fixture(autouse=True)
def path_as_before(monkeypatch):
    """``check`` puts the current folder first on the path, where later tests must not find it."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module called ``mine`` in the current directory, forgotten afterwards."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(SOUND))
    (tmp_path / "broken.py").write_text("undefined_name\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in ("mine", "broken"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("source", ["data", "WithData.example_data"])
def test_check_of_a_sound_problem(module, capsys, source):
    assert main(["check", "mine:Sign", "--data", f"mine:{source}"]) == 0
    assert "checks passed" in capsys.readouterr().out


def test_checks_are_listed_on_request_alone(module, capsys):
    assert main(["check", "mine:WithData"]) == 0
    assert "not applicable" not in capsys.readouterr().out
    assert main(["check", "mine:WithData", "--verbose"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    passed = [line.split()[1] for line in lines if line.startswith("  passed ")]
    assert lines[0] == f"WithData: {len(passed)} checks passed" and "loss_is_valid" in passed
    assert "  not applicable  soft_oracle_is_consistent" in lines
    assert "call" in err  # the progress bar


def test_versions_and_a_missing_package(capsys, monkeypatch):
    monkeypatch.setattr(versions, "DISTRIBUTIONS", ("scikit-learn", "torch", "no-such-one"))
    assert main(["versions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = dict(line.split(maxsplit=1) for line in lines)
    assert found["structsvm"] == structsvm.__version__ and found["scikit-learn"][0].isdigit()
    assert {"Python", "platform", "torch"} <= found.keys()
    assert "threads: " in found["BLAS"] and found["no-such-one"] == "not installed"


@pytest.mark.parametrize(
    ("extra", "shown"),
    [([], "cut short by max_seconds: "), (["--verbose"], "\n  cut short       ")],
)
def test_the_time_may_be_limited(module, capsys, extra, shown):
    assert main(["check", "mine:WithData", "--max-seconds", "1e-6", *extra]) == 0
    assert shown in capsys.readouterr().out


def test_check_names_the_fault(module, capsys):
    assert main(["check", "mine:Faulty", "--max-examples", "2"]) == 1
    assert "loss(y, y) must be 0; it is 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent:Sign"], "cannot import absent: ModuleNotFoundError: No module named 'absent'"),
        (["broken:Sign"], "cannot import broken: NameError: name 'undefined_name' is not defined"),
        (["mine:Absent"], "the module mine has no Absent; it has Sign, "),
        (["mine"], "expected module:name, such as my_module:MyProblem; got 'mine'"),
        (["mine:not_a_class"], "mine:not_a_class is not a subclass of structsvm.Problem"),
        (["mine.py:Sign"], "mine.py is a file; give its module without .py, in its folder"),
        (["mine:Demanding"], "is missing a required argument: 'size'; give it a default"),
        (["mine:Sign", "--data", "mine:Sign.absent"], "the module mine has no Sign.absent"),
        (["mine:Sign"], "no data: give --data module:function, or Sign an example_data()"),
        (["mine:Sign", "--data", "mine:three"], "must return a tuple (X, Y); it returned (1, 2"),
        (["mine:Sign", "--data", "mine:not_a_class"], "mine:not_a_class() failed: TypeError: "),
        (["mine:Sign", "--data", "mine:nothing"], "cannot check Sign: ValueError: X is empty"),
        (["mine:WithData", "--max-examples=0"], "max_examples must be an integer >= 1; got 0"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(module, capsys, arguments, message):
    refused(["check", *arguments], message, capsys)


def refused(arguments, message, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_the_example_data_of_a_bundled_problem_pass(name):
    limits = ["--max-examples=2", "--max-seconds=0.3"]  # more: tests/laws/test_problems.py
    assert main(["check", f"structsvm.problems:{name}", *limits]) == 0


@pytest.mark.parametrize(
    ("file", "name"),
    [("my_problem.py", "MyProblem"), ("in/aB_c.py", "ABC")],
)
def test_a_new_problem_keeps_the_contract_and_trains(tmp_path, monkeypatch, capsys, file, name):
    (tmp_path / "in").mkdir()
    path = tmp_path / file
    monkeypatch.chdir(tmp_path)
    assert main(["new", file]) == 0
    check = ["check", f"{path.stem}:{name}"]
    assert f"structsvm {' '.join(check)}\n  python {path.name}\n" in capsys.readouterr().out
    monkeypatch.chdir(path.parent)
    assert main([*check, "--max-examples=3"]) == 0
    assert capsys.readouterr().out.startswith(f"{name}: 17 checks passed")
    del sys.modules[path.stem]
    runpy.run_path(path.name, run_name="__main__")
    out, err = capsys.readouterr()
    assert err == "" and "CONVERGED" in out
    # Nothing found is right at two of three positions.
    assert float(out.split()[-3]) > 0.8
    assert name == "MyProblem" or not re.search("MyProblem|my_problem", path.read_text())


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("mine.py", "mine.py exists already; choose another name, or remove it"),
        ("absent/my_problem.py", "there is no folder absent; create it first"),
        ("mine.py/my_problem.py", "cannot write mine.py/my_problem.py: NotADirectoryError: "),
        ("my_problem.txt", "expected a file name such as my_problem.py; got 'my_problem.txt'"),
        ("", "expected a file name such as my_problem.py; got '.'"),
        ("my-problem.py", "'my-problem' cannot be the name of a module; try my_problem.py"),
        ("_.py", "'_' cannot be the name of a module"),
        ("class.py", "'class' cannot be the name of a module"),
        ("numpy.py", "'numpy' is a name of Python or of an installed module"),
    ],
)
def test_a_new_problem_is_refused(module, tmp_path, capsys, file, message):
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    refused(["new", file], message, capsys)
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["new"], ["check", "a:B", "--max-seconds=soon"]]
)
def test_unknown_arguments_are_refused(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: structsvm" in capsys.readouterr().err


@pytest.mark.slow
def test_as_a_module_from_elsewhere(module):
    command = [sys.executable, "-m", "structsvm"]
    printed = subprocess.check_output([*command, "--version"], text=True)
    assert printed == f"structsvm {structsvm.__version__}\n"
    check = subprocess.run([*command, "check", "mine:Faulty"], capture_output=True, text=True)
    assert (check.returncode, check.stderr) == (1, "")
