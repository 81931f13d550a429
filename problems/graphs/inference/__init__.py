"""Maximisation over labellings of graphs, for many graphs at once as one disconnected graph.

All functions read the same three arrays: ``unary`` of shape (n_nodes, k), the score of every label
at every node; ``edges`` of shape (n_edges, 2), the nodes that are joined; and ``pairwise`` of shape
(n_edges, k, k), ``pairwise[e, a, b]`` the score of label a at ``edges[e, 0]`` with label b at
``edges[e, 1]``. The score of a labelling is the sum of its entries. Scores are finite, nodes are
counted from 0, and no edge joins a node to itself; this is not checked. Doubled edges count twice,
except in a :class:`Forest`, which has no doubled edges.
"""
