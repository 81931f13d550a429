"""Print arguments for pytest: the tests of what differs from a commit, by default the last on main.

python tests/changed.py [COMMIT]

Where there is no branch main, as in a clone of another branch, origin/main takes its place.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The tests of what is no library.
OTHERS = {"docs": Path("tests/pages"), "benchmarks": Path("tests/experiments")}
#: Where pages with examples are, and where the bugs that are planted for the checker.
PAGES = "docs", "README.md", "CONTRIBUTING.md"
PLANTED = Path("benchmarks/robustness/_planted")


def git(*command):
    """The lines that a command prints; none where it fails."""
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines()


def last_on_main():
    """The branch main of the clone, or else of where it came from."""
    for name in ("main", "origin/main"):
        if git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return name
    sys.exit("no branch main to compare with; name a commit: python tests/changed.py COMMIT")


def tests_of(path):
    """A test itself, or a file with its examples and the nearest folder of its tests."""
    if path.parts[0] == "tests":
        return {path} if path.name.startswith("test_") else set()
    if path.suffix == ".md" and path.parts[0] in PAGES and path.parts[1:2] != ("sources",):
        return {path, OTHERS["docs"]}
    if path.is_relative_to(PLANTED):
        return {OTHERS["benchmarks"], Path("tests/check/test_planted.py")}
    if path.parts[0] in OTHERS:
        return {OTHERS[path.parts[0]]}
    if path.suffix not in (".py", ".pyx") or path.parts[0] not in ("structsvm", "problems"):
        return set()
    inside = path.parent if path.parts[0] == "problems" else path.parent.relative_to("structsvm")
    folders = (Path("tests", folder) for folder in (inside, *inside.parents) if folder.parts)
    own = {path} if path.suffix == ".py" else set()
    return own | {next((folder for folder in folders if (ROOT / folder).is_dir()), path)}


def new_cases(commit):
    """The options that run all laws of each case that a table of tests/cases has since."""
    lines = "\n".join(git("diff", "--unified=0", commit, "--", "tests/cases"))
    return [f"--case={name}" for name in re.findall(r'^\+ +"([\w-]+)":', lines, re.MULTILINE)]


if __name__ == "__main__":
    commit = sys.argv[1] if len(sys.argv) > 1 else last_on_main()
    files = git("diff", "--name-only", commit) + git("ls-files", "-o", "--exclude-standard")
    tests = {test for file in files for test in tests_of(Path(file)) if (ROOT / test).exists()}
    print(*new_cases(commit), *sorted(map(str, tests)))
