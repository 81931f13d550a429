"""A set of items with features, and the similarities of the items for given weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Self, Vector
from structsvm.data.conversion import require_ordered, table_of
from structsvm.data.matrices import checked_numbers, side_by_side
from structsvm.problems.set_clustering.item_sets.checks import (
    Features,
    as_features,
    as_pair_indices,
    as_pairs,
    number_of_items,
)
from structsvm.problems.set_clustering.item_sets.sources import of_frames, of_graph
from structsvm.problems.set_clustering.partitions import factors_of

#: Fraction of the entries of Z above which computing all of Z is cheaper.
MANY = 0.1


class ItemSet:
    r"""A set of m items to be clustered, with features of the items, of their pairs, or of both.

    The pair vector of items i and j is the product of their node features, followed by the pair
    features:

    .. math:: \psi_{ij} = [\bar\psi_i \circ \bar\psi_j;\; \bar\psi_{ij}] \in R^N

    (Finley & Joachims, Supervised k-Means Clustering, section 6). Weights w define the similarity
    :math:`K_{ij} = \langle w, \psi_{ij} \rangle`. Sparse features stay sparse, and no dense array
    of the features of all pairs is made. Arrays of float64 are not copied, and never changed.

    Parameters
    ----------
    nodes : array, DataFrame or scipy.sparse matrix of shape (m, N_n), optional
        Features of the items, a row for each item.
    pairs : array of shape (m, m, N_p), or triple, optional
        Features of the pairs. A dense array must be symmetric in its first two axes. A triple
        ``(rows, cols, features)`` holds the features of some unordered pairs; unlisted pairs have
        features 0. ``features`` is a dense or scipy.sparse matrix with a row for each listed pair.
        Row p of ``features`` belongs to the items ``rows[p]`` and ``cols[p]``, which may be the
        same item.
    n_items : int, optional
        The number of items m. If ``pairs`` is a triple and ``nodes`` is None, ``n_items`` is
        required.

    Attributes
    ----------
    n_items, n_node_features, n_pair_features, n_features : int
        The numbers of items (m), of node features (N_n), of pair features (N_p), and of all
        features, N = N_n + N_p.
    items : sequence
        The names of the items: the index of a DataFrame, the nodes of a graph, or 0 to m - 1.
    nodes : array or CSR matrix of shape (m, N_n), or None
    pairs : triple (rows, cols, features) with ``rows <= cols``, or None

    Raises
    ------
    ValueError
        If there are no features or fewer than two items, if the numbers of items differ, if a
        feature is NaN or infinite, or if pairs are asymmetric, out of range or repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import ItemSet
    >>> items = ItemSet(nodes=np.array([[1.0, 2.0], [3.0, 0.0]]))
    >>> items.similarity(np.array([1.0, 10.0]))
    array([[41.,  3.],
           [ 3.,  9.]])
    >>> linked = ItemSet(pairs=([0, 1], [1, 2], [[1.0], [2.0]]), n_items=3)
    >>> linked.similarity(np.array([1.0]))
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    #: The meaning of pairs that a :class:`PairTable` does not list; None if all pairs count.
    unlisted: str | None = None

    def __init__(self, nodes: Any = None, pairs: Any = None, n_items: int | None = None) -> None:
        if nodes is None and pairs is None:
            raise ValueError("an ItemSet needs nodes, pairs, or both; got neither")
        table = table_of("nodes", nodes)
        nodes = nodes if table is None else table.to_native()
        # Squares of pair vectors are fourth powers of node features.
        of_items = None if nodes is None else as_features("nodes", nodes, power=4)
        self.n_items = number_of_items(of_items, pairs, n_items)
        self._keep(of_items, None if pairs is None else as_pairs(pairs, self.n_items))
        self.n_node_features = 0 if of_items is None else of_items.shape[1]
        self.n_pair_features = 0 if self.pairs is None else self.pairs[2].shape[1]
        self.items: Sequence[Any] = getattr(nodes, "index", range(self.n_items))
        self._names: tuple[Any, Any] = _columns(nodes), None

    def _keep(self, nodes: Any, pairs: Any) -> None:
        """Store features and their transposes as CSR matrices, which makes products much faster."""
        self.nodes, self.pairs = nodes, pairs
        self._of_nodes: Any = None if nodes is None else _transposed(nodes)
        self._of_pairs: Any = None if pairs is None else _transposed(pairs[2])

    @classmethod
    def from_frames(cls, nodes: Any = None, pairs: Any = None) -> ItemSet:
        """Make an item set from DataFrames of pandas.

        Parameters
        ----------
        nodes : DataFrame, optional
            A DataFrame with a row of features for each item; the index holds the names of the
            items.
        pairs : DataFrame, optional
            A DataFrame with a row of features for each listed pair. The two levels of the index are
            the names of the two items.

        Returns
        -------
        ItemSet
            The ``items`` of the set are the names in the order of ``nodes``. Without nodes, names
            are in the order in which they first appear in the index of ``pairs``.

        Raises
        ------
        ValueError
            If a name appears twice, or a pair has an item that is not among the nodes.

        Examples
        --------
        >>> import pandas
        >>> from structsvm.problems import ItemSet
        >>> nodes = pandas.DataFrame({"length": [3.0, 4.0]}, index=["cat", "fish"])
        >>> links = pandas.DataFrame({"eats": ["cat"], "eaten": ["fish"], "often": [0.5]})
        >>> items = ItemSet.from_frames(nodes, links.set_index(["eats", "eaten"]))
        >>> items.n_features, list(items.items)
        (2, ['cat', 'fish'])
        """
        return cls._of_items(*of_frames(nodes, pairs), (_columns(nodes), _columns(pairs)))

    @classmethod
    def from_graph(cls, graph: Any, nodes: Any = None) -> ItemSet:
        """Make an item set from a networkx graph, with pair features for links and co-citations.

        The link features of a pair are zeros unless the two items are linked in either direction.
        The link features of linked items are the products of their node features, followed by the
        number 1. The co-citation features of a pair are zeros unless some node links to both items.
        In an undirected graph, the co-citation features of a pair are zeros unless the two items
        have a common neighbour. The co-citation features of co-cited items are the products of
        their node features, followed by the number 1. With N_n node features, links and
        co-citations together have 2 (N_n + 1) pair features, as in section 6.1.2 of Finley &
        Joachims. Loops and link weights are ignored.

        Parameters
        ----------
        graph : networkx graph
            A directed or undirected graph.
        nodes : DataFrame, array, scipy.sparse matrix, or str, optional
            The node features. A DataFrame has the nodes of the graph as its index, in any order; a
            matrix has a row for each node in the order of the graph. A string names the attribute
            that holds the vector or number of each node. Without node features, the pair features
            are a 1 for linked pairs and a 1 for co-cited pairs.

        Returns
        -------
        ItemSet
            The ``items`` of the set are the nodes, in the order of the graph.

        Raises
        ------
        ValueError
            If the features and the graph do not have the same nodes.

        Examples
        --------
        >>> import networkx
        >>> from structsvm.problems import ItemSet
        >>> graph = networkx.path_graph(["a", "b", "c"])
        >>> items = ItemSet.from_graph(graph, [[1.0], [2.0], [3.0]])
        >>> items.similarity([0.0, 1.0, 0.0, 0.0, 0.0])  # the product of linked items
        array([[0., 2., 0.],
               [2., 0., 6.],
               [0., 6., 0.]])
        """
        return cls._of_items(*of_graph(graph, nodes), (_columns(nodes), None))

    @classmethod
    def _of_items(cls, items: Sequence[Any], nodes: Any, pairs: Any, names: Any) -> ItemSet:
        item_set = cls(nodes, pairs, n_items=len(items))
        item_set.items, item_set._names = items, names
        return item_set

    def __len__(self) -> int:
        return self.n_items

    def __repr__(self) -> str:
        return (
            f"ItemSet({self.n_items} items, {self.n_node_features} node features, "
            f"{self.n_pair_features} pair features)"
        )

    def __abs__(self) -> Self:
        """Return an item set of the same items, with the absolute values of all features."""
        found = copy(self)
        pairs = None if self.pairs is None else (*self.pairs[:2], abs(self.pairs[2]))
        found._keep(None if self.nodes is None else abs(self.nodes), pairs)
        return found

    @property
    def n_features(self) -> int:
        return self.n_node_features + self.n_pair_features

    @property
    def features(self) -> Features:
        """The numbers of node and pair features, and their names if the features have names."""
        return Features(self.n_node_features, self.n_pair_features, *self._names)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of different items that are counted in the loss."""
        return self.n_items * (self.n_items - 1) // 2

    def similarity(self, w: Any) -> Any:
        """Return K of shape (m, m), K_ij = <w, psi_ij>, for weights w of shape (n_features,)."""
        w = self._checked_weights(w)
        K = np.zeros((self.n_items, self.n_items))
        if self.nodes is not None:
            K = _products(self.nodes, w[: self.n_node_features])
        if self.pairs is not None:
            rows, cols, features = self.pairs
            values = features @ w[self.n_node_features :]
            K[rows, cols] += values
            apart = rows != cols
            K[cols[apart], rows[apart]] += values[apart]
        return K

    def changed_similarity(self, w: Any, added: Any) -> Any:
        """Return the similarity plus ``added``, a matrix of shape (m, m)."""
        return self.similarity(w) + added

    def weighted_sum(self, factors: Any, weights: Any = None) -> Vector:
        """Return sum_ij Z_ij psi_ij over all ordered pairs, including i = j, shape (n_features,).

        Z = factors diag(weights) factors', for ``factors`` of shape (m, r), dense or CSR, and
        ``weights`` of shape (r,), by default 1.
        """
        weights = np.ones(factors.shape[1]) if weights is None else np.asarray(weights)
        parts = []
        if self.nodes is not None:
            # sum_ij Z_ij x_i x_j = sum_r weights_r (sum_i F_ir x_i)^2: Z is not needed.
            products = self._of_nodes @ factors
            squares = products.power(2) if sparse.issparse(products) else np.square(products)
            parts.append(squares @ weights)
        if self.pairs is not None:
            rows, cols, _ = self.pairs
            if len(rows) > MANY * self.n_items**2:
                weighted = _product(factors, weights)
                Z = weighted @ factors.T
                extents = (Z.toarray() if sparse.issparse(Z) else Z)[rows, cols]
            else:
                extents = _product(factors[rows], factors[cols]) @ weights
            # Count both Z_ij and Z_ji, but Z_ii once.
            parts.append(self._of_pairs @ np.where(rows == cols, extents, 2 * extents))
        return np.concatenate(parts)

    def sum_inside(self, y: Any) -> Vector:
        """Return the sum of the vectors psi_ij over the pairs of items i < j that share a cluster.

        If y is a matrix instead of labels, the entries of the matrix are the weights of the
        pairs.
        """
        # Subtract the terms i = j, where Z is 1.
        return (self.weighted_sum(*factors_of(y)) - self.diagonal_sum()) / 2

    def difference_inside(self, y: Any, y_hat: Any) -> Vector:
        """Return the difference of :meth:`sum_inside` between y and y_hat."""
        (factors, weights), (others, their_weights) = factors_of(y), factors_of(y_hat)
        both = sparse.hstack([factors, others], format="csr")
        # Stacked factors yield Z - Z_hat. Both diagonals are 1, so the terms i = j cancel.
        return self.weighted_sum(both, np.append(weights, -their_weights)) / 2

    def diagonal_sum(self) -> Vector:
        """Return sum_i psi_ii, shape (n_features,)."""
        parts = []
        if self.nodes is not None:
            squares = self.nodes.power(2) if sparse.issparse(self.nodes) else self.nodes**2
            parts.append(np.asarray(squares.sum(axis=0)).ravel())
        if self.pairs is not None:
            parts.append(self._of_pairs @ (self.pairs[0] == self.pairs[1]))
        return np.concatenate(parts)

    def pair_vectors(self, rows: Any, cols: Any) -> Any:
        """Return the pair vectors of some pairs in a matrix; CSR if any features are sparse."""
        rows, cols = as_pair_indices(rows, cols, self.n_items)
        parts = []
        if self.nodes is not None:
            parts.append(_product(self.nodes[rows], self.nodes[cols]))
        if self.pairs is not None:
            parts.append(self._features_of_pairs(rows, cols))
        return side_by_side(parts)

    def _features_of_pairs(self, rows: Any, cols: Any) -> Any:
        """Return the features of some pairs, with zeros for pairs without features."""
        ends, features = np.array(self.pairs[:2]), self.pairs[2]
        number, m = np.arange(features.shape[0]), self.n_items
        place = sparse.csr_matrix((number + 1, ends), shape=(m, m))
        found = np.asarray(place[np.minimum(rows, cols), np.maximum(rows, cols)]).ravel()
        known = np.flatnonzero(found)
        chosen = np.ones(len(known)), (known, found[known] - 1)
        return sparse.csr_matrix(chosen, shape=(len(found), features.shape[0])) @ features

    def partition(self, found: Any) -> Any:
        """Convert labels or a matrix, found by an oracle, to an output of the problem."""
        return found

    def possible(self, labels: Iterable[Any]) -> Iterable[Any]:
        """Convert labels to outputs; leave out labels whose clusters are not allowed."""
        return labels

    def _checked_weights(self, w: Any) -> Vector:
        w = checked_numbers("w", w)
        if w.shape != (self.n_features,):
            raise ValueError(
                f"w must have the shape ({self.n_features},), one weight for each of "
                f"{self.n_node_features} node and {self.n_pair_features} pair features; got shape "
                f"{w.shape}"
            )
        return np.asarray(w)


def as_item_sets(X: Any) -> list[ItemSet]:
    """Return a sequence of item sets; a matrix of node features becomes an item set."""
    single = isinstance(X, (ItemSet, str)) or len(getattr(X, "shape", ())) == 2
    if single or not isinstance(X, Iterable):
        hint = (
            ": give [X] if its rows are items, or PairTable(X, ids=('left', 'right')) if they are "
            "pairs of records, with the two columns of their identifiers"
        )
        raise ValueError(
            f"X must be a sequence of item sets, such as [items]; got a single {type(X).__name__}"
            f"{hint if hasattr(X, 'columns') else ''}"
        )
    require_ordered("X", X)
    item_sets = []
    for i, x in enumerate(X):
        if isinstance(x, ItemSet):
            item_sets.append(x)
        elif isinstance(x, (list, tuple)) or len(getattr(x, "shape", ())) == 2:
            try:
                item_sets.append(ItemSet(x))
            except ValueError as error:
                raise ValueError(f"X[{i}]: {error}") from None
        else:
            raise ValueError(
                f"X[{i}] must be an ItemSet, or a matrix with a row of features for each item; got "
                f"{type(x).__name__}"
            )
    if not item_sets:
        raise ValueError(
            "X holds no item set, or is a PairTable without a pair; expected at least one"
        )
    return item_sets


def _columns(frame: Any) -> tuple[Any, ...] | None:
    """Return the column names of a DataFrame, or None for data of any other type."""
    table = table_of("nodes", frame)
    return None if table is None else tuple(table.columns)


def _transposed(features: Any) -> Any:
    return features.T.tocsr() if sparse.issparse(features) else features.T


def _product(left: Any, right: Any) -> Any:
    return left.multiply(right) if sparse.issparse(left) else left * right


def _products(nodes: Any, w: Vector) -> Any:
    """Return the inner products of all pairs of rows of ``nodes``, with columns weighted by w."""
    if not sparse.issparse(nodes):
        return (nodes * w) @ nodes.T
    weighted = sparse.csr_matrix(
        (nodes.data * w[nodes.indices], nodes.indices, nodes.indptr), shape=nodes.shape
    )
    return np.asarray((weighted @ nodes.T).toarray())
