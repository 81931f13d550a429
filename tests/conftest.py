"""Settings: property tests draw the same examples in CI; ``make test`` and quick take samples."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

for name, derandomize in (("own", False), ("ci", True)):
    settings.register_profile(name, derandomize=derandomize, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "own")


LAWS = Path(__file__).parent / "laws"


def pytest_addoption(parser):
    parser.addoption(
        "--laws", type=int, default=1, metavar="N", help="every N-th case of tests/laws"
    )
    parser.addoption(
        "--case", action="append", default=[], metavar="NAME", help="leave out no sample of these"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items, config):
    """Mark as slow all cases of a test but every n-th where the test is marked ``sampled(n)``.

    With ``--laws N`` every N-th of what is left of tests/laws stays. Cases named by ``--case`` are
    not marked.
    """
    seen = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        n = mark.args[0] if mark else 1
        if item.path.is_relative_to(LAWS):
            n *= config.getoption("--laws")
        test, _, case = item.nodeid.partition("[")
        if seen[test] % n and not any(name in case for name in config.getoption("--case")):
            item.add_marker("slow")
        seen[test] += 1
