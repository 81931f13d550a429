"""Agreement of the confidence in predicted parts with the share of right parts.

``predict_confidence`` of ``Conformal`` is compared with the marginals of ``predict_proba`` after
``fit_temperature``, and with a single number, the fraction of right parts. All are fitted to half
of the examples that were kept back, and tell the predictions for the other half. Names are runs of
proper nouns, as BIO labels; the marginal of a name is the least one of its words, or their product.
The expected calibration error has fifteen ranges of equal width. Graphs and matchings have no
marginals.

    python -m benchmarks worth/confidence    # needs the files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import log_loss

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, matrices
from benchmarks.worth._families import Family, landmarks, pixels, trees
from structsvm.conformal import Conformal
from structsvm.problems import ChainSVM, bio_segments, bio_transitions

RANGES = 15


class Given(NamedTuple):
    """A fitted estimator, examples to calibrate on and new ones, and what finds segments."""

    estimator: Any
    old: tuple[Any, Any]
    new: tuple[Any, Any]
    segments: Any = None


def given(load: Callable[[], Family]) -> Given:
    family = load()
    return Given(family.estimator, *family.halves(0))


def tags(loss: str) -> Given:
    return chains(ChainSVM(all_possible_states=False, loss=loss), list)


def names(loss: str) -> Given:
    svm = ChainSVM(all_possible_states=False, loss=loss, allowed_transitions=bio_transitions)
    return chains(svm, bio)._replace(segments=bio_segments)


def chains(svm: ChainSVM, labels: Callable[[Any], Any]) -> Given:
    """A tagger of 4,000 sentences; the dev part calibrates."""
    X, y, columns = matrices(first_sentences("train", 4000))
    svm.fit(X, [labels(own) for own in y])
    parts = [matrices(first_sentences(part, None), columns)[:2] for part in ("dev", "test")]
    return Given(svm, *((X, [labels(own) for own in y]) for X, y in parts))


def bio(tags: Any) -> list[str]:
    """Runs of proper nouns."""
    is_name = [False, *(tag == "PROPN" for tag in tags)]
    kinds = {(True, True): "I", (False, True): "B"}
    return [kinds.get((a, b), "O") for a, b in pairwise(is_name)]


# ------------------------------------------------------------------ confidence, and what is right


def conformal(data: Given) -> Any:
    return Conformal(data.estimator).fit(*data.old).judged(*data.new, segments=data.segments)


def constant(data: Given) -> Any:
    """The fraction of right parts of the examples to calibrate on."""
    (_, old), (_, new) = (conformal(data._replace(new=own)) for own in (data.old, data.new))
    return np.full(len(new), old.mean()), new


def marginals(data: Given, whole: Any = np.min) -> Any:
    """Return the marginals of the predicted parts; for a segment the least, or the product."""
    svm = data.estimator.fit_temperature(*data.old)
    X, y = data.new
    found, right = [], []
    for p, own, true in zip(svm.predict_proba(X), svm.predict(X), y, strict=True):
        columns = own if svm.classes_ is None else np.searchsorted(svm.classes_, own)
        p = p[np.arange(len(own)), columns]
        if data.segments is None:
            found += [*p]
            right += [*(np.asarray(own) == np.asarray(true))]
        else:
            parts, known = data.segments(own), {*data.segments(true)}
            found += [whole(p[start:stop]) for start, stop, *_ in parts]
            right += [part in known for part in parts]
    return np.array(found), np.array(right)


def reliability(fit: Any, data: Given) -> Row:
    p, right = fit.found
    ranges = np.minimum((p * RANGES).astype(int), RANGES - 1)
    apart = np.bincount(ranges, p - right, RANGES)
    return {
        "parts": len(p),
        "right": float(right.mean()),
        "log loss": float(log_loss(right, np.clip(p, 1e-6, 1 - 1e-6), labels=[False, True])),
        "Brier": float(np.mean((p - right) ** 2)),
        "calibration error": float(np.abs(apart).sum() / len(p)),
    }


def table(title: str, data: Any, **contenders: Any) -> Experiment:
    named = {"predict_confidence": conformal, "one number": constant} | contenders
    return Experiment(title, ("data", "confidence"), data, named, reliability)


LOSSES = "hinge", "log_loss"
EXPERIMENTS = (
    table(
        "labels and arcs",
        {f"parts of speech, {loss}": partial(tags, loss) for loss in LOSSES}
        | {"dependencies": partial(given, trees)},
        marginals=marginals,
    ),
    table(
        "names",
        {f"names, {loss}": partial(names, loss) for loss in LOSSES},
        **{"least marginal": marginals, "product of marginals": partial(marginals, whole=np.prod)},
    ),
    table(
        "pixels and links", {"horses": partial(given, pixels), "house": partial(given, landmarks)}
    ),
)
