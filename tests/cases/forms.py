"""Other forms of the features in inputs of any kind."""

import numpy as np
from scipy import sparse

from structsvm.problems import Graph, ItemSet


def changed(x, form, edges=False):
    """An input whose features, all that is of floats in it but for edges, have another form."""
    if isinstance(x, Graph) and not edges:
        return x._replace(features=changed(x.features, form))
    if isinstance(x, ItemSet):
        nodes, pairs = changed(x.nodes, form), x.pairs
        return ItemSet(nodes, pairs and (*pairs[:2], changed(pairs[2], form)), x.n_items)
    if isinstance(x, (list, tuple)):
        made = [changed(part, form, edges) for part in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    return form(x) if getattr(getattr(x, "dtype", None), "kind", "O") == "f" else x


def in_format(name, dtype=np.int64):
    """A function from a matrix to one of this sparse format, with indices of this dtype."""

    def form(x):
        made = getattr(sparse, name)(getattr(sparse, name.replace(name[:3], "coo"))(x))
        for part in ("indices", "indptr", "offsets"):
            if isinstance(getattr(made, part, None), np.ndarray):
                setattr(made, part, getattr(made, part).astype(dtype))
        if made.format == "coo":
            made.coords = tuple(part.astype(dtype) for part in made.coords)
        return made

    return form


def read_only(x):
    x = x.copy()
    for array in (x.data, x.indices, x.indptr) if sparse.issparse(x) else (x,):
        array.flags.writeable = False
    return x
