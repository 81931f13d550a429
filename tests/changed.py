"""Print the tests of the files that differ from a commit, by default the last on main.

python tests/changed.py [COMMIT]
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The tests of what is no library.
OTHERS = {"docs": Path("tests/pages"), "benchmarks": Path("tests/experiments")}


def tests_of(path):
    """A test itself, or a file with its examples and the nearest folder of its tests."""
    if path.parts[0] == "tests":
        return {path} if path.name.startswith("test_") else set()
    if path.parts[0] in OTHERS:
        return {OTHERS[path.parts[0]]}
    if path.suffix != ".py" or path.parts[0] not in ("structsvm", "problems"):
        return set()
    inside = path.parent if path.parts[0] == "problems" else path.parent.relative_to("structsvm")
    folders = (Path("tests", folder) for folder in (inside, *inside.parents) if folder.parts)
    return {path} | {next((folder for folder in folders if (ROOT / folder).is_dir()), path)}


def differing(commit):
    """The files that differ from a commit, and those that git does not know."""
    commands = ("diff", "--name-only", commit), ("ls-files", "--others", "--exclude-standard")
    for command in commands:
        printed = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=True
        )
        yield from map(Path, printed.stdout.splitlines())


if __name__ == "__main__":
    commit = sys.argv[1] if len(sys.argv) > 1 else "main"
    found = {test for path in differing(commit) for test in tests_of(path)}
    print(*sorted(str(test) for test in found if (ROOT / test).exists()))
