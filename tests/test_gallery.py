"""The gallery shows an estimator of each guide, and its examples run wherever they are copied."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import structsvm.problems

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
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


@pytest.fixture(scope="module")
def called():
    """The names that the examples call."""
    nodes = [node for path in EXAMPLES for node in ast.walk(ast.parse(path.read_text()))]
    return {
        node.func.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


@pytest.mark.parametrize("page", GUIDES)
def test_every_guide_has_an_example(page, called):
    assert GUIDES[page] & called, f"no example in docs/gallery makes one of {GUIDES[page]}"


each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@each_example
def test_an_example_imports_only_what_readers_have(path):
    names = {*re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.MULTILINE)}
    assert names - sys.stdlib_module_names <= INSTALLED


@pytest.mark.slow
@each_example
def test_an_example_runs_in_an_empty_folder_and_stored_output_is_its_own(path, tmp_path):
    source = path.read_text()
    if "import torch" in source:
        pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "copied.py").write_text(source)
    environment = os.environ | {"MPLBACKEND": "Agg"}
    command = [sys.executable, "copied.py"]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert [*tmp_path.iterdir()] == [tmp_path / "copied.py"]
    stored = re.findall(r"^#    (.*\d.*)$", source.partition("code-block:: none")[2], re.MULTILINE)
    for line, printed in zip(stored, run.stdout.splitlines() if stored else (), strict=True):
        words, others = (re.sub(r"[\d.]+", "", text) for text in (line, printed))
        assert words == others
        numbers = [float(re.search(r"[\d.]+", text)[0]) for text in (line, printed)]
        # Seeds of PyTorch do not promise the same network on another machine.
        assert numbers[0] == pytest.approx(numbers[1], rel=0.2)


def test_no_card_of_the_gallery_is_a_placeholder():
    """What the site does not run shows a stored picture, on its card too."""
    configuration = (GALLERY.parent / "conf.py").read_text()
    (unrun,) = re.findall(r'"filename_pattern": "/plot_\(\?!(.*)\)"', configuration)
    assert {path for path in EXAMPLES if re.match(f"plot_({unrun})", path.stem)} == {
        path for path in EXAMPLES if "import torch" in path.read_text()
    }
    for path in EXAMPLES:
        if "import torch" in path.read_text():
            card, shown = re.findall(r"_static/[\w-]+\.png", path.read_text())
            assert card == shown and (GALLERY.parent / card).is_file()


def test_every_section_is_in_the_configuration():
    configuration = (GALLERY.parent / "conf.py").read_text()
    for header in GALLERY.glob("*/GALLERY_HEADER.rst"):
        assert f'"{header.parent.name}"' in configuration, header.parent.name
