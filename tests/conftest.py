"""Settings: property tests draw the same examples in CI, and ``make test`` takes samples."""

import os
from collections import Counter

import pytest
from hypothesis import settings

for name, derandomize in (("own", False), ("ci", True)):
    settings.register_profile(name, derandomize=derandomize, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "own")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark as slow all cases of a test but every n-th where the test is marked ``sampled(n)``."""
    seen = Counter()
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            (n,), test = mark.args, item.nodeid.partition("[")[0]
            if seen[test] % n:
                item.add_marker("slow")
            seen[test] += 1
