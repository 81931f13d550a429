"""The checks that Y and the methods hold outputs, where outputs(x) can prove that they do not."""

from __future__ import annotations

from collections.abc import Iterator

from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.subject import TRUTH
from structsvm.contract.capabilities import oracle_is_exact


def true_outputs_are_listed(evidence: Evidence) -> Iterator[Finding]:
    """Every true output is one of outputs(x)."""
    if evidence.self_labelled:
        return  # its true outputs are imputed: see results_are_outputs
    for i, pool in enumerate(evidence.pools[0]):
        if pool is not None and pool.origins[:1] == [TRUTH] and pool.outside[0]:
            yield Finding(
                "outputs",
                evidence.calls.name(i),
                f"the true y, {short(pool.outputs[0])}, is none of outputs(x), which must "
                "enumerate all outputs; if they are complete, this y is not an output of x",
            )


def results_are_outputs(evidence: Evidence) -> Iterator[Finding]:
    """Every output that a method returned is one of outputs(x).

    An output is recognised by its loss and its joint feature, since it may have several forms. A
    decoder beside an oracle that is not exact may return relaxed outputs. Where several searches
    return what outputs(x) does not list, the list is incomplete.
    """
    found = list(_outside(evidence))
    searches = {finding.method for finding in found} & set(evidence.searches)
    if len(searches) < 2:
        yield from found
        return
    for finding in found:
        message = (
            f"it leaves out outputs that {' and '.join(sorted(searches))} return; it must "
            "enumerate all outputs"
        )
        yield finding._replace(method="outputs", message=message)


def _outside(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each returned output that is not in outputs(x)."""
    name = evidence.calls.name
    relaxed = ", declare oracle_quality = 'overgenerating' if you search a relaxation"
    for pools, visit in zip(evidence.pools, evidence.visits, strict=True):
        for i, pool in enumerate(pools):
            if pool is None or not pool.outside.any():
                continue
            searches = [
                (method, visit.found[method][i])
                for method in evidence.searches
                if method != "decode" or oracle_is_exact(evidence.problem)
            ]
            rows = [(m, pool.rows.get(entry[0], -1)) for m, entry in searches if entry is not None]
            if evidence.self_labelled:
                rows.append(("impute", 0))
            for method, row in rows:
                if row >= 0 and pool.outside[row]:
                    yield Finding(
                        method,
                        name(i),
                        f"it returned {short(pool.outputs[row])}, which is no output: none of "
                        "outputs(x) has its loss and its joint feature. Return an output"
                        f"{relaxed if 'oracle' in method else ''}, or complete outputs(x)",
                    )
