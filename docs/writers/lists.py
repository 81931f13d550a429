"""The tables and lists of estimators that stand in pages, from what each declares: ``about``."""

import re
from pathlib import Path

from structsvm import Problem, solvers

from . import estimators, llms
from .families import exported
from .table import two_columns

DOCS = Path(__file__).parents[1]
#: The sections of "Find your estimator" and of the reference.
SECTIONS = (
    "Sequences and trees", "Classes, sets of labels, rankings", "Graphs, matchings, decisions",
    "Clusters",
)  # fmt: skip
TABLE = r"(?:\|.*\n)+"
NAMES = r"(?<=:nosignatures:\n\n)(?:   \w+\n)+"


def pages():
    """The text of each page with its lists made anew, by its path."""
    tasks = {section: table_of_tasks(section) for section in SECTIONS}
    names = {section: listed(section) for section in SECTIONS}
    names["Problems of the estimators"] = listed(None)
    names["Solvers"] = "".join(f"   {name}\n" for name in solvers.__all__)
    abilities = {"What each estimator can do": estimators.text()}
    yield replaced("problems", TABLE, tasks)
    yield replaced("measures", TABLE, {"Measures for structured outputs": table_of_scores()})
    yield replaced("estimators", rf"{TABLE}\nProblems whose .*\n", abilities)
    yield replaced("api", NAMES, names)


def replaced(page, pattern, texts):
    """The path of a page, and its text with what the pattern first finds under each heading."""
    path = DOCS / f"{page}.md"
    page = path.read_text()
    for heading, text in texts.items():
        under = page.index(f"# {heading}\n")
        page = page[:under] + re.sub(pattern, lambda _, text=text: text, page[under:], count=1)
    return path, page


def abouts(section=None):
    """The estimators of a section, or of all, with what they declare."""
    kinds = [kind for names in exported().values() for kind in names.values()]
    found = [(kind, kind.about) for kind in kinds if hasattr(kind, "about")]
    unknown = {about.section for _, about in found} - {*SECTIONS}
    assert not unknown, f"{unknown}: the sections are {SECTIONS}"
    return [(kind, about) for kind, about in found if section in (None, about.section)]


def table_of_tasks(section):
    rows = [(about.predicts, entry(kind, about)) for kind, about in abouts(section)]
    return two_columns("You predict", "Estimator, and its data", rows)


def entry(kind, about):
    """The name of an estimator, its data, and a link to its guide."""
    page, _, anchor = about.page.partition("#")
    headings = re.findall(r"^#+ (.*)$", llms.source(page.removesuffix(".md")), re.MULTILINE)
    title = next(h for h in headings if not anchor or llms.anchor(h) == anchor)
    lines = estimators.reference(kind), f"X: {about.X}", f"y: {about.y}"
    return "<br>".join([*lines, f"[→ {title.partition(': `')[0]}]({about.page})"])


def table_of_scores():
    rows = [(f"`{kind.__name__}`", about.score) for kind, about in abouts() if about.score]
    return two_columns("Estimator", "`score`, and more", rows)


def listed(section):
    """The public names of the families in a section but their problems; of None the problems."""
    families = {kind.__module__.split(".")[2] for kind, _ in abouts(section)}
    found = [
        name
        for family, names in exported().items() if family in families
        for name, kind in sorted(names.items(), key=lambda item: not hasattr(item[1], "about"))
        if is_problem(kind) == (section is None)
    ]  # fmt: skip
    return "".join(f"   {name}\n" for name in found)


def is_problem(kind):
    return isinstance(kind, type) and issubclass(kind, Problem)
