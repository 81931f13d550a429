"""Run scripts: ``python -m benchmarks sequences/tags``, a folder of them, or all."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.experiment import run

FOLDER = Path(__file__).parent


def scripts() -> list[str]:
    """The names of all scripts."""
    paths = sorted(path for path in FOLDER.glob("*/[!_]*.py") if "EXPERIMENTS" in path.read_text())
    return [str(path.relative_to(FOLDER).with_suffix("")) for path in paths]


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
    run(chosen[0], arguments.only, arguments.missing, arguments.briefly)


if __name__ == "__main__":
    main()
