"""What an installation must contain; a module that is forgotten shows only in a wheel."""

import configparser
import json
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import distribution, version
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import structsvm
from structsvm.command_line.main import main
from structsvm.compiled import available

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


#: Made in the tree by building, testing and documenting, never part of an archive.
GENERATED = (
    "build/lib/made.py", "docs/_build/made.md", "docs/_tables/made.txt",
    "docs/generated/made.rst", "demo-made.png",
)  # fmt: skip


@pytest.fixture(scope="module")
def config():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with an sdist of a copy of the tree, and a wheel that was built from the sdist."""
    out = tmp_path_factory.mktemp("out")
    tree = shutil.copytree(
        ROOT,
        tmp_path_factory.mktemp("copy") / "tree",
        ignore=shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist"),
    )
    for name in GENERATED:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    build("sdist", tree, out)
    (sdist,) = out.glob("*.tar.gz")
    shutil.unpack_archive(sdist, tree / "unpacked")
    (unpacked,) = (tree / "unpacked").iterdir()
    build("wheel", unpacked, out)
    return out


def build(kind, folder, out):
    code = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True)


def python(code, folder, **environment):
    """What some code prints that runs in a folder."""
    command = [sys.executable, "-c", code]
    return subprocess.check_output(command, cwd=folder, env=os.environ | environment, text=True)


def test_the_installation_has_the_version_the_command_and_the_types():
    assert version("structured-svm") == structsvm.__version__
    commands = distribution("structured-svm").entry_points.select(group="console_scripts")
    assert commands["structsvm"].load() is main
    assert files("structsvm").joinpath("py.typed").is_file()


def test_wheel_and_sdist_have_the_name_and_the_packages(built):
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    stem = f"structured_svm-{structsvm.__version__}"
    assert sdist.name == f"{stem}.tar.gz" and wheel.name.startswith(f"{stem}-")
    names = set(ZipFile(wheel).namelist())
    kernels = [name for name in names if Path(name).suffix in (".so", ".pyd")]
    assert sorted(Path(name).name.partition(".")[0] for name in kernels) == available()
    expected = {
        (folder / path.relative_to(ROOT)).as_posix()
        for top, folder in (("structsvm", Path()), ("problems", Path("structsvm")))
        for path in (ROOT / top).rglob("*.py")
    }
    assert expected | {"structsvm/py.typed", "structsvm/problems/__init__.pyi"} <= names
    assert {name.split("/")[0] for name in names} == {"structsvm", f"{stem}.dist-info"}


def test_sdist_holds_the_tree(built):
    """All that tests, documentation and benchmarks need, and nothing that was generated."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, which says what belongs to the tree")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    tree = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = {member.name.partition("/")[2] for member in archive if member.isfile()}
    by_setuptools = {name for name in members if name == "PKG-INFO" or ".egg-info/" in name}
    of_host = {name for name in tree if any(part[0] == "." for part in Path(name).parts)}
    assert members - by_setuptools == {*tree} - of_host


@pytest.mark.parametrize("where", ["clone", "elsewhere"])
def test_an_installed_wheel_finds_its_problems(where, built, tmp_path):
    """In the root of a clone Python takes the clone's structsvm, and problems/ beside it."""
    (wheel,) = built.glob("*.whl")
    site, folder = tmp_path / "site", ROOT if where == "clone" else tmp_path
    shutil.unpack_archive(wheel, site, format="zip")
    expected = ROOT / "problems" if where == "clone" else site / "structsvm" / "problems"
    code = (
        "from structsvm.problems import MMC; import structsvm.problems; "
        "print(structsvm.problems.__file__)"
    )
    assert Path(python(code, folder, PYTHONPATH=str(site)).strip()).parent == expected


def test_the_recipe_says_what_setup_cfg_says(config):
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    metadata, options = config["metadata"], config["options"]
    assert recipe["package"]["name"] == metadata["name"]
    assert recipe["context"]["version"] == structsvm.__version__
    assert recipe["about"]["license"] == metadata["license"]
    assert recipe["about"]["summary"] == metadata["description"]
    python = f"python{options['python_requires']}"
    run = [python, *options["install_requires"].split()]
    assert [line.replace(" ", "") for line in recipe["requirements"]["run"]] == run
    host = [line.replace(" ", "") for line in recipe["requirements"]["host"]]
    assert host[:2] == [python, "pip"]
    assert f"requires = {json.dumps(host[2:])}\n" in (ROOT / "pyproject.toml").read_text()


def test_import_is_light_and_works_from_elsewhere(tmp_path):
    """The problems come under structsvm's name; nothing heavy comes but what scikit-learn loads.

    A folder structsvm without __init__.py, as a clone is one, is not taken for the package.
    """
    (tmp_path / "structsvm" / "structsvm").mkdir(parents=True)
    heavy = {"cvxopt", "dask", "highspy", "matplotlib", "networkx", "pandas", "polars", "torch"}
    heavy |= {"hypothesis", "problems", "pytest", "structsvm.command_line.demo"}
    code = (
        "import sys, sklearn; before = set(sys.modules); import structsvm.displays; "
        "from structsvm.problems import *; import structsvm; print(structsvm.__file__, "
        f"*({heavy} & ({{*sys.modules}} - before)))"
    )
    assert python(code, tmp_path).split() == [structsvm.__file__]
