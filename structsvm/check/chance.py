"""The check of searches that may miss the best output: they must do better than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.results import SearchResult, results


def worse_than_chance(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Yield a finding if, on average, a search does worse than a random known output.

    Otherwise a note says how often it found the best of outputs(x).
    """
    found = list(results(evidence, method))
    listed = [result for result in found if evidence.enumerated[result.i]]
    if _is_worse_than_chance([result for result in found if result.norm > 0]):
        others = "the mean of outputs(x)" if listed else "those that it returned at other w"
        yield Finding(
            method, None, f"its outputs score less, on average, than {others}; does it minimise?"
        )
    elif listed:
        best = sum(not result.beaten for result in listed)
        note = f"{method} found the best output in {best} of {len(listed)} calls"
        if method == "separation_oracle":
            _note_use_of_loss(evidence, note, listed)
        else:
            evidence.notes.append(note)


def _is_worse_than_chance(found: Sequence[SearchResult]) -> bool:
    """Whether outputs score less, on average, than the mean of the known outputs."""
    lead = sum(result.scores[result.row] - result.scores.mean() for result in found)
    return bool(lead < -sum(result.tolerance for result in found))


def _note_use_of_loss(evidence: Evidence, note: str, listed: Sequence[SearchResult]) -> None:
    """Add the note on the oracle, with words on whether it uses the loss."""
    doubt = _keys(evidence, "separation_oracle") == _keys(evidence, "decode")
    if doubt:
        note += "; it always returned the output of decode"
    at_zero = [result for result in listed if result.norm == 0]
    if at_zero:
        own = np.mean([result.loss for result in at_zero])
        best = np.mean([result.pool.losses[result.best] for result in at_zero])
        doubt |= _is_worse_than_chance(at_zero)
        note += f"; at w = 0 its outputs have a mean loss of {own:.3g}, the best {best:.3g}"
    if doubt:
        evidence.doubt("oracle_uses_the_loss", f"{note}. Is the loss left out, or subtracted?")
    else:
        evidence.notes.append(note)


def _keys(evidence: Evidence, method: str) -> list[Any]:
    """The keys of all outputs of a search."""
    return [entry and entry[0] for visit in evidence.visits for entry in visit.found[method]]
