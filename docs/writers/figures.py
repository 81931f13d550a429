"""Figures of the stored results in sentences: docs/sources/NAME.md makes docs/NAME.md.

A source has one block ``{figures}`` of Python, which names rows of benchmarks/results and asserts
what the page says in words. In its text ``{fig}`EXPRESSION | FORMAT` `` is a figure: an expression
of these names in a format of Python, or with ``.3p``, which is ``.3f`` without the zero before the
point. The page has a comment in the place of the block.
"""

import re
import traceback
from pathlib import Path

import numpy as np

from benchmarks.averages import averaged, grouped
from benchmarks.store import stored
from benchmarks.tables.pages import TABLES

DOCS = Path(__file__).parents[1]
SOURCES = DOCS / "sources"
#: The pages that are not in docs/, by their sources.
ELSEWHERE = {"README.md": DOCS.parent / "README.md", "paper.md": DOCS.parent / "paper/paper.md"}
BLOCK = re.compile(r"^```\{figures\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r"\{fig\}`([^`]+)`")
COMMENT = "<!-- Made from {} by python -m docs.writers -->"


class FigureError(ValueError):
    """A figure that cannot be made, or a claim that the results do not support."""


class Rows(list):
    """Rows of a table. ``rows["CPU s"]`` is a column, as an array."""

    def __getitem__(self, key):
        if isinstance(key, str):
            return np.array([row[key] for row in self])
        return super().__getitem__(key)

    def where(self, **values):
        """The rows with these values."""
        found = [row for row in self if all(row[key] == value for key, value in values.items())]
        if not found:
            raise LookupError(f"no row has {values}")
        return Rows(found)

    def one(self, **values):
        """The only row with these values."""
        found = self.where(**values)
        if len(found) > 1:
            raise LookupError(f"{len(found)} rows have {values}")
        return found[0]

    def by(self, key):
        """The rows by the value of a column, which differs from row to row."""
        found = {row[key]: row for row in self}
        if len(found) < len(self):
            raise LookupError(f"several rows have the same {key!r}")
        return found


def rows(results, title, **values):
    """The rows of a table of results, or those with some values."""
    tables = stored(results)
    if title not in tables:
        have = f"has {', '.join(map(repr, tables))}" if tables else "is not there"
        raise LookupError(f"no table {title!r}: benchmarks/results/{results}.json {have}")
    return Rows(tables[title]).where(**values)


def table(name):
    """The rows of a table of the pages, as they are shown."""
    return Rows(TABLES[name].rows())


def mean(values):
    return float(np.mean(values))


def pages():
    """The path and the text of each page that has a source."""
    for source in sorted(SOURCES.rglob("*.md")):
        name = source.relative_to(SOURCES).as_posix()
        yield ELSEWHERE.get(name, DOCS / name), rendered(source.read_text(), f"docs/sources/{name}")


def rendered(text, source):
    """The text of a page, whose source is named in errors."""
    names = {
        "rows": rows, "table": table, "mean": mean, "grouped": grouped, "averaged": averaged,
        "stored": stored,
    }  # fmt: skip
    (block,) = BLOCK.finditer(text)
    lines_before = text[: block.start(1)].count("\n")
    compiled = compile("\n" * lines_before + block[1], source, "exec")
    try:
        exec(compiled, names)
    except Exception as error:
        line = [frame.lineno for frame in frames(error) if frame.filename == source][-1]
        raise fault(source, text.splitlines()[line - 1].strip(), error) from error

    def figure(role):
        expression, _, form = role[1].partition(" | ")
        try:
            value = eval(expression, names)
            if isinstance(value, float) and not form and value != round(value, 3):
                raise ValueError(f"{value} needs a format, such as .2f, after ' | '")
            return shown(value, form)
        except Exception as error:
            raise fault(source, role[0], error) from error

    made = ROLE.sub(figure, BLOCK.sub(COMMENT.format(source), text))
    if left := re.search(r"\{fig[^}\n]*\}?", made):
        raise FigureError(f"{source}: {left[0]} is no figure; write {{fig}}`EXPRESSION | FORMAT`")
    return made


def shown(value, form):
    if form.endswith("p"):
        return format(value, form[:-1] + "f").removeprefix("0")
    return format(value, form)


def frames(error):
    """The frames that an error went through."""
    return traceback.extract_tb(error.__traceback__)


def fault(source, where, error):
    return FigureError(f"{source}: {where}: {type(error).__name__} {error}")


def without_comment(text):
    """The text of a page without the comment on its source."""
    return re.sub(r"\A<!-- Made from .*\n", "", text)
