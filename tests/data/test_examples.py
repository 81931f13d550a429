"""Containers of examples: what they all do, whatever they hold."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from structsvm.data.containers import n_examples, take
from structsvm.data.examples import ExampleContainer, Spans


@dataclass(eq=False, repr=False)
class Letters(ExampleContainer):
    letters: Any

    of_examples = ("letters",)

    @classmethod
    def of(cls, letters):
        return cls(np.array(list(letters)))

    def example(self, i):
        return str(self.letters[i])


class Packed(Letters):
    example = ExampleContainer.example


@dataclass(eq=False, repr=False)
class Words(ExampleContainer):
    layout: Spans
    letters: Any
    numbers: Any
    marks: Any
    language: str

    of_rows = ("letters", "marks")
    of_examples = ("numbers",)

    def example(self, i):
        return self.numbers[i], "".join(self.letters[self.layout.rows(i)])


def test_one_example_is_itself_and_several_are_a_container():
    letters = Letters.of("abcd")
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
    letters = Letters.of("abc")
    assert letters.shape == (3,) and n_examples(letters) == len(letters) == 3
    assert list(letters) == ["a", "b", "c"]
    assert repr(letters) == "Letters(['a', 'b', 'c'])"
    assert list(take(letters, [2, 0])) == ["c", "a"]
    assert list(pickle.loads(pickle.dumps(letters))) == list(letters)


def test_an_example_is_a_container_of_itself_where_nothing_else_is_said():
    assert list(map(len, Packed.of("abc"))) == [1, 1, 1]
    assert type(Packed.of("abc")[2]) is Packed and Packed.of("abc")[2].letters == ["c"]
    assert repr(Packed.of("abc")) == "<Packed of 3>"


def test_fields_are_divided_by_rows_by_examples_or_not_at_all():
    letters, numbers = np.array(list("tobeornot")), np.arange(4, dtype=np.float32)
    words = Words(Spans(np.array([2, 2, 2, 3])), letters, numbers, None, "en")
    assert list(words) == [(0, "to"), (1, "be"), (2, "or"), (3, "not")]
    for which in (slice(1, 3), [3, 0], np.array([True, False, False, True]), slice(0, 0)):
        some = words[which]
        assert list(some) == [list(words)[i] for i in np.arange(4)[which]]
        assert (some.language, some.marks) == ("en", None)
    assert words.in_double().numbers.dtype == np.float64 and numbers.dtype == np.float32
    assert list(words.with_fields(numbers=[4, 5, 6, 7]))[1] == (5, "be")
