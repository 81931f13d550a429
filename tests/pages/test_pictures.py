"""Every picture of the pages is drawn by a function, and every one drawn is shown."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_pictures_are_drawn_and_shown():
    code = "from docs.pictures.__main__ import pictures; print(*pictures())"
    drawn = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    pages = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), *DOCS.glob("gallery/*/*.py")]
    pages += [ROOT / "README.md"]
    shown = set(re.findall(r"_static/([\w-]+)\.png", "".join(page.read_text() for page in pages)))
    assert shown == set(drawn.stdout.split())
    assert shown == {path.stem for path in (DOCS / "_static").glob("*.png")}
