"""The candidates of ultrack as an integer program, and weights learned from its annotations."""

import numpy as np
import pandas as pd
from scipy.optimize import LinearConstraint
from scipy.sparse import coo_array, eye_array, hstack

from structsvm.problems import Program

#: The value of a variable by its annotation.
KNOWN = {"REAL": 1, "FAKE": 0, "UNKNOWN": -1}
#: The columns of annotations of nodes, in the order of the variables; links follow.
OF_NODES = ("node_annot", "appear_annot", "disappear_annot", "division_annot")


def tables(connection):
    """Return the tables of nodes, links and overlaps of ultrack's database, data.db, by name."""
    names = ("nodes", "links", "overlaps")
    return {name: pd.read_sql(f"select * from {name}", connection) for name in names}


def program(nodes, links, overlaps):
    """Return ultrack's program.

    The variables are nodes, appearances, disappearances, divisions and links, in this order.

    Their features are a constant and the probability of a node, constants of appearing,
    disappearing and dividing, and a constant and the weight of a link.
    """
    n, m, place = len(nodes), len(links), pd.Series(range(len(nodes)), nodes["id"])

    def ends(table, column):
        """Return a matrix with a row for each entry of a column, which is 1 at the named node."""
        at = np.arange(len(table)), place[table[column]].to_numpy()
        return coo_array((np.ones(len(table)), at), (len(table), n))

    one, none = eye_array(n), coo_array((n, n))
    into, out = ends(links, "target_id").T, ends(links, "source_id").T
    pairs = ends(overlaps, "node_id") + ends(overlaps, "ancestor_id")
    others = coo_array((len(overlaps), 3 * n + m))
    constraints = {
        "one origin": LinearConstraint(hstack([-one, one, none, none, into]), 0, 0),
        "destinations": LinearConstraint(hstack([-one, none, one, -one, out]), 0, 0),
        "divisions of nodes": (hstack([-one, none, none, one, coo_array((n, m))]), np.zeros(n)),
        "overlaps": (hstack([pairs, others]), np.ones(len(overlaps))),
    }
    features = np.zeros((4 * n + m, 7))
    features[:n, :2] = np.column_stack([np.ones(n), nodes["node_prob"]])
    features[n : 2 * n, 2] = nodes["t"] > nodes["t"].min()
    features[2 * n : 3 * n, 3] = nodes["t"] < nodes["t"].max()
    features[3 * n : 4 * n, 4] = 1
    features[4 * n :, 5:] = np.column_stack([np.ones(m), links["weight"]])
    return Program(features, constraints)


def annotations(nodes, links, overlaps):
    """Return the annotated values of the variables: 1, 0, or -1 for unannotated variables."""
    columns = [*(nodes[name] for name in OF_NODES), links["annotation"]]
    return pd.concat(columns).map(KNOWN).to_numpy()
