"""Cases of the fuzz in a process of their own, which is replaced after a crash."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.robustness._fuzz_case import drawn, ended, raise_hang
from benchmarks.robustness._targets import targets

#: Seconds of wall time after which its process is killed.
PATIENCE = 180
#: Bytes of memory that a case may have.
MEMORY = 8 * 2**30


def work(seed: int, numbers: range, only: str, verbose: bool) -> None:
    """Run cases, and print a line before and after each."""
    everything = [target for target in targets() if only in target.name]
    signal.signal(signal.SIGPROF, raise_hang)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    out = os.fdopen(os.dup(1), "w", buffering=1)
    for number in numbers:
        target, bad = drawn(seed, number, everything)
        print(json.dumps({"number": number, "target": target.name, "bad": bad}), file=out)
        with contextlib.redirect_stdout(sys.stderr):
            found = ended(target, bad)
        print(json.dumps(found), file=out)
        if verbose:
            print(number, target.name, bad, found, file=sys.stderr)


def cases(seed: int, first: int, count: int, only: str = "") -> Iterator[dict[str, Any]]:
    """Every case with how it ended."""
    number, last = first, first + count
    while number < last:
        start = number
        for case in _until_a_crash(seed, range(number, last), only):
            number = case["number"] + 1
            yield case
        if number == start:
            raise RuntimeError("the worker ended before its first case; run it with --verbose")


def _until_a_crash(seed: int, numbers: range, only: str) -> Iterator[dict[str, Any]]:
    # With the path of this process: if the folder came first, it would hide an installed package.
    path = f"import sys; sys.path[:] = {sys.path}"
    code = f"{path}; from {__name__} import work; work({seed}, {numbers}, {only!r}, False)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        lines = _lines(process.stdout.fileno())
        while (line := next(lines)) is not None:
            case = json.loads(line)
            line = next(lines)
            if line is not None:
                yield case | json.loads(line)
                continue
            hung = False
            try:
                signal_number = process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                hung = True
                process.kill()
            yield case | {
                "outcome": "hang" if hung else "crash", "type": "", "place": "",
                "message": "killed" if hung else f"ended with {signal_number}",
            }  # fmt: skip
            return


def _lines(descriptor: int) -> Iterator[bytes | None]:
    """Lines of a pipe; None at its end, or where none comes for a long time."""
    rest = b""
    while True:
        while b"\n" in rest:
            line, rest = rest.split(b"\n", 1)
            yield line
        ready, _, _ = select.select([descriptor], [], [], PATIENCE)
        more = os.read(descriptor, 1 << 16) if ready else b""
        if not more:
            yield None
        rest += more
