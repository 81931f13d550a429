"""C of ChainSVM with 'log_loss' and 'softmax_margin': how its default was chosen.

C is a multiple of the number of sequences. Sets, scores and log losses as in
benchmarks/defaults/tolerance.py; probabilities are predicted for 'log_loss' alone.

    python -m benchmarks defaults/log_loss    # the tasks need the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial

from benchmarks.defaults.tolerance import experiment, mean_scores

FACTORS = (1.0, 3.0, 5.0, 10.0, 20.0)
EXPERIMENTS = tuple(
    experiment(
        title,
        "C / n",
        {factor: partial(mean_scores, factor=factor, loss=loss) for factor in FACTORS},
    )
    for title, loss in (("log loss", "log_loss"), ("softmax margin", "softmax_margin"))
)
