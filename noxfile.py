"""Sessions of nox: the tests with every Python and with the oldest dependencies, and the rest.

Words after ``--`` are the arguments of pytest: ``nox --session oldest -- tests/solvers``.
"""

import configparser
from pathlib import Path

import nox

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PYTEST = ("pytest", "-n", "auto", "--dist", "loadfile")

nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests with the newest dependencies that a Python has."""
    session.install("--upgrade", "--upgrade-strategy", "eager", ".[plot,test]")
    session.run(*PYTEST, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The tests with the oldest dependencies that setup.cfg allows, and the oldest Python."""
    config = configparser.ConfigParser()
    config.read(Path(__file__).parent / "setup.cfg")
    bounds = config["options"]["install_requires"] + config["options.extras_require"]["plot"]
    # scikit-learn 1.6 reads names of columns by a protocol that polars 2 does not have.
    session.install(".[plot,test]", "polars<2", *bounds.replace(">=", "==").split())
    session.run(*PYTEST, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session
def lint(session: nox.Session) -> None:
    """The linter, the layout of the code and the type checker."""
    session.install("--editable", ".[plot,test]")  # mypy reads problems where they are
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation, warnings being errors."""
    session.install(".[plot,docs]")
    session.run("sphinx-build", "-W", "--keep-going", "docs", "docs/_build/html")
