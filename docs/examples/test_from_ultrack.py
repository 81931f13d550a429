"""ultrack's tables as a program: its constraints hold, and annotations teach the weights."""

import sqlite3

import from_ultrack
import numpy as np
import pandas as pd
import pytest

from structsvm.problems import IntegerProgramSVM


@pytest.fixture
def tables():
    """Return three cells in four frames, each overlapped by a less probable fragment."""
    rng = np.random.default_rng(0)
    at = [(t, cell, fragment) for t in range(4) for cell in range(3) for fragment in (0, 1)]
    nodes = pd.DataFrame({"id": range(100, 124), "t": [t for t, _, _ in at]})
    nodes["node_prob"] = [0.8 - 0.5 * fragment + 0.1 * rng.normal() for _, _, fragment in at]
    for name in from_ultrack.OF_NODES:
        nodes[name] = "UNKNOWN"
    nodes["node_annot"] = ["FAKE" if fragment else "REAL" for _, _, fragment in at]
    rows = [
        (100 + i, 100 + j, 0.9 - 0.6 * (a != b), "REAL" if a == b and not f + g else "FAKE")
        for i, (t, a, f) in enumerate(at)
        for j, (following, b, g) in enumerate(at)
        if following == t + 1
    ]
    links = pd.DataFrame(rows, columns=["source_id", "target_id", "weight", "annotation"])
    overlaps = pd.DataFrame({"node_id": range(101, 124, 2), "ancestor_id": range(100, 123, 2)})
    connection = sqlite3.connect(":memory:")
    for name, table in {"nodes": nodes, "links": links, "overlaps": overlaps}.items():
        table.to_sql(name, connection)
    return from_ultrack.tables(connection)


def test_annotations_teach_the_weights_of_the_program(tables):
    x, y = from_ultrack.program(**tables), from_ultrack.annotations(**tables)
    assert len(y) == 4 * 24 + 3 * 36 and {*y[24:96]} == {-1}
    found = IntegerProgramSVM(C=1000.0).fit([x], [y]).predict([x])[0]
    known = y >= 0
    np.testing.assert_array_equal(found[known], y[known])
    # Three cells appear in the first frame and disappear in the last; none divides.
    assert [part.sum() for part in np.split(found[24:96], 3)] == [3, 3, 0]


def test_a_solution_obeys_the_constraints_of_ultrack(tables):
    x = from_ultrack.program(**tables)
    svm = IntegerProgramSVM(C=1000.0).fit([x], [from_ultrack.annotations(**tables)])
    nodes, appear, disappear, divide, links = np.split(svm.predict([x])[0], [24, 48, 72, 96])
    target, source = (tables["links"][name] - 100 for name in ("target_id", "source_id"))
    np.testing.assert_array_equal(nodes, np.bincount(target, links, 24) + appear)
    np.testing.assert_array_equal(nodes + divide, np.bincount(source, links, 24) + disappear)
    assert (nodes[::2] + nodes[1::2] <= 1).all()


def test_the_columns_are_those_of_ultrack():
    database = pytest.importorskip("ultrack.core.database", reason="pip install ultrack")
    nodes = {*database.NodeDB.__table__.columns.keys()}
    links = {*database.LinkDB.__table__.columns.keys()}
    assert {"id", "t", "node_prob", *from_ultrack.OF_NODES} <= nodes
    assert {"source_id", "target_id", "weight", "annotation"} <= links
