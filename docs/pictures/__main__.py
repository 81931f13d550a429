"""Draw pictures of the pages into docs/_static.

    python -m docs.pictures                   # all
    python -m docs.pictures similarity links  # some

The public functions of the modules beside this file are the pictures, by their names with hyphens.
Each is at most WIDTH inches wide, so that its text can be read on a telephone, and has a
transparent ground and grey text, which a light and a dark page both show (site.mplstyle). Some
need files of others in the folder named by the environment variable STRUCTSVM_DATA; most show
results of the benchmarks.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib import style

HERE = Path(__file__).parent
STATIC = HERE.parent / "_static"
#: Inches.
WIDTH = 5.0


def pictures() -> dict[str, Callable[[], Any]]:
    """Every picture by its name."""
    found = {}
    for info in pkgutil.iter_modules([str(HERE)]):
        if info.name == "__main__":
            continue
        module = importlib.import_module(f"docs.pictures.{info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                found[name.replace("_", "-")] = function
    return found


def main() -> None:
    known = pictures()
    for name in sys.argv[1:] or known:
        with style.context(HERE / "site.mplstyle"):
            figure = known[name]()
            if figure.get_figwidth() > WIDTH:
                raise ValueError(f"{name} is {figure.get_figwidth()} inches wide; at most {WIDTH}")
            figure.savefig(STATIC / f"{name}.png")


if __name__ == "__main__":
    main()
