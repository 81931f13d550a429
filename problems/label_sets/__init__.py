"""Multi-label classification: sets of labels for single rows, with weights of pairs of labels.

Look first at the estimator :class:`MultiLabelSVM`. :class:`LabelSet` is the problem of
MultiLabelSVM. :class:`RelaxedLabelSet` and :class:`AttractiveLabelSet` allow many labels in graphs
with cycles.
"""

from structsvm.problems.label_sets.estimator import MultiLabelSVM
from structsvm.problems.label_sets.problem import (
    AttractiveLabelSet,
    LabelSet,
    RelaxedLabelSet,
)

__all__ = ["AttractiveLabelSet", "LabelSet", "MultiLabelSVM", "RelaxedLabelSet"]
