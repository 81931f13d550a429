"""The check of all examples, where other checks read a few: lengths, NaN, losses of 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.calls import as_numbers
from structsvm.check.closeness import ROUNDING
from structsvm.check.copies import own
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.data.containers import n_examples
from structsvm.exceptions import ProblemError

#: Largest number of examples that are measured, evenly spread.
MOST = 2000
#: Largest number of entries in their joint features together.
NUMBERS = 2e7


def every_truth_is_measured(evidence: Evidence) -> Iterator[Finding]:
    """The joint feature of every true output has the length of w, and its loss is 0."""
    if evidence.self_labelled:
        return  # imputing labels for all takes too long
    n, size = n_examples(evidence.X), evidence.calls.size
    most = min(n, MOST, max(1, int(NUMBERS / size)))
    others = sorted(set(np.linspace(0, n - 1, most).astype(int).tolist()) - {*evidence.index})
    for i in evidence.progress.trials(others):
        x, y = own(evidence.X[i]), own(evidence.Y[i])
        for method, shape, arguments in (
            ("joint_feature", (size,), (x, y)),
            ("loss", (), (y, y)),
        ):
            try:
                value = as_numbers(method, evidence.calls.attempt(method, *arguments), shape)
            except ProblemError as error:
                finding = evidence.calls.finding(method, error)
                yield finding._replace(example=i, case=f"y is {short(y)}")
                continue
            if method == "loss" and abs(value) > ROUNDING * evidence.largest_loss:
                yield Finding(method, i, f"loss(y, y) must be 0; it is {value:g}")
