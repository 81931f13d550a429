"""What an installation must contain; a package forgotten in setup.cfg shows only in a wheel."""

import configparser
import shutil
import subprocess
import sys
from importlib.metadata import distribution, version
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

import structsvm
from structsvm.__main__ import main

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with an sdist of a copy of the tree, and a wheel that was built from the sdist."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("out")
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    for name in ("structsvm", "problems"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    build("sdist", tree, out)
    (sdist,) = out.glob("*.tar.gz")
    shutil.unpack_archive(sdist, tree / "unpacked")
    (unpacked,) = (tree / "unpacked").iterdir()
    build("wheel", unpacked, out)
    return out


def build(kind, folder, out):
    code = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True)


def test_version_is_that_of_the_installation():
    assert version("structured-svm") == structsvm.__version__


def test_command_is_installed():
    commands = distribution("structured-svm").entry_points.select(group="console_scripts")
    assert commands["structsvm"].load() is main


def test_wheel_and_sdist_have_the_name_and_the_packages(built):
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    stem = f"structured_svm-{structsvm.__version__}"
    assert sdist.name == f"{stem}.tar.gz"
    assert wheel.name == f"{stem}-py3-none-any.whl"
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {
        f"structsvm/{package}/{path.name}".replace("/./", "/")
        for top, package in ((ROOT / "structsvm", "."), (ROOT / "problems", "problems"))
        for path in top.glob("*.py")
    }
    assert expected | {"structsvm/py.typed"} <= names
    assert {name.split("/")[0] for name in names} == {"structsvm", f"{stem}.dist-info"}


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


def test_python_in_the_folder_above_a_clone_finds_the_package(tmp_path):
    """A folder structsvm without __init__.py, as a clone is one, must not be taken for it."""
    (tmp_path / "structsvm" / "structsvm").mkdir(parents=True)
    code = "import structsvm, structsvm.problems; print(structsvm.__file__)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(run.stdout.strip()) == Path(structsvm.__file__)
