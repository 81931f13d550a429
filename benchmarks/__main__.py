"""Run scripts: ``python -m benchmarks sequences/tags``, a folder of them, or all."""

from __future__ import annotations

import argparse
import importlib
import runpy
import subprocess
import sys
from pathlib import Path

from benchmarks.experiment import run

FOLDER = Path(__file__).parent


def scripts() -> list[str]:
    """The names of all scripts."""
    paths = sorted(path for path in FOLDER.glob("*/[!_]*.py") if path.parent.name != "tables")
    run_by = ("EXPERIMENTS", 'if __name__ == "__main__"')
    texts = {str(path.relative_to(FOLDER).with_suffix("")): path.read_text() for path in paths}
    return [name for name, text in texts.items() if any(part in text for part in run_by)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="FOLDER/SCRIPT or FOLDER; all by default")
    parser.add_argument("--only", nargs="+", metavar="TITLE", default=[], help="of some tables")
    parser.add_argument("--missing", action="store_true", help="rows that the results lack alone")
    parser.add_argument("--briefly", action="store_true", help="one data set; nothing is kept")
    arguments = parser.parse_args()
    names = [f"{name.strip('/')}/" for name in arguments.names]
    chosen = [name for name in scripts() if not names or f"{name}/".startswith(tuple(names))]
    if not chosen:
        parser.error(f"no such script; there are {', '.join(scripts())}")
    if len(chosen) > 1:  # each has a process of its own
        options = [option for option in sys.argv[1:] if option in ("--briefly", "--missing")]
        for name in chosen:
            subprocess.run([sys.executable, "-m", "benchmarks", name, *options], check=True)
        return
    module = f"benchmarks.{chosen[0].replace('/', '.')}"
    if hasattr(importlib.import_module(module), "EXPERIMENTS"):
        run(chosen[0], arguments.only, arguments.missing, arguments.briefly)
    else:
        sys.argv[1:] = []
        runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main()
