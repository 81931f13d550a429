"""What pages show that is made from the code.

Figures of the results and lists of estimators stand in their pages, and contract.txt and llms.txt
beside the pages, to be there on a plain view of the repository; tests compare them. After a change

    python -m docs.writers

writes them, and the type stub of the problems. The others are included when the site is built.
"""

from pathlib import Path

from . import (
    contract,
    defaults,
    families,
    figures,
    lists,
    llms,
    measurements,
    problem_classes,
    solvers,
    versions,
)

FOLDER = Path(__file__).parents[1] / "generated"
MODULES = (defaults, measurements, problem_classes, solvers, versions)


def write():
    """Write the text of each module to docs/generated, where the pages include it from."""
    FOLDER.mkdir(exist_ok=True)
    for module in MODULES:
        name = module.__name__.rpartition(".")[2]
        (FOLDER / f"{name}.txt").write_text(module.text())


def stored():
    """The path of each file that is stored, and its text."""
    yield families.STUB, families.stub()
    yield from figures.pages()
    yield from lists.pages()
    for module in (contract, llms):
        yield module.STORED, module.text()


def store():
    """Write the files that are stored."""
    for path, text in stored():
        path.write_text(text)


def publish(folder):
    """Write them into the folder of the site, with links to its pages."""
    (folder / contract.STORED.name).write_text(contract.text())
    (folder / llms.STORED.name).write_text(llms.text(".html"))
