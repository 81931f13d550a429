"""Call everything public with bad arguments, and count how that ends.

``python -m benchmarks.robustness.fuzz [--count 10000] [--seed 0] [--only NAME] [--first 0]``

A case calls one estimator or function with one to three bad arguments. It ends well with a result
that makes sense, or with an error of a documented type (docs/conventions.md); it ends badly with
another error, after more than 20 seconds of CPU time, with a crash of the interpreter, with more
than three warnings or any RuntimeWarning, or with NaN for a result. Cases run in a process of their
own, which is replaced after a crash. A case depends on the seed and its number alone:
``--first N --count 1 --verbose`` repeats one.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import os
import random
import re
import resource
import select
import signal
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.report import report
from benchmarks.robustness._pools import Pool
from benchmarks.robustness._targets import PLAIN, Insane, Target, targets
from structsvm import ProblemError

#: CPU seconds after which a case counts as a hang.
LIMIT = 20
#: Seconds of wall time after which its process is killed.
PATIENCE = 180
#: Bytes of memory that a case may have.
MEMORY = 8 * 2**30
#: Warnings of one case, at most.
WARNINGS = 3
#: The documented error types; those of structsvm are ValueErrors.
DOCUMENTED = (ValueError, TypeError, OSError, ImportError)
#: ValueErrors by inheritance that say nothing of the argument.
ACCIDENTS = (np.linalg.LinAlgError, np.exceptions.AxisError, UnicodeError)
#: Probability of an argument, and of a value, that has more to it than its type and range.
SPECIAL = 0.8
#: Outcomes that are failures.
FAILURES = ("undocumented", "hang", "crash", "flood", "insane")


class Hang(BaseException):
    """Raised by the alarm; no Exception, so that nothing takes it for an error of a problem."""


def drawn(seed: int, number: int, everything: list[Target]) -> tuple[Target, dict[str, str]]:
    """The target of a case, and the names of its bad arguments."""
    rng = random.Random(f"{seed}/{number}")
    target = rng.choice(everything)
    count = rng.choices((1, 2, 3), (80, 15, 5))[0]
    special = [name for name, pool in target.pools.items() if pool.keys() - PLAIN.keys()]
    among = special if special and rng.random() < SPECIAL else list(target.pools)
    chosen = sorted(rng.sample(sorted(among), min(count, len(among))))
    return target, {name: rng.choice(_some(target.pools[name], rng)) for name in chosen}


def _some(pool: Pool, rng: random.Random) -> list[str]:
    """The keys of a pool, or mostly those of values that were made for it: they get further."""
    special = sorted(pool.keys() - PLAIN.keys())
    return special if special and rng.random() < SPECIAL else sorted(pool)


def ended(target: Target, bad: dict[str, str]) -> dict[str, Any]:
    """How a case ended: its outcome, the type of the error, and where it came from."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        given = {name: make() for name, make in target.good.items()}
        given |= {name: target.pools[name][key]() for name, key in bad.items()}
    found: dict[str, Any] = {"outcome": "result", "type": "", "message": "", "place": ""}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            target.call(given)
        except Hang as error:
            found = _described("hang", error)
        except Insane as error:
            found = _described("insane", error)
        except Exception as error:
            documented = isinstance(error, DOCUMENTED) and not isinstance(error, ACCIDENTS)
            found = _described("error" if documented else "undocumented", error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    kinds = Counter(f"{w.category.__name__}: {w.message!s:.80}" for w in warned)
    numerical = [w for w in warned if issubclass(w.category, RuntimeWarning)]
    if found["outcome"] in ("result", "error") and (numerical or len(warned) > WARNINGS):
        first = (numerical or warned)[0]
        found |= {
            "outcome": "flood", "message": f"{dict(kinds)} {found['message']}",
            "place": _place(first.filename, first.lineno),
        }  # fmt: skip
    return found


def _described(outcome: str, error: BaseException) -> dict[str, Any]:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return {
        "outcome": outcome, "type": type(error).__name__, "message": f"{error!s:.300}",
        "place": _place(last.filename, last.lineno), "by design": _is_by_design(error, last),
    }  # fmt: skip


def _place(filename: str, line: int | None) -> str:
    """A line of a file, by its path in the clone, in its package or in Python's library."""
    path = re.sub(r"^.*/(site-packages|python3\.\d+)/", "", filename)
    return f"{path.removeprefix(os.getcwd() + '/')}:{line}"


def _is_by_design(error: BaseException, last: traceback.FrameSummary) -> bool:
    """Whether a check of structsvm or scikit-learn raised it, and not an operation by accident."""
    accident = type(error) is ProblemError and " raised " in str(error)
    ours = any(part in last.filename for part in ("/structsvm/", "/problems/", "/sklearn/"))
    return ours and not accident and "raise" in (last.line or "")


# ---------------------------------------------------------------------- the process of the cases


def work(seed: int, numbers: range, only: str, verbose: bool) -> None:
    """Run cases, and print a line before and after each."""
    everything = [target for target in targets() if only in target.name]
    signal.signal(signal.SIGPROF, _raise_hang)
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


def _raise_hang(number: int, frame: Any) -> None:
    raise Hang(f"more than {LIMIT} s of CPU time")


# ---------------------------------------------------------------------- the process that counts


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
    # The path of this process: first on that of ``-m``, the folder would hide an installed package.
    code = f"import sys; sys.path[:] = {sys.path}; from {__spec__.name} import main; main()"
    script = [sys.executable, "-c", code, "--worker", "--only", only]
    which = [f"--seed={seed}", f"--first={numbers.start}", f"--count={len(numbers)}"]
    with subprocess.Popen(
        script + which, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
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


def main() -> int:
    parser = argparse.ArgumentParser(description="Call everything public with bad arguments.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", default="", help="part of the name of what to call")
    parser.add_argument("--verbose", action="store_true", help="print every case, in this process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.worker or args.verbose:
        work(args.seed, numbers, args.only, args.verbose)
        return 0
    found = []
    for case in cases(args.seed, args.first, args.count, args.only):
        found.append(case)
        if case["outcome"] in FAILURES:
            print(case["number"], case["outcome"], case["target"], case["bad"], case["type"],
                  case["place"], case["message"][:200], flush=True)  # fmt: skip
    tables = _tables(found)
    if args.only or args.first or args.count < 10_000:
        for title, rows in tables.items():
            print(title, *rows, sep="\n")
    else:
        report("robustness/fuzz", tables)
    return int(any(case["outcome"] in FAILURES for case in found))


def _tables(found: list[dict[str, Any]]) -> dict[str, Any]:
    outcomes = Counter(case["outcome"] for case in found)
    errors = Counter(case["type"] for case in found if case["outcome"] == "error")
    chance = Counter(
        f"{case['type']} at {case['place']}" for case in found
        if case["outcome"] == "error" and not case["by design"]
    )  # fmt: skip
    return {
        "Outcomes": [
            {"outcome": o, "cases": outcomes[o]} for o in ("result", "error", *FAILURES)
        ],
        "Errors by type": [{"type": t, "cases": n} for t, n in errors.most_common()],
        "Errors that no check raised, the ten most frequent": [
            {"place": t, "cases": n}
            for t, n in [("all", sum(chance.values())), *chance.most_common(10)]
        ],
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
