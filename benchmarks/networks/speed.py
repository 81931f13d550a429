"""CPU time of the loss of a chain behind a network, and of its gradients, one thread.

    python -m benchmarks networks/speed    # needs torch, and ocr_letters in STRUCTSVM_DATA

Handwritten words with their 128 pixels as features. "tensors" is the inference that Chain offers to
a layer, with gradients in x and w; "oracles" the way of all other problems, in w alone: the task of
Chain for the hinge, and its soft oracle for one word after another for mu > 0. "one by one" is its
separation oracle with loss and joint-feature difference, or its soft oracle, called for one word
after another, without a layer.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.store import Row
from structsvm.problems import Chain

RESULTS = "networks/speed"
SIZES, TEMPERATURES, REPEATS = (32, 600), (0.0, 0.3), 7


class OracleChain(Chain):
    """A chain without inference over tensors."""

    tensor_inference = None


def one_by_one(problem: Chain, X: list[Any], Y: list[Any], w: Any, mu: float) -> None:
    for x, y in zip(X, Y, strict=True):
        if mu > 0:
            problem.soft_oracle(x, y, w, mu)
        else:
            y_hat = problem.separation_oracle(x, y, w)
            problem.loss(y, y_hat)
            problem.joint_feature_difference(x, y, y_hat)


def step(layer: Any, X: list[Any], Y: list[Any]) -> None:
    layer(X, Y).backward()


def main() -> None:
    import handwriting
    import torch

    from structsvm.torch import StructuredHingeLoss

    pixels, letters, _ = handwriting.words()
    rows: list[Row] = []
    for n in SIZES:
        Y = letters[:n]
        for mu in TEMPERATURES:
            row: Row = {"words": n, "loss": "hinge" if mu == 0 else f"mu = {mu:g}"}
            for way, cls in (("tensors", Chain), ("oracles", OracleChain)):
                problem = cls()
                problem.initialize([x.numpy() for x in pixels], letters)
                layer = StructuredHingeLoss(problem, mu=mu)
                w = np.random.default_rng(0).normal(0, 0.1, problem.size_joint_feature)
                layer.w.data = torch.tensor(w, dtype=torch.float32)
                X = [x.clone().requires_grad_(cls is Chain) for x in pixels[:n]]
                seconds = cpu_seconds(lambda x=X, call=layer, y=Y: call(x, y).backward(), REPEATS)[
                    0
                ]
                row[f"{way}, ms"] = 1000 * seconds
            arrays = [x.numpy() for x in pixels[:n]]
            run = partial(one_by_one, problem, arrays, Y, w, mu)
            row["one by one, ms"] = 1000 * cpu_seconds(run, REPEATS)[0]
            rows.append(row)
    report(RESULTS, {"CPU time": rows})


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("torch is not installed: nothing is measured")
    else:
        sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
        import torch

        torch.set_num_threads(1)
        with one_thread():
            main()
