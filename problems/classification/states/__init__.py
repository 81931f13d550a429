"""States, which are pairs of a feature and a label, and products with their weights.

The word is CRFsuite's. A row x of d features scores ``<w_y, x>`` with label y, where w_y holds the
weights of the states of y. Either all pairs of a feature and a label have a weight, or only the
pairs that occur in training. If words have many features, most pairs of a feature and a label never
occur.
"""

from structsvm.problems.classification.states.all_states import AllStates
from structsvm.problems.classification.states.choice import (
    chosen_states,
    have_all_states,
    require_choice,
)
from structsvm.problems.classification.states.contract import StateRows, States, scores_of_entries
from structsvm.problems.classification.states.joined_states import JoinedStates
from structsvm.problems.classification.states.known_states import KnownStates, with_known_labels
from structsvm.problems.classification.states.seen_states import SeenStates
