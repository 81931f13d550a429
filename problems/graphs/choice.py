"""The inference that suits some graphs."""

from __future__ import annotations

import logging

from structsvm.problems.graphs.packed import Graphs
from structsvm.problems.graphs.problem import Inference

logger = logging.getLogger(__name__)


def choose_inference(graphs: Graphs, k: int, attractive: bool) -> Inference:
    """The inference that 'auto' stands for, with k labels; logged with the reason."""
    found: Inference
    if graphs.is_forest:
        found, reason = "tree", "no graph has a cycle"
    elif k == 2 and attractive:
        found, reason = "flow", "there are two labels, and weights attract"
    elif k == 2:
        found, reason = "relaxation", "there are two labels and cycles"
    else:
        found, reason = "expansion", f"there are {k} labels and cycles"
    logger.info("inference %r, because %s", found, reason)
    return found
