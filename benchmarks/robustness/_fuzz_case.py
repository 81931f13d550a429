"""One case of the fuzz: the call that a seed and a number draw, and how it ends."""

from __future__ import annotations

import os
import random
import re
import signal
import traceback
import warnings
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.robustness._pool import Pool
from benchmarks.robustness._pool_anything import PLAIN
from benchmarks.robustness._target import Insane, Target
from structsvm import ProblemError

#: CPU seconds after which a case counts as a hang.
LIMIT = 20
#: Warnings of one case, at most.
WARNINGS = 3
#: The documented error types; those of structsvm are ValueErrors.
DOCUMENTED = (ValueError, TypeError, OSError, ImportError)
#: ValueErrors by inheritance that say nothing of the argument.
ACCIDENTS = (np.linalg.LinAlgError, np.exceptions.AxisError, UnicodeError)
#: Probability of an argument, and of a value, that has more to it than its type and range.
SPECIAL = 0.8


class Hang(BaseException):
    """Raised by the alarm; no Exception, so that nothing takes it for an error of a problem."""


def raise_hang(number: int, frame: Any) -> None:
    raise Hang(f"more than {LIMIT} s of CPU time")


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
