"""The sentences of the Universal Dependencies English Web Treebank, and features to tag them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.datasets.files import how_to_supply, locate


class Sentence(NamedTuple):
    """The words of a sentence, their parts of speech, and its dependency tree.

    Attributes
    ----------
    words, tags : list of str
    heads : list of int
        The number of each word's head, from 1; 0 for the root.
    relations : list of str
        The labels of the arcs from the heads.
    genre : str
        The first word of the sentence's identifier: of English Web, its kind of text.
    """

    words: list[str]
    tags: list[str]
    heads: list[int]
    relations: list[str]
    genre: str = ""


def sentences(part: str) -> Iterator[Sentence]:
    """Yield the sentences of 'train', 'dev' or 'test', a file in the CoNLL-U format."""
    filename = f"ud_en_ewt_{part}.conllu.gz"
    remedy = how_to_supply(filename, "with sentences in the CoNLL-U format")
    with gzip.open(locate(filename, None, remedy), "rt", encoding="utf-8") as file:
        yield from read(file.read())


def read(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in the CoNLL-U format."""
    for block in text.split("\n\n"):
        fields = [line.split("\t") for line in block.split("\n")]
        # Ranges of words that are written as one, 3-4, and words left out, 5.1, are no words.
        words = [field for field in fields if field[0].isdigit()]
        if words:
            columns = ([field[k] for field in words] for k in (1, 3, 6, 7))
            forms, tags, heads, relations = columns
            genre = re.search(r"^# sent_id = (\w+)", block, re.MULTILINE)
            own = genre.group(1) if genre else ""
            yield Sentence(forms, tags, list(map(int, heads)), relations, own)


def tagged(given: Sequence[Sentence]) -> list[list[tuple[str, str]]]:
    """The sentences as pairs (word, tag)."""
    return [list(zip(sentence.words, sentence.tags, strict=True)) for sentence in given]


def first_sentences(part: str, n: int | None) -> list[Sentence]:
    """The first n sentences of a part; all of them where n is None."""
    return list(islice(sentences(part), n))


def percent_right(found: Any, true: Any) -> float:
    """The percentage of words with the right label, in sentences."""
    return 100 * float(np.mean(np.concatenate(found) == np.concatenate(true)))


def described(words: Sequence[str]) -> list[list[str]]:
    """Ten binary features of every word: itself, its neighbours, its ends and its shape."""
    lower = ["<s>", *(word.lower() for word in words), "</s>"]
    return [
        [
            "constant",
            f"word {lower[i]}",
            f"before {lower[i - 1]}",
            f"after {lower[i + 1]}",
            *(f"ends {lower[i][-length:]} {length}" for length in (1, 2, 3)),
            f"begins {lower[i][:2]}",
            f"shape {_shape(word)}",
            f"case {_case(word, first=i == 1)}",
        ]
        for i, word in enumerate(words, start=1)
    ]


def as_dicts(words: Sequence[str]) -> list[dict[str, Any]]:
    """The same features as dicts of name and value, as CRFsuite and ChainSVM take them."""
    return [
        {"constant": True, **dict(_named(name) for name in row[1:])} for row in described(words)
    ]


def _named(feature: str) -> tuple[str, str]:
    """Name and value of a feature; the length of an ending belongs to the name."""
    name, value = feature.split(" ", 1)
    if name != "ends":
        return name, value
    ending, length = value.rsplit(" ", 1)
    return f"ends {length}", ending


def matrices(
    given: Sequence[Sentence], columns: dict[str, int] | None = None
) -> tuple[list[Any], list[Any], dict[str, int]]:
    """Sparse rows of features in single precision, and the tags, of every sentence.

    ``columns`` has the columns of the features; features without a column are left out. By default
    every feature gets a column. They are returned too.
    """
    known = {} if columns is None else columns
    X = []
    for sentence in given:
        rows = described(sentence.words)
        if columns is None:
            for name in (name for row in rows for name in row):
                known.setdefault(name, len(known))
        X.append([[known[name] for name in row if name in known] for row in rows])
    tags = [np.array(sentence.tags) for sentence in given]
    return [_matrix(rows, len(known)) for rows in X], tags, known


def _matrix(rows: Sequence[Sequence[int]], d: int) -> Any:
    """A CSR matrix of shape (len(rows), d) with ones in the columns of each row."""
    ends = np.cumsum([0, *map(len, rows)])
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    return sparse.csr_matrix(
        (np.ones(len(indices), dtype=np.float32), indices, ends), (len(rows), d)
    )


def _shape(word: str) -> str:
    """Capitals, small letters and digits as X, x and d, with runs of more than two cut short."""
    shape = re.sub("[0-9]", "d", re.sub("[a-z]", "x", re.sub("[A-Z]", "X", word)))
    return re.sub(r"(.)\1+", r"\1\1", shape)


def _case(word: str, first: bool) -> str:
    if word[0].isupper():
        return "first" if first else "capital"
    return "digit" if any(map(str.isdigit, word)) else "other"
