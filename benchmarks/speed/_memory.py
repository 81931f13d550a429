"""How much memory this process holds."""

from __future__ import annotations

import resource
from pathlib import Path


def resident() -> float:
    """The memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
