"""All outputs of the examples, as the problem enumerates them."""

from __future__ import annotations

from itertools import islice
from typing import Any

from structsvm.check.copies import key
from structsvm.check.findings import short
from structsvm.check.raised import attempted
from structsvm.check.subject import Subject
from structsvm.contract.capabilities import offers

#: Outputs that are enumerated at most, over all examples and labels: it bounds time and memory.
MAX_OUTPUTS = 10_000
#: The note where no outputs are listed.
NOT_OFFERED = (
    "outputs(x) is not offered, so oracles were compared only with what calls returned; offer it "
    "for a stricter test on small inputs"
)


def enumerated(subject: Subject, most_labels: int) -> list[list[Any]]:
    """All outputs of each example; empty if there are too many or they are not offered.

    All of them are measured against each label that an example has had, at most ``most_labels``.
    """
    n = subject.calls.n
    listed: list[list[Any]] = [[] for _ in range(n)]
    if not offers(subject.problem, "outputs"):
        subject.notes.append(NOT_OFFERED)
        return listed
    room = MAX_OUTPUTS // most_labels
    for i in range(n):
        # One more than there is room for shows that there are too many.
        found = _outputs(subject, i, room + 1)
        if found is None:
            subject.notes.append(NOT_OFFERED)
            return [[] for _ in range(n)]
        if len(found) <= room:
            listed[i], room = found, room - len(found)
    if missing := sum(not found for found in listed):
        subject.notes.append(
            f"{missing} of {n} examples have too many outputs to enumerate; use smaller inputs for "
            "a stricter test"
        )
    return listed


def _outputs(subject: Subject, i: int, most: int) -> list[Any] | None:
    """The first outputs of example i, at most ``most``.

    An empty list after an error; None where the problem says that it cannot list them.
    """
    calls = subject.calls
    # It may be a generator, which raises its exceptions where it is read.
    found, error = attempted(lambda: list(islice(calls.call("outputs", i, calls.x[i]), most)))
    if isinstance(error and error.__cause__, NotImplementedError):
        return None
    if error:
        calls.errors.append(calls.finding("outputs", error, i))
        return []
    keys = [key(output) for output in found]
    if not found:
        calls.report("outputs", i, "it enumerates nothing; the true y is an output too")
    elif any(output is None for output in found):
        calls.report("outputs", i, "it enumerates None, which is no output")
    elif len(set(keys)) < len(keys):
        twice = next(output for k, output in enumerate(found) if keys[k] in keys[:k])
        message = f"it enumerates {short(twice)} more than once; every output must come once"
        calls.report("outputs", i, message)
    return list(dict(zip(keys, found, strict=True)).values())
