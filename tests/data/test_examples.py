"""Containers of examples: what they all do, whatever they hold."""

import pickle

import numpy as np
import pytest

from structsvm.data.containers import n_examples, take
from structsvm.data.examples import ExampleContainer


class Letters(ExampleContainer):
    def __init__(self, letters):
        self.letters = np.array(list(letters))

    def __len__(self):
        return len(self.letters)

    def example(self, i):
        return str(self.letters[i])

    def part(self, which):
        return Letters(self.letters[which])


class Packed(Letters):
    example = ExampleContainer.example


def test_one_example_is_itself_and_several_are_a_container():
    letters = Letters("abcd")
    assert [letters[1], letters[-1], letters[np.int64(0)]] == ["b", "d", "a"]
    for which, expected in (
        (slice(1, 3), "bc"), (slice(None, None, -1), "dcba"), (np.array([3, 0]), "da"), ([2], "c"),
        (np.array([True, False, False, True]), "ad"), (slice(0, 0), ""),
    ):  # fmt: skip
        assert type(letters[which]) is Letters and "".join(letters[which]) == expected
    for wrong in (4, -5):
        with pytest.raises(IndexError):
            letters[wrong]


def test_it_is_a_sequence_of_examples():
    letters = Letters("abc")
    assert letters.shape == (3,) and n_examples(letters) == len(letters) == 3
    assert list(letters) == ["a", "b", "c"]
    assert repr(letters) == "Letters(['a', 'b', 'c'])"
    assert list(take(letters, [2, 0])) == ["c", "a"]
    assert list(pickle.loads(pickle.dumps(letters))) == list(letters)


def test_an_example_is_a_container_of_itself_where_nothing_else_is_said():
    assert list(map(len, Packed("abc"))) == [1, 1, 1]
    assert type(Packed("abc")[2]) is Letters and Packed("abc")[2].letters == ["c"]
