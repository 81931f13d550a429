"""The tasks of benchmarks/clustering/kinds.csv, divided by lot, and how one is built."""

import gzip
import subprocess

import numpy as np
import pytest

from benchmarks.clustering import kinds
from benchmarks.clustering._readers import READERS


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_the_halves_are_those_of_the_lot(kind):
    lines = [line for line in kinds.lines() if line.kind == kind]
    sources = sorted({line.name.split()[0] for line in lines})
    drawn = np.random.default_rng(60).permutation(sources)[: len(sources) // 2]
    for line in lines:
        chosen = line.name.split()[0] in drawn
        assert (line.name, line.half) == (line.name, "choosing" if chosen else "confirming")


def test_every_line_is_a_task_of_its_own():
    lines = kinds.lines()
    assert {line.reader for line in lines} == set(READERS)
    assert {line.kind for line in lines} == set(kinds.KINDS)
    assert len({(line.kind, line.name) for line in lines}) == len(lines)


def test_a_task_is_read_from_a_clone(monkeypatch, tmp_path, capsys):
    clone = tmp_path / "of" / "points"
    clone.mkdir(parents=True)
    y = np.repeat([0, 1, 2, 3], [5, 6, 7, 3])  # noise, two classes, and one that is too small
    for end, rows in ((".data.gz", np.c_[np.arange(21), np.ones(21), y]), (".labels0.gz", y)):
        text = "\n".join(" ".join(map(str, np.atleast_1d(row))) for row in rows)
        (clone / f"few{end}").write_bytes(gzip.compress(text.encode()))
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "points"]):
        subprocess.run(["git", "-C", str(clone), *words], check=True)
    few = kinds.Line("shapes", "choosing", "few", "", "points", "of/points", "few", "")
    missing = few._replace(name="more", repository="of/more")
    monkeypatch.setenv("STRUCTSVM_CLUSTERS", str(tmp_path))
    monkeypatch.setattr(kinds, "lines", lambda: [few, missing])
    ((name, X, classes),) = kinds.tasks("shapes", "choosing")
    np.testing.assert_array_equal(X[:, 0], np.arange(5, 18))  # the constant column is left out
    assert (name, X.shape, classes.tolist()) == ("few", (13, 2), [0] * 6 + [1] * 7)
    assert "more (git clone https://github.com/of/more" in capsys.readouterr().out


def test_texts_without_a_shared_word_are_left_out(monkeypatch):
    texts = ["apple pear", "apple pear plum", "lonely"] * 2 + ["apple", "only", "pear", "plum"]
    texts[5] = "solitary"
    y = np.array([0, 1] * 5)
    monkeypatch.setitem(READERS, "articles", lambda *_: (texts, y))
    X, classes = kinds.rows(kinds.Line("texts", "", "", "", "articles", "", "", ""))
    assert X.shape == (7, 3)
    np.testing.assert_allclose(np.asarray(X.multiply(X).sum(axis=1)).ravel(), 1)
    np.testing.assert_array_equal(classes, y[[0, 1, 3, 4, 6, 8, 9]])
