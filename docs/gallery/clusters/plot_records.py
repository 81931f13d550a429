"""
Records of the same person
==========================

:class:`structsvm.problems.CorrelationClustering` finds which records are of the same person, from a
table of similar pairs. Connected components of the likely pairs are the usual way; there one wrong
pair joins two people.
"""

from difflib import SequenceMatcher
from itertools import combinations

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CorrelationClustering, PairTable

# %%
# Families share a surname and a street. A person has up to five records, each with a few errors.

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def word(rng):
    return "".join(rng.choice(LETTERS, 6))


def mistyped(text, rng):
    at = rng.integers(len(text))
    return text[:at] + rng.choice(LETTERS) + text[at + 1 :]


def draw(seed):
    rng = np.random.default_rng(seed)
    given = [word(rng) for _ in range(40)]
    rows = []
    for family in range(60):
        shared = [word(rng), word(rng)]
        for person in range(rng.integers(1, 4)):
            fields = [rng.choice(given), str(rng.integers(1940, 2010)), *shared]
            for _ in range(rng.integers(1, 6)):
                record = [mistyped(text, rng) if rng.random() < 0.5 else text for text in fields]
                rows.append((*record, f"person {family}.{person}"))
    return pd.DataFrame(rows, columns=["given", "born", "surname", "street", "person"])


# %%
# The candidates agree in a field. The features of a pair are the similarities of the fields.


def compared(records):
    rows = []
    for i, j in combinations(records.index, 2):
        pair = list(zip(records.loc[i].iloc[:4], records.loc[j].iloc[:4], strict=True))
        if any(a == b for a, b in pair):
            rows.append((i, j, *(SequenceMatcher(None, a, b).ratio() for a, b in pair)))
    return pd.DataFrame(rows, columns=["left", "right", *records.columns[:4]])


records, new = draw(0), draw(1)
pairs, new_pairs = compared(records), compared(new)
options = {"ids": ("left", "right"), "unlisted": "learned"}  # candidates miss some pairs
table = PairTable(pairs, records=list(records.index), **options)
new_table = PairTable(new_pairs, records=list(new.index), **options)
print(table, new_table, sep="\n")

# %%
# Components of the pairs that a logistic regression finds likely, with the best of some thresholds,
# and the clusters of correlation clustering.

columns = list(records.columns[:4])
match = records.person[pairs.left].to_numpy() == records.person[pairs.right].to_numpy()
of_pairs = LogisticRegression(C=10).fit(pairs[columns], match)


def components(records, pairs, threshold):
    graph = nx.Graph()
    graph.add_nodes_from(records.index)
    likely = of_pairs.predict_proba(pairs[columns])[:, 1] > threshold
    graph.add_edges_from(pairs.loc[likely, ["left", "right"]].to_numpy())
    found = {i: k for k, part in enumerate(nx.connected_components(graph)) for i in part}
    return records.index.map(found)


thresholds = np.linspace(0.05, 0.95, 19)
scores = [adjusted_rand_score(records.person, components(records, pairs, t)) for t in thresholds]
model = CorrelationClustering().fit(table, records.person.to_dict())
found = {
    "components": components(new, new_pairs, thresholds[np.argmax(scores)]),
    "correlation clustering": new.index.map(model.predict(new_table)),
}
for name, labels in found.items():
    print(f"{name:23} adjusted Rand index {adjusted_rand_score(new.person, labels):.3f}")

# %%
# The largest component, with a colour for each person. Lines are pairs that the two put together.

largest = new.index[found["components"] == found["components"].value_counts().idxmax()]
ends = new_pairs[["left", "right"]]
graph = nx.Graph(ends[ends.isin(largest).all(axis=1)].to_numpy().tolist())
places = nx.kamada_kawai_layout(graph)
person = pd.Categorical(new.person[list(graph)]).codes
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    together = [(i, j) for i, j in graph.edges if labels[i] == labels[j]]
    nx.draw(graph, places, ax, edgelist=together, node_color=person, cmap="tab10", node_size=60)
    ax.set_title(name)
plt.show()
