"""Memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def resident() -> float:
    """The memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def forget_peak() -> None:
    """Let :func:`peak_since` measure from now on; Linux only."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_since() -> float:
    """The most memory held since :func:`forget_peak`, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def peak() -> float:
    """The most memory that this process has held, in GB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
