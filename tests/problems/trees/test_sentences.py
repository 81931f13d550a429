"""Sentences of different lengths at once, trees as heads or pairs, features by templates."""

import numpy as np
import pytest

from structsvm.problems.trees.arborescence import best_tree
from structsvm.problems.trees.data import ArcLayout, Trees
from structsvm.problems.trees.features import (
    DB,
    DT,
    HT,
    LENGTHS,
    TEMPLATES,
    D,
    H,
    all_arcs,
    hashes,
    nodes_of,
)
from structsvm.problems.trees.matrix_tree import tree_marginals
from structsvm.problems.trees.problem import arc_marginals, best_heads


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_sentences_at_once_are_those_one_by_one(scale, single_root):
    layout = ArcLayout(np.array([1, 17, 2, 33, 18, 1, 35, 2, 9]))
    scores = scale * np.random.default_rng(0).normal(size=layout.n_arcs)
    heads = best_heads(scores, layout, single_root)
    values, p = arc_marginals(scores, layout, single_root)
    for i, m in enumerate(layout.sizes.tolist()):
        own = scores[layout.arcs.rows(i)].reshape(1, m, m + 1)
        assert heads[layout.rows(i)].tolist() == best_tree(own[0], single_root).tolist()
        value, marginals = tree_marginals(own, single_root)
        assert values[i] == pytest.approx(value[0], rel=1e-13)
        np.testing.assert_allclose(p[layout.arcs.rows(i)], marginals.ravel(), atol=1e-12)


def test_trees_read_as_heads_or_pairs():
    layout = ArcLayout(np.array([2, 1, 3]))
    heads = np.array([2, 0, 0, 0, 1, 1])
    trees = Trees(heads, layout)
    assert [y.tolist() for y in trees] == [[2, 0], [0], [0, 1, 1]]
    codes, names = np.array([0, 1, 1, 1, 0, 0]), np.array(["det", "root"])
    labelled = Trees(heads, layout, codes, names)[np.array([2, 0])]
    assert labelled[1] == [(2, "det"), (0, "root")]
    assert trees.places(layout).tolist() == [2, 3, 6, 8, 13, 17]


SENTENCES = [
    [("The", "DET"), ("old", "ADJ"), ("dog", "NOUN"), ("saw", "VERB"), ("the", "DET")],
    [("Dogs", "NOUN")],
    [("the", "DET"), ("old", "ADJ"), ("dog", "NOUN")],
]
N = 2**31


def described(sentence, head, dependent):
    """The features of one arc: a dictionary of templates, and the rest."""
    nodes = nodes_of([sentence])
    table, _, between = hashes(nodes, np.array([head]), np.array([dependent]), N)
    templates = dict(zip([*TEMPLATES], table[0, ::2], strict=True))
    return templates, table[0, 1::2], set(between.tolist())


def test_equal_values_make_equal_features():
    one, shapes, between = described(SENTENCES[0], 3, 1)
    other, same_shapes, same_between = described(SENTENCES[2], 3, 1)
    for template in TEMPLATES:
        # "dog" is followed by a verb here and by nothing there; "The" and "the" are one word.
        equal = not any(value in template for value in (3,))
        assert (one[template] == other[template]) == equal, template
    assert between == same_between and len(between) == 2
    assert (shapes == same_shapes).sum() == sum(3 not in template for template in TEMPLATES)


def test_other_values_make_other_features():
    one, _, _ = described(SENTENCES[0], 3, 1)
    other, _, _ = described(SENTENCES[0], 3, 2)
    for template in TEMPLATES:
        ends_alike = not set(template) & {D, DT, DB, 7}
        assert (one[template] == other[template]) == ends_alike, template
    distinct = [value for found in (one, other) for value in found.values()]
    shared = sum(not set(t) & {D, DT, DB, 7} for t in TEMPLATES)
    assert len(set(distinct)) == 2 * len(TEMPLATES) - shared


def test_direction_and_length_count():
    m = 14
    sentence = [("w", "X")] * m
    shapes = {}
    for head in range(1, m + 1):
        for dependent in range(1, m + 1):
            if head != dependent:
                _, found, _ = described(sentence, head, dependent)
                length = sum(abs(head - dependent) >= least for least in LENGTHS)
                j = TEMPLATES.index((H, HT))
                shapes.setdefault((head < dependent, length), set()).add(int(found[j]))
    assert len(shapes) == 2 * len(LENGTHS)
    assert all(len(found) == 1 for found in shapes.values())
    assert len(set.union(*shapes.values())) == len(shapes)


def test_tags_between_are_those_strictly_between():
    nodes = nodes_of(SENTENCES)
    heads, dependents = all_arcs(nodes)
    _, arcs, _ = hashes(nodes, heads, dependents, N)
    tags = ["root"] + [tag for _, tag in SENTENCES[0]]
    for arc in range(30):
        low, high = sorted((heads[arc], dependents[arc]))
        assert np.sum(arcs == arc) == 2 * len(set(tags[low + 1 : high]))


def test_the_root_has_a_tag_of_its_own():
    from_root, _, _ = described(SENTENCES[0], 0, 3)
    assert len({int(from_root[(HT,)]), int(from_root[(DT,)]), int(from_root[(H,)])}) == 3
