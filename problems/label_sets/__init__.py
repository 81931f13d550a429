"""Multi-label classification: sets of labels for single rows, with weights of pairs of labels.

Look at :class:`MultiLabelSVM` first, the estimator; :class:`LabelSet` is its problem, and
:class:`RelaxedLabelSet` and :class:`AttractiveLabelSet` allow cycles over many labels.
"""

from structsvm.problems.label_sets.estimator import MultiLabelSVM
from structsvm.problems.label_sets.problem import (
    AttractiveLabelSet,
    LabelSet,
    RelaxedLabelSet,
)

__all__ = ["AttractiveLabelSet", "LabelSet", "MultiLabelSVM", "RelaxedLabelSet"]
