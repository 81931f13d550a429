"""C of ChainSVM with 'log_loss' and 'softmax_margin': how its default was chosen.

C is a multiple of the number of sequences. Sets, scores and log losses as in
benchmarks/defaults/tolerance.py; probabilities are predicted for 'log_loss' alone.

    python -m benchmarks defaults/log_loss    # the tasks need the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

import warnings

from benchmarks.averages import averaged
from benchmarks.defaults.tolerance import row, sets
from benchmarks.report import one_thread, report

RESULTS = "defaults/log_loss"
FACTORS = (1.0, 3.0, 5.0, 10.0, 20.0)


def main() -> None:
    warnings.simplefilter("ignore")  # of labels that are not in training
    rows = []
    for given in sets():
        for loss in ("log_loss", "softmax_margin"):
            for factor in FACTORS:
                C = factor * len(given[2][0])
                rows.append(row(given, {"loss": loss, "C / n": factor}, loss=loss, C=C))
    soft = [r for r in rows if r["loss"] == "log_loss"]
    margin = [r for r in rows if r["loss"] == "softmax_margin"]
    report(RESULTS, {
        "log loss": averaged(soft, ["kind", "C / n"], ["score", "100 log loss", "CPU s"]),
        "softmax margin": averaged(margin, ["kind", "C / n"], ["score", "CPU s"]),
        "every set": rows,
    })  # fmt: skip


if __name__ == "__main__":
    with one_thread():
        main()
