"""The planes of an earlier dual solution, recomputed from their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.data.containers import n_examples
from structsvm.oracle.cuts import find_violated, planes_of_passes
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Source, SupportPlane, WeightedPlanes

#: The origin of the outputs of a solution, for messages.
EARLIER = "an earlier solve"


def support_outputs(labels: Any, support: Sequence[SupportPlane]) -> list[Any] | None:
    """Return an output for every example, from the planes of a dual solution.

    If the planes store no output for an example, the label of the example is returned. If no plane
    was made from outputs, None is returned.
    """
    sources = [source for source, _ in support if isinstance(source, Source)]
    if not sources:
        return None
    whole = [source.outputs for source in sources if source.example is None]
    outputs = list(whole[0]) if whole else [labels[i] for i in range(n_examples(labels, "Y"))]
    for source in sources:
        if source.example is not None:
            outputs[source.example] = source.outputs[0]
    return outputs


def shared_planes(
    examples: Examples, labels: Any, support: Sequence[SupportPlane]
) -> WeightedPlanes | None:
    """Return the planes with one slack for all examples, or None if there are no such planes."""
    chosen = [(s, alpha) for s, alpha in support if isinstance(s, Source) and s.example is None]
    if not chosen:
        return None
    sources, alpha = [source for source, _ in chosen], np.array([alpha for _, alpha in chosen])
    passes, weights = [s.outputs for s in sources], np.array([s.weights for s in sources])
    rows, offsets = planes_of_passes(examples, labels, passes, weights)
    return WeightedPlanes(rows, offsets, alpha, np.zeros(len(alpha), dtype=np.intp), sources)


def example_planes(
    examples: Examples, labels: Any, support: Sequence[SupportPlane]
) -> Iterator[WeightedPlanes]:
    """Yield lists of planes of single examples, with at most one plane per example in each list."""
    by_example: dict[int, list[tuple[Source, float]]] = {}
    for source, alpha in support:
        if isinstance(source, Source) and source.example is not None:
            by_example.setdefault(source.example, []).append((source, alpha))
    for turn in range(max(map(len, by_example.values()), default=0)):
        places = np.array(sorted(i for i, own in by_example.items() if len(own) > turn))
        sources, alpha = zip(*(by_example[i][turn] for i in places.tolist()), strict=True)
        subset, own = examples.labelled_subset(places, labels)
        outputs, all_of_them = [s.outputs[0] for s in sources], np.full(len(places), -np.inf)
        found = find_violated(subset, own, np.zeros(examples.size), all_of_them, outputs, EARLIER)
        yield WeightedPlanes(found.rows, found.offsets, np.array(alpha), places, list(sources))
