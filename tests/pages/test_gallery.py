"""The gallery shows an estimator of each guide, and its examples run wherever they are copied.

Examples that do not need PyTorch are run by the site, which tests/pages/test_site.py builds.
"""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

import structsvm.problems

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("plot_*.py"))
#: What the extras [plot] and [docs] bring, and PyTorch.
INSTALLED = {
    "matplotlib", "networkx", "numpy", "pandas", "scipy", "sklearn", "structsvm", "torch",
}  # fmt: skip
#: The estimators of each guide.
GUIDES = {"latent.md": {"LatentSVM"}}
for name in structsvm.problems.__all__:
    if about := getattr(getattr(structsvm.problems, name), "about", None):
        GUIDES.setdefault(about.page.partition("#")[0], set()).add(name)
#: The site runs all others.
UNRUN = [path for path in EXAMPLES if "import torch" in path.read_text()]


def test_every_guide_has_an_example():
    nodes = [node for path in EXAMPLES for node in ast.walk(ast.parse(path.read_text()))]
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    assert [page for page, kinds in GUIDES.items() if not kinds & called] == []


def test_examples_import_only_what_readers_have():
    for path in EXAMPLES:
        names = {*re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.MULTILINE)}
        assert names - sys.stdlib_module_names <= INSTALLED, path


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what a run warns of, readers see
@pytest.mark.parametrize("path", UNRUN, ids=lambda path: path.stem)
def test_an_example_runs_in_an_empty_folder_and_stored_output_is_its_own(
    path, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("torch", reason="torch is not installed")
    source = path.read_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "copied.py").write_text(source)
    runpy.run_path("copied.py", run_name="__main__")
    assert [*tmp_path.iterdir()] == [tmp_path / "copied.py"]
    printed = capsys.readouterr().out.splitlines()
    stored = re.findall(r"^#    (.*\d.*)$", source.partition("code-block:: none")[2], re.MULTILINE)
    for pair in zip(stored, printed, strict=True):
        line, found = (re.sub(r"[\d.]+", "", text) for text in pair)
        assert line == found
        line, found = (float(re.search(r"[\d.]+", text)[0]) for text in pair)
        # Seeds of PyTorch do not promise the same network on another machine.
        assert line == pytest.approx(found, rel=0.2)


def test_the_configuration_knows_every_section_and_no_card_is_a_placeholder():
    """What the site does not run shows a stored picture, on its card too."""
    configuration = (GALLERY.parent / "conf.py").read_text()
    for header in GALLERY.glob("*/GALLERY_HEADER.rst"):
        assert f'"{header.parent.name}"' in configuration, header.parent.name
    (unrun,) = re.findall(r'"filename_pattern": "/plot_\(\?!(.*)\)"', configuration)
    assert {path for path in EXAMPLES if re.match(f"plot_({unrun})", path.stem)} == {*UNRUN}
    for path in UNRUN:
        card, shown = re.findall(r"_static/[\w-]+\.png", path.read_text())
        assert card == shown and (GALLERY.parent / card).is_file()
