"""Features by templates: the arcs that share a feature are those that share its values."""

import numpy as np

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
    return (
        dict(zip([*TEMPLATES], table[0, ::2], strict=True)),
        table[0, 1::2],
        set(between.tolist()),
    )


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
