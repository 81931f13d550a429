"""Run scripts: ``python -m benchmarks sequences/tags``, a folder of them, or all."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.experiment import experiments, run

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
    for name in names:
        if not any(f"{script}/".startswith(name) for script in scripts()):
            parser.error(f"no script {name[:-1]}; there are {', '.join(scripts())}")
    chosen = [name for name in scripts() if not names or f"{name}/".startswith(tuple(names))]
    if len(chosen) > 1 and arguments.only:
        parser.error(f"--only is for one script, and these are {', '.join(chosen)}")
    if len(chosen) > 1:  # each has a process of its own
        options = [option for option in sys.argv[1:] if option in ("--briefly", "--missing")]
        for name in chosen:
            subprocess.run([sys.executable, "-m", "benchmarks", name, *options], check=True)
        return
    titles = [experiment.title for experiment in experiments(chosen[0])]
    if unknown := [title for title in arguments.only if title not in titles]:
        parser.error(f"no table {unknown[0]!r}; the titles are {', '.join(map(repr, titles))}")
    run(chosen[0], arguments.only, arguments.missing, arguments.briefly)


if __name__ == "__main__":
    main()
