"""How the tables of the pages were measured: the docstrings of the scripts, by page."""

import ast
import re
from pathlib import Path

from benchmarks.tables.pages import TABLES

from .figures import without_comment

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
#: Results that have not the name of their script.
ELSEWHERE = {"speed/race": "from_benchopt", "speed/qp": "from_benchopt"}


def text():
    """A section for each page with tables, and in it a paragraph for each script."""
    return "\n".join(
        f"## {title(page)}\n\n[The page](../{page.relative_to(DOCS)})\n\n{described(scripts)}"
        for page in pages()
        if (scripts := scripts_of(page))
    )


def pages():
    """The pages in alphabetical order, the appendix last."""
    return [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "appendix").glob("*.md"))]


def title(page):
    return without_comment(page.read_text()).partition("\n")[0].removeprefix("# ")


def scripts_of(page):
    """The scripts whose results a page shows, each once."""
    tables = re.findall(r"\{include\} \S*_tables/([\w-]+)\.txt", page.read_text())
    names = [name for table in tables for name in TABLES[table].results]
    return list(dict.fromkeys(ELSEWHERE.get(name, name) for name in names))


def described(scripts):
    return "\n".join(f"### benchmarks/{name}.py\n\n{docstring(name)}\n" for name in scripts)


def docstring(name):
    return ast.get_docstring(ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text()))
