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


@pytest.fixture(autouse=True)
def in_the_examples_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = Path(__file__).parent / "examples"
    monkeypatch.syspath_prepend(examples)
    monkeypatch.chdir(examples)


@pytest.fixture(autouse=True)
def with_what_the_page_needs(request: pytest.FixtureRequest) -> None:
    if request.path.name == "networks.md":
        pytest.importorskip("torch", reason="torch is not installed")
