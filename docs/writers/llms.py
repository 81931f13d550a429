"""The pages in the order of the table of contents, each with its first sentence: llms.txt."""

import configparser
import re
from pathlib import Path
from posixpath import dirname, join, normpath

from .figures import without_comment

DOCS = Path(__file__).parents[1]
STORED = DOCS / "llms.txt"
HEAD = """# structsvm

> {description}. Estimators have `fit`, `predict` and `score`, as in scikit-learn; results say how
> far training is from its optimum.

Install it with `pip install .` in a clone (Python 3.10 or newer, BSD licence). Examples that run
are in the folder gallery. The contract of a problem of one's own, in one file:
[contract.txt](contract.txt)
"""


def text(suffix=".md"):
    """A section for each entry of the first page, whose links end in the suffix."""
    config = configparser.ConfigParser()
    config.read(DOCS.parent / "setup.cfg")
    head = HEAD.format(**config["metadata"])
    return "\n".join([head, *(section(page, name, suffix) for page, name in entries("index"))])


def section(page, name, suffix):
    lines = [line(other, suffix) for other in below(page)]
    return "\n".join([f"## {name or title(page)}\n", *lines, ""])


def below(page):
    """A page and all under it, in order."""
    return [page, *(other for entry, _ in entries(page) for other in below(entry))]


def entries(page):
    """The pages and names that the tables of contents of a page list."""
    tables = re.findall(r"^```\{toctree\}\n(.*?)^```", source(page), re.MULTILINE | re.DOTALL)
    lines = [row for table in tables for row in table.splitlines() if row and row[0] != ":"]
    named = [re.fullmatch(r"(?:(.*) <)?([\w/.]+?)>?", row).groups() for row in lines]
    found = [(normpath(join(dirname(page), other)), name) for name, other in named]
    return [(other, name) for other, name in found if (DOCS / f"{other}.md").exists()]


def line(page, suffix):
    return f"- [{title(page)}]({page}{suffix}): {first_sentence(page)}"


def source(page):
    text = without_comment((DOCS / f"{page}.md").read_text())
    included = re.match(r"```\{include\} (\S+)", text)
    return (DOCS / included[1]).read_text() if included else text


def anchor(heading):
    """The part of a link that leads to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def title(page):
    return source(page).partition("\n")[0].removeprefix("# ")


def first_sentence(page):
    """The first sentence under the title, as plain text."""
    paragraphs = source(page).split("\n\n")[1:]
    prose = next((part for part in paragraphs if re.match(r"[\w`\[{]", part)), "")
    plain = re.sub(r"\{\w+\}`[~\w.]*?(\w+)`", r"`\1`", " ".join(prose.split()))
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    return re.match(r".*?[.?](?= |$)|.*", plain)[0].rstrip(":")
