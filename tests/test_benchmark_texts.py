"""Optional files of texts: they load, or the error says what to supply."""

import gzip
import json
import os

import numpy as np
import pytest

from benchmarks.texts import newsgroups, webkb, webkb_links
from structsvm.datasets import FOLDER_VARIABLE

ARTICLES = [
    {"group": "rec.autos", "text": "a Ford"},
    {"group": "sci.space", "text": "the Moon"},
    {"group": "rec.sport.hockey", "text": "a puck"},
]


PAGES = [
    {"university": "texas", "cls": "student", "html": "<p>me"},
    {"university": "misc", "cls": "course", "html": "<p>101"},
    {"university": "texas", "cls": "faculty", "html": "<p>us"},
]


LOADERS = {
    "20news_bydate.jsonl.gz": lambda folder: newsgroups(["rec.autos"], folder),
    "webkb_raw.jsonl.gz": lambda folder: webkb("texas", folder),
}


def write_lines(path, records):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def test_newsgroups_are_numbered_as_they_were_named(tmp_path):
    write_lines(tmp_path / "20news_bydate.jsonl.gz", ARTICLES)
    texts, y = newsgroups(["rec.sport.hockey", "rec.autos"], tmp_path)
    assert texts == ["a Ford", "a puck"]
    assert y.tolist() == [1, 0]


def test_web_pages_are_numbered_by_the_classes_of_the_whole_file(tmp_path):
    write_lines(tmp_path / "webkb_raw.jsonl.gz", PAGES)
    pages, y, classes = webkb("texas", tmp_path)
    assert pages == ["<p>me", "<p>us"]
    assert classes == ["course", "faculty", "student"]
    assert y.tolist() == [2, 1]


def test_a_group_that_is_not_there(tmp_path):
    write_lines(tmp_path / "20news_bydate.jsonl.gz", ARTICLES)
    with pytest.raises(ValueError, match=r"\['rec\.boats'\] .* It has rec\.autos, rec\.sport"):
        newsgroups(["rec.autos", "rec.boats"], tmp_path)


def test_a_university_that_is_not_there(tmp_path):
    write_lines(tmp_path / "webkb_raw.jsonl.gz", PAGES)
    with pytest.raises(ValueError, match=r"\['oxford'\] .* It has misc, texas"):
        webkb("oxford", tmp_path)


@pytest.mark.parametrize(("name", "loader"), LOADERS.items())
def test_no_file_of_texts(tmp_path, monkeypatch, name, loader):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=rf"No folder .* Write {name} with gzip"):
        loader(None)
    with pytest.raises(FileNotFoundError, match=rf"{name} does not exist\. Write {name}"):
        loader(tmp_path)


def test_where_the_articles_come_from(tmp_path):
    with pytest.raises(FileNotFoundError, match="fetch_20newsgroups"):
        newsgroups(["rec.autos"], tmp_path)


@pytest.mark.parametrize(("name", "loader"), LOADERS.items())
@pytest.mark.parametrize(
    "content",
    [b"plain", gzip.compress(b"no JSON"), gzip.compress(b"{}")[:-4], gzip.compress(b"\xff")],
    ids=["not gzip", "not JSON", "cut short", "not text"],
)
def test_a_file_that_cannot_be_read(tmp_path, name, loader, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} cannot be read: .* Write {name}"):
        loader(tmp_path)


@pytest.mark.parametrize(("name", "loader"), LOADERS.items())
@pytest.mark.parametrize("record", [{"text": "no group"}, ["a list"]])
def test_texts_without_their_fields(tmp_path, name, loader, record):
    good = {"20news_bydate.jsonl.gz": ARTICLES, "webkb_raw.jsonl.gz": PAGES}[name]
    write_lines(tmp_path / name, [good[0], record])
    with pytest.raises(ValueError, match=rf"{name} lacks .* in line 2\. Write {name}"):
        loader(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get(FOLDER_VARIABLE), reason=f"{FOLDER_VARIABLE} names no folder of data files"
)
def test_optional_texts():
    texts, y = newsgroups(["rec.autos", "rec.motorcycles"])
    assert np.bincount(y).tolist() == [990, 996]
    assert all(text.startswith("From:") for text in texts[:5])
    pages, y, classes = webkb("cornell")
    assert (len(pages), len(y), len(classes)) == (867, 867, 7)
    links = webkb_links("cornell")
    assert links.shape[1] == 2
    assert 0 <= links.min() <= links.max() < 867
    assert len(links) > 1000


def links_file(folder, **changes):
    arrays = {
        "university": np.array([0, 1, 0, 0]),
        "universities": np.array(["texas", "misc"]),
        "edges": np.array([[0, 2], [1, 2], [3, 0], [2, 2]]),
    }
    arrays.update(changes)
    kept = {name: array for name, array in arrays.items() if array is not None}
    np.savez(folder / "webkb_raw_links.npz", **kept)


def test_links_are_those_inside_a_university(tmp_path):
    links_file(tmp_path)
    assert webkb_links("texas", tmp_path).tolist() == [[0, 1], [2, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"\['oxford'\] .* It has misc, texas"):
        webkb_links("oxford", tmp_path)
    links_file(tmp_path, edges=None)
    with pytest.raises(ValueError, match=r"lacks edges\. Write webkb_raw_links\.npz"):
        webkb_links("texas", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"Write webkb_raw_links\.npz"):
        webkb_links("texas", tmp_path / "elsewhere")


def test_a_broken_file_of_links(tmp_path):
    (tmp_path / "webkb_raw_links.npz").write_bytes(b"not an archive")
    with pytest.raises(ValueError, match=r"cannot be read.*Write webkb_raw_links\.npz"):
        webkb_links("texas", tmp_path)
