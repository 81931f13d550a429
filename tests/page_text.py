"""The pages of the documentation and the stored results that their figures come from."""

from pathlib import Path

from benchmarks.store import stored

DOCS = Path(__file__).parents[1] / "docs"


def text_of(page):
    """A page with its line breaks as spaces, such as ``text_of("appendix/speed.md")``."""
    return " ".join((DOCS / page).read_text().split())


def rows_by(results, title, key):
    """The rows of a stored table by one of their columns."""
    return {row[key]: row for row in stored(results)[title]}
