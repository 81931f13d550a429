"""Draw sentences of the docstrings and the pages, to be read aloud.

python -m docs.sentences SEED [COUNT]

prints COUNT sentences, 60 by default, the same for the same seed and the same words. Each sentence
stands after its page and heading, or after its file and the class, function or parameter that it
describes. A reader who did not write them counts those that need a second reading.
"""

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = "structsvm", "problems"
NAMED = ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
#: The guide, as readers see it: with the numbers of the benchmarks in their places.
PAGES = [
    path
    for folder in ("", "appendix", "papers")
    for path in sorted((ROOT / "docs" / folder).glob("*.md"))
]
#: Shorter ones say too little to be judged.
LEAST_WORDS = 5

#: The sections of a docstring that list parameters, values and errors.
LIST = re.compile(
    r"^(?:(?:Other )?Parameters|Attributes|Methods|Returns|Yields|Raises|Warns)\n-+\n"
)
SECTION = re.compile(r"^[A-Z][A-Za-z ]+\n-+\n")
#: Blocks that are no prose: code, tables made by directives, formulas and comments.
BLOCK = re.compile(r"^(`{3,}).*?^\1$|\$\$.*?\$\$|<!--.*?-->", re.DOTALL | re.MULTILINE)
#: Tags, and lines of directives.
MARKUP = re.compile(r"<[^>]*>|^:.*$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ROLE = re.compile(r"[:{][\w:]+[:}]`~?(?:structsvm\.)?([^`<]*?)(?: ?<[^>]*>)?`")
EMPHASIS = re.compile(r"\*+(?=\w)|(?<=[\w.])\*+")
#: The end of a sentence, but not an initial.
END = re.compile(r"(?<![ (][A-Z]\.)(?<=[.!?])\s+(?=[A-Z`'\"(])")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """The paragraphs of the docstrings of a module, each after what the paragraph describes."""
    waiting = [("", ast.parse(path.read_text(encoding="utf-8")))]
    for inside, node in waiting:
        for child in ast.iter_child_nodes(node):
            name = getattr(child, "name", "") if isinstance(child, NAMED) else ""
            waiting.append((f"{inside}.{name}".strip(".") if name else inside, child))
        if isinstance(node, (ast.Module, *NAMED)) and (text := ast.get_docstring(node)):
            for section in re.split(r"\n\n(?=[A-Z][A-Za-z ]+\n-{3,}\n)", text):
                for name, paragraph in entries(section):
                    yield " ".join(filter(None, (inside, name))), paragraph


def entries(section: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a section of a docstring, each after the name of its entry."""
    listed, name = LIST.match(section), ""
    for paragraph in SECTION.sub("", section).split("\n\n"):
        if not paragraph.lstrip().startswith(">>>"):
            for part in re.split(r"\n(?=\S)", paragraph) if listed else [paragraph]:
                if listed and part[0] != " ":
                    head, _, part = part.partition("\n")
                    name = head.split(" : ")[0]
                yield name, part


def paragraphs_of_page(path: Path) -> Iterator[tuple[str, str]]:
    """The paragraphs and the items of lists of a page, each after its heading."""
    text, heading = MARKUP.sub("", BLOCK.sub("\n\n", path.read_text(encoding="utf-8"))), ""
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("#"):
            heading = f"({paragraph.strip('# ')})"
        elif not paragraph.startswith(("    ", "|", "%")):
            for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", paragraph):
                yield heading, re.sub(r"^\s*(?:[-*]|\d+\.) ", "", item.strip())


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, on one line each, without markup."""
    lines = (line.strip() for line in paragraph.splitlines())
    text = " ".join(line for line in lines if not line.startswith((">>>", "...")))
    for sentence in END.split(LINK.sub(r"\1", ROLE.sub(r"\1", text))):
        if len(sentence.split()) >= LEAST_WORDS:
            yield EMPHASIS.sub("", sentence.strip())


def all_sentences() -> list[str]:
    """All sentences, after the file and the name to which they belong."""
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
