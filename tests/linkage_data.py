"""Blocks of listed pairs that the tests of record linkage share."""

import numpy as np
import pandas
from scipy import sparse

from structsvm.problems import PairTable
from structsvm.problems.set_clustering.similarities import PairSimilarity


def listed_pairs(rng, m, share=0.6):
    """Some pairs i < j of m items, at least one."""
    rows, cols = np.triu_indices(m, 1)
    chosen = rng.random(len(rows)) < share
    chosen[rng.integers(len(rows))] = True
    return rows[chosen], cols[chosen]


def pair_similarity(rng, m, elsewhere, share=0.6, diagonal=0.0):
    rows, cols = listed_pairs(rng, m, share)
    values, here = rng.normal(size=len(rows)), np.arange(m)
    data = np.concatenate([values, values, np.broadcast_to(diagonal, m)])
    places = np.concatenate([rows, cols, here]), np.concatenate([cols, rows, here])
    return PairSimilarity(sparse.csr_matrix((data, places), shape=(m, m)), elsewhere)


def value(K, y):
    """The sum of the similarities inside clusters; -inf where a pair is impossible."""
    total = 0.0
    stored = K.listed.tocoo()
    known = dict(zip(zip(stored.row, stored.col, strict=True), stored.data, strict=True))
    for i in range(len(y)):
        for j in range(i):
            if y[i] == y[j]:
                total += known.get((i, j), K.elsewhere)
    return total


def drawn_pairs(seed, entities=12, records=3, share=0.8, noise=0.3):
    """A DataFrame of pairs of records of three blocks, and the entity of each record."""
    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(entities), records)
    block = entity % 3
    rows, cols = np.triu_indices(len(entity), 1)
    kept = (block[rows] == block[cols]) & (rng.random(len(rows)) < share)
    # One pair with the next record of the entity at least, so that every record has a pair.
    kept |= (entity[rows] == entity[cols]) & (cols == rows + 1)
    rows, cols = rows[kept], cols[kept]
    same = entity[rows] == entity[cols]
    names = np.array([f"r{i:03d}" for i in range(len(entity))])
    pairs = pandas.DataFrame(
        {
            "left": names[rows],
            "right": names[cols],
            "name": same + noise * rng.normal(size=len(rows)),
            "town": same + 2 * noise * rng.normal(size=len(rows)),
            "block": block[rows],
            "same": same,
        }
    )
    return pairs, dict(zip(names.tolist(), entity.tolist(), strict=True))


def drawn_table(seed, unlisted="impossible", block="block", **sizes):
    pairs, entity = drawn_pairs(seed, **sizes)
    table = PairTable(
        pairs, ("left", "right"), features=["name", "town"], block=block, unlisted=unlisted
    )
    return table, entity


def drawn_records(entities, seed=0):
    """People with one to three records each, of which further ones have a letter wrong."""
    from benchmarks.set_clustering._records import Records

    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(entities), rng.integers(1, 4, size=entities))
    pool = rng.choice(list("abcdefghij"), size=(3, entities // 3, 8))
    people = rng.integers(entities // 3, size=(entities, 3))
    texts = pool[np.arange(3), people][entity]
    for i in np.flatnonzero(np.diff(entity, prepend=-1) == 0):
        texts[i, rng.integers(3), rng.integers(8)] = "z"
    names = "given", "surname", "street"
    fields = pandas.DataFrame(np.apply_along_axis("".join, 2, texts), columns=names, dtype=object)
    return Records("drawn", fields, entity, tuple((name,) for name in names))
