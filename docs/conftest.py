"""The pages import the example files, as a reader does who works in their folder."""

from pathlib import Path

import pytest

#: Run by Sphinx, or made by it; what is made from sources is tested.
collect_ignore = [
    "conf.py",
    "gallery_style.py",
    "absolute_links.py",
    "pictures",
    "writers",
    "sources",
    "gallery",
    "auto_gallery",
    "_build",
]

#: Packages without which a page is skipped.
PACKAGES = {"networks.md": "torch", "toulbar2.md": "pytoulbar2", "or_tools.md": "ortools"}


@pytest.fixture(autouse=True)
def in_the_examples_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = Path(__file__).parent / "examples"
    monkeypatch.syspath_prepend(examples)
    monkeypatch.chdir(examples)


@pytest.fixture(autouse=True)
def with_what_the_page_needs(request: pytest.FixtureRequest) -> None:
    if package := PACKAGES.get(request.path.name):
        pytest.importorskip(package, reason=f"{package} is not installed")
