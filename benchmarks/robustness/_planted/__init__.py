"""Bugs planted in correct problems, and correct problems of unusual kinds, for check_problem.

``correct`` has the problems, ``bugs`` a file for each subject; ``register`` has them all.
"""

from importlib import import_module

from benchmarks.robustness._planted.register import BUGS, CORRECT, Case

#: The files of bugs and of unusual correct problems, which register their cases.
SUBJECTS = (
    "bugs.joint_features", "bugs.losses", "bugs.separation", "bugs.decoding", "bugs.outputs",
    "bugs.declarations", "bugs.labelled", "bugs.soft", "bugs.batches", "bugs.tasks",
    "bugs.smoothing", "bugs.pools", "correct.unusual",
)  # fmt: skip
for subject in SUBJECTS:
    import_module(f"{__name__}.{subject}")

__all__ = ["BUGS", "CORRECT", "Case"]
