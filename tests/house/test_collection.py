"""Modules imported to collect the tests come with the extras that ``make test`` installs."""

import ast
import re
import runpy
import sys
from configparser import ConfigParser
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = runpy.run_path(str(ROOT / "conftest.py"))
#: Packages that no command installs: a test that asks for one is skipped without it.
NEVER_INSTALLED = {
    "gurobipy", "ortools", "pycrfsuite", "pyepo", "ray", "skmultilearn", "transformers", "ultrack",
}  # fmt: skip


def brought():
    """Names under which the requirements of the package, of [plot] and of [test] are imported."""
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg")
    extras = parser["options.extras_require"]
    lines = parser["options"]["install_requires"] + extras["plot"] + extras["test"]
    # With the extras in brackets, such as dask[distributed]: names of packages, or of nothing.
    required = {normal(name) for name in re.findall(r"[\w-]+(?=.*>)", lines)}
    installed = packages_distributions().items()
    return {name for name, owners in installed if required & {*map(normal, owners)}}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def collected(testpaths):
    """The Python files that pytest imports, but for those that need a package named in conftest."""
    ignored = runpy.run_path(str(ROOT / "docs" / "conftest.py"))["collect_ignore"]
    unneeded = [f"docs/{name}*" for name in ignored] + [
        path for paths in CONFTEST["NEEDING"].values() for path in paths
    ]
    for path in (path for top in testpaths for path in (ROOT / top).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if not any(fnmatch(name, pattern) for pattern in unneeded):
            yield path


def imported(path):
    """Other packages that a file imports when it is loaded."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def ours():
    """Names of modules and folders of the tree that tests import by themselves."""
    folders = [ROOT, ROOT / "tests", ROOT / "docs", ROOT / "docs" / "examples"]
    return {path.stem for folder in folders for path in folder.iterdir()}


def missing(paths):
    known = brought() | ours() | sys.stdlib_module_names
    found = {path: {*imported(path)} - known for path in paths}
    return {str(path): names for path, names in found.items() if names}


def test_collection_imports_nothing_that_make_test_does_not_install(pytestconfig):
    paths = [*collected(pytestconfig.getini("testpaths"))]
    assert len(paths) > 500
    assert not missing(paths)


def test_an_import_that_make_test_does_not_install_is_named(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text("import os\nimport numpy\nfrom docutils import nodes\nimport sphinx.addnodes")
    assert missing([path]) == {str(path): {"docutils", "sphinx"}}


def test_make_test_all_runs_what_make_test_skips_for_a_missing_package():
    pattern = re.compile(r"(?:importorskip|find_spec)\(\s*\"(\w+)")
    known = brought() | NEVER_INSTALLED
    for path in (ROOT / "tests").rglob("*.py"):
        code = path.read_text()
        names = {*pattern.findall(code)} - known
        if names and path.name.startswith("test_"):
            slow = "pytestmark = pytest.mark.slow" in code
            assert slow or CONFTEST["is_optional"](path), (path, names)
