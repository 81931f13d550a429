"""Search for labellings of highest score; many graphs are treated as one disconnected graph.

``unary`` of shape (n_nodes, k) holds the score of every label at every node. ``edges`` of shape
(n_edges, 2) holds the two nodes of every edge. ``pairwise`` of shape (n_edges, k, k) holds the
scores of pairs of labels: ``pairwise[e, a, b]`` is for label a at node ``edges[e, 0]`` and label b
at node ``edges[e, 1]``. The score of a labelling is the sum of the scores of its labels and pairs.
Scores are finite, nodes are numbered from 0, and no edge joins a node to itself; these conditions
are not checked. Doubled edges count twice; a :class:`Forest` has no doubled edges.
"""
