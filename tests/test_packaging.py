"""What an installation must hold; a package forgotten in setup.cfg shows only in a wheel."""

import configparser
import subprocess
import sys
from importlib.metadata import entry_points, version
from importlib.resources import files
from pathlib import Path

import pytest

import structsvm
from structsvm.__main__ import main

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def options():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    return config["options"]


def test_every_package_is_listed(options):
    folders = {
        path.parent.relative_to(ROOT).parts
        for top in ("structsvm", "problems")
        for path in (ROOT / top).rglob("__init__.py")
    }
    names = {".".join(parts).replace("problems", "structsvm.problems", 1) for parts in folders}
    assert set(options["packages"].split()) == names


def test_version_is_that_of_the_installation():
    assert version("structsvm") == structsvm.__version__


def test_command_is_installed():
    (command,) = entry_points(group="console_scripts", name="structsvm")
    assert command.load() is main


def test_types_are_shipped():
    assert files("structsvm").joinpath("py.typed").is_file()


def test_import_is_light_and_works_from_elsewhere(tmp_path):
    """The problems come under structsvm's name; matplotlib and the demo are not loaded."""
    code = (
        "import sys, structsvm.problems; "
        "print(*{'problems', 'matplotlib', 'structsvm.demo'} & sys.modules.keys())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []
