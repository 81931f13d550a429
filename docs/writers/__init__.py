"""What pages show that is made from the code.

The table of estimators stands in its page, and contract.txt and llms.txt beside the pages, so that
they are there on a plain view of the repository; tests compare them. After a change

    python -m docs.writers

writes the two files. The others are included when the site is built.
"""

from pathlib import Path

from . import contract, defaults, llms, measurements, problem_classes, solvers, versions

FOLDER = Path(__file__).parents[1] / "generated"
MODULES = (defaults, measurements, problem_classes, solvers, versions)


def write():
    """Write the text of each module to docs/generated, where the pages include it from."""
    FOLDER.mkdir(exist_ok=True)
    for module in MODULES:
        name = module.__name__.rpartition(".")[2]
        (FOLDER / f"{name}.txt").write_text(module.text())


def store():
    """Write the files that are stored beside the pages."""
    for module in (contract, llms):
        module.STORED.write_text(module.text())


def publish(folder):
    """Write them into the folder of the site, with links to its pages."""
    (folder / contract.STORED.name).write_text(contract.text())
    (folder / llms.STORED.name).write_text(llms.text(".html"))
