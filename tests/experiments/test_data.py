"""The data of the benchmarks: halves drawn by lot, files that may be missing, and their texts."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from linkage_data import drawn_records

from benchmarks import item_sets
from benchmarks.clustering import kinds
from benchmarks.clustering._sets import BUILDERS
from benchmarks.clustering._tasks import PARTS
from benchmarks.defaults import _items
from benchmarks.reproduction import _sets
from benchmarks.set_clustering import _linkage, _records
from benchmarks.texts import newsgroups, webkb, webkb_links


@pytest.fixture
def equality(monkeypatch):
    """Strings are similar where they are equal, since jellyfish need not be installed."""
    monkeypatch.setattr(_records, "_similarity", lambda a, b: float(a == b))


# ------------------------------------------------------------- what chose a default, and what not


@pytest.mark.parametrize(("seed", "prefix"), [(22, ""), (23, "packages, ")])
def test_the_halves_of_tasks_are_those_of_the_lot(seed, prefix):
    choosing, confirming = PARTS[f"{prefix}choosing"], PARTS[f"{prefix}confirming"]
    names = sorted(choosing + confirming)
    order = np.random.default_rng(seed).permutation(len(names))
    half = (len(names) + 1) // 2
    assert sorted(names[i] for i in order[:half]) == list(choosing)
    assert sorted(names[i] for i in order[half:]) == list(confirming)


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_the_halves_of_a_kind_are_those_of_the_lot(kind):
    lines = [line for line in kinds.lines() if line.kind == kind]
    sources = sorted({line.name.split()[0] for line in lines})
    drawn = np.random.default_rng(60).permutation(sources)[: len(sources) // 2]
    for line in lines:
        chosen = line.name.split()[0] in drawn
        assert (line.name, line.half) == (line.name, "choosing" if chosen else "confirming")


def test_every_task_is_in_one_half_and_none_is_of_the_papers():
    assert sorted(name for names in PARTS.values() for name in names) == sorted(BUILDERS)
    assert not {"digits 3v8", "digits 8v9", "digits 1v7", "digits 2v7"} & set(BUILDERS)
    assert not set(_sets.SEVERAL) & set(BUILDERS) - {"digits", "mnist"}  # samples of all classes


def test_no_item_to_predict_is_one_to_learn_from(equality):
    X = np.arange(40.0)[:, None]
    family = _items.Family("", lambda *draw: _items._of_table(X, np.arange(40) // 10, *draw))
    sets, _ = family.sets(10)
    assert not np.intersect1d(np.vstack(sets[:6]), np.vstack(sets[6:])).size
    learn, test = _linkage.divided(drawn_records(60), 0.3, 0)
    assert learn.matches.any() and not set(learn.entity) & set(test.entity)


def test_candidates_for_a_match_agree_in_a_key(equality):
    fields = pd.DataFrame(
        {"name": ["ann", "ann", "bob", None], "town": ["x", "y", "x", None]}, dtype=object
    ).where(lambda table: table.notna(), None)
    pairs = _records.Records("few", fields, np.arange(4), (("name",), ("town",))).candidates()
    assert pairs[["left", "right"]].to_numpy().tolist() == [[0, 1], [0, 2]]
    assert pairs[["name equal", "town equal"]].to_numpy().tolist() == [[1, 0], [0, 1]]


# -------------------------------------------------------------------------- sets of the papers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "shape", "n_clusters"),
    [
        ("digits 0689", (713, 64), 4),
        ("ringnorm", (1000, 20), 2),
        ("letter AvB", (1555, 16), 2),
        ("satellite", (2236, 36), 2),
        ("text-1", (1986, 16175), 2),
        ("webkb texas", (827, 6082), 7),
    ],
)
def test_sizes(name, shape, n_clusters):
    try:
        data = _sets.named(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    assert (data.X.shape, data.n_clusters, len(data.y)) == (shape, n_clusters, shape[0])


@pytest.mark.parametrize(
    ("text", "page", "words"),
    [
        (_sets.article_text, "From: me\nSubject: Re: tyres\n\nFlat.\n\nSubject: none", 5),
        (_sets.page_text, "Server: C\r\n\r\n<title>Home</title> <!-- no --> Tea &amp; cake", 4),
        (_sets.page_text, "<html><title>Home</title>\n\n<p class='a'>Tea &amp; cake", 4),
        (_sets.page_text, "Date: today\n\nWelcome\n\n<p>here", 2),
    ],
)
def test_an_article_and_a_page_lose_their_headers_and_tags(text, page, words):
    assert len(text(page).split()) == words


ARTICLE = "Subject: Re: Orbits\n\nIndeed.\n> The moon moves\n > around the earth\nSo it does."


def test_parts_of_an_article():
    subject, own, quotes, both, everything = item_sets._parts(ARTICLE)
    assert subject.strip() == "Re: Orbits"
    assert own.split() == ["Indeed.", "So", "it", "does."]
    assert quotes.replace(">", "").split() == ["The", "moon", "moves", "around", "the", "earth"]
    assert "Orbits" in both and "moon" not in both
    assert "Orbits" in everything and "moon" in everything


# ------------------------------------------------------------------------------ files of texts

FILES = {
    "20news_bydate.jsonl.gz": (
        lambda folder: newsgroups(["sci.space", "rec.autos"], folder),
        [
            {"group": "rec.autos", "text": "a Ford"},
            {"group": "sci.space", "text": "the Moon"},
            {"group": "rec.sport.hockey", "text": "a puck"},
        ],
    ),
    "webkb_raw.jsonl.gz": (
        lambda folder: webkb("texas", folder),
        [
            {"university": "texas", "cls": "student", "html": "<p>me"},
            {"university": "misc", "cls": "course", "html": "<p>101"},
            {"university": "texas", "cls": "faculty", "html": "<p>us"},
        ],
    ),
}


def zipped(records):
    return gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode())


@pytest.fixture
def folder(tmp_path):
    for name, (_, records) in FILES.items():
        (tmp_path / name).write_bytes(zipped(records))
    arrays = {
        "university": np.array([0, 1, 0, 0]),
        "universities": np.array(["texas", "misc"]),
        "edges": np.array([[0, 2], [1, 2], [3, 0], [2, 2]]),
    }
    np.savez(tmp_path / "webkb_raw_links.npz", **arrays)
    return tmp_path


def test_texts_are_numbered_as_they_were_named_and_pages_by_the_classes_of_the_file(folder):
    texts, y = newsgroups(["rec.sport.hockey", "rec.autos"], folder)
    assert (texts, y.tolist()) == (["a Ford", "a puck"], [1, 0])
    pages, y, classes = webkb("texas", folder)
    assert (pages, y.tolist()) == (["<p>me", "<p>us"], [2, 1])
    assert classes == ["course", "faculty", "student"]
    assert webkb_links("texas", folder).tolist() == [[0, 1], [2, 0], [1, 1]]  # inside texas


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_is_named_with_what_to_write(name, folder):
    load, _ = FILES[name]
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{name} does not exist\. Write {name}"):
        load(folder)
