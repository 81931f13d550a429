"""Draw sentences of the docstrings and the pages, to be read aloud.

python -m docs.sentences SEED [COUNT]

prints COUNT sentences, 60 by default, the same for the same seed and the same words. A reader who
did not write them counts those that need a second reading.
"""

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = "structsvm", "problems"
#: The guide, as readers see it: with the numbers of the benchmarks in their places.
PAGES = [
    path
    for folder in ("", "appendix", "papers")
    for path in sorted((ROOT / "docs" / folder).glob("*.md"))
]
#: Shorter ones say too little to be judged.
LEAST_WORDS = 5

SECTION = re.compile(r"^\s*(?:-{3,}|={3,})$")
#: A parameter with its type, or the name of a section.
HEADING = re.compile(r"^\s*(?:[\w*, .]+ : .*|[\w*]+(?:, [\w*]+)*|[A-Z][a-z]+)$")
#: Blocks that are no prose: code, tables made by directives, formulas and comments.
BLOCK = re.compile(r"^(`{3,}).*?^\1$|\$\$.*?\$\$|<!--.*?-->", re.DOTALL | re.MULTILINE)
#: Tags, and lines of directives.
MARKUP = re.compile(r"<[^>]*>|^:.*$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ROLE = re.compile(r"[:{][\w:]+[:}]`~?(?:structsvm\.)?([^`<]*?)(?: ?<[^>]*>)?`")
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'\"(])")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """The paragraphs of the docstrings of a module, with the names of what they describe."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            name = getattr(node, "name", "")
            for paragraph in text.split("\n\n"):
                lines = paragraph.splitlines()
                if not lines[0].lstrip().startswith(">>>"):
                    yield name, "\n".join(lines)


def paragraphs_of_page(path: Path) -> Iterator[tuple[str, str]]:
    """The paragraphs and the items of lists of a page."""
    text = MARKUP.sub("", BLOCK.sub("\n\n", path.read_text(encoding="utf-8")))
    for paragraph in re.split(r"\n\s*\n", text):
        if not paragraph.startswith("    ") and not paragraph.lstrip().startswith(("#", "|", "%")):
            for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", paragraph):
                yield "", re.sub(r"^\s*(?:[-*]|\d+\.) ", "", item.strip())


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, on one line each, without markup."""
    kept: list[list[str]] = [[]]
    for line in paragraph.splitlines():
        if SECTION.match(line) or HEADING.match(line) or line.lstrip().startswith((">>>", "...")):
            kept.append([])
        else:
            kept[-1].append(line.strip())
    for lines in kept:
        text = LINK.sub(r"\1", ROLE.sub(r"\1", " ".join(lines))).replace("*", "")
        for sentence in END.split(text):
            if len(sentence.split()) >= LEAST_WORDS:
                yield sentence.strip()


def all_sentences() -> list[str]:
    """All sentences, after the file and the name that they are from."""
    found = []
    modules = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    pages = [ROOT / "README.md", *PAGES]
    for paths, paragraphs in (modules, docstrings), (pages, paragraphs_of_page):
        for path in paths:
            for name, paragraph in paragraphs(path):
                where = f"{path.relative_to(ROOT)} {name}".strip()
                found += [f"{where}: {sentence}" for sentence in sentences(paragraph)]
    return found


if __name__ == "__main__":
    seed, count = (*map(int, sys.argv[1:]), 60)[:2]
    drawn = random.Random(seed).sample(all_sentences(), count)
    sys.stdout.write("\n".join(f"{i}. {each}" for i, each in enumerate(drawn, 1)) + "\n")
