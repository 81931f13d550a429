"""The loaders: the bundled digits, and optional files that may or may not be there."""

import gzip
import json
import os

import numpy as np
import pytest

from structsvm.datasets import (
    FILES,
    FOLDER_VARIABLE,
    SHAPES,
    digits,
    digits_pair,
    load_file,
    newsgroups,
    plane,
    ringnorm,
    synth,
    webkb,
    webkb_links,
)

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


def test_digits_are_scaled():
    X, y = digits()
    assert X.shape == (1797, 64)
    assert (X.min(), X.max()) == (0, 1)
    assert set(y) == set(range(10))


@pytest.mark.parametrize(
    ("pair", "n"), [((3, 8), 357), ((1, 7), 361), ((2, 7), 356), ((8, 9), 354)]
)
def test_pairs_of_digits(pair, n):
    X, y = digits_pair(*pair)
    assert X.shape == (n, 64)
    assert set(y) == set(pair)


def test_ringnorm_has_the_moments_of_its_definition():
    X, y = ringnorm(100_000, random_state=1)
    wide, narrow = X[y == 0], X[y == 1]
    assert len(narrow) == pytest.approx(50_000, rel=0.02)
    np.testing.assert_allclose(wide.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(narrow.mean(axis=0), 1 / np.sqrt(20), atol=0.02)
    np.testing.assert_allclose(np.cov(wide.T), 4 * np.eye(20), atol=0.1)
    np.testing.assert_allclose(np.cov(narrow.T), np.eye(20), atol=0.03)


def test_ringnorm_is_the_same_for_the_same_seed():
    np.testing.assert_array_equal(ringnorm(50)[0], ringnorm(50)[0])
    assert not np.array_equal(ringnorm(50)[0], ringnorm(50, random_state=1)[0])


@pytest.mark.parametrize("name", sorted(FILES))
def test_optional_files(name):
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        pytest.skip(f"{FOLDER_VARIABLE} names no folder of data files")
    arrays = load_file(name)
    assert arrays["X"].shape == FILES[name].shape
    assert len(arrays["y"]) == len(arrays["X"])


def test_no_folder(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=r"No folder .* letter\.npz .* \(20000, 16\)"):
        load_file("letter")


def test_no_such_file(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"letter\.npz does not exist\. Write letter\.npz"):
        load_file("letter")


def test_any_file_with_X_and_y(tmp_path):
    np.savez(tmp_path / "own.npz", X=np.eye(2), y=[0, 1], split=[0, 1])
    arrays = load_file("own", tmp_path)
    assert sorted(arrays) == ["X", "split", "y"]


def test_a_file_without_labels(tmp_path):
    np.savez(tmp_path / "own.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"own\.npz lacks y\. Write own\.npz"):
        load_file("own", tmp_path)


@pytest.mark.parametrize(("name", "n_labels"), [("letter", 2), ("own", 3)])
def test_a_file_of_the_wrong_shape(tmp_path, name, n_labels):
    np.savez(tmp_path / f"{name}.npz", X=np.eye(2), y=np.zeros(n_labels))
    with pytest.raises(ValueError, match=rf"X of shape \(2, 2\) and y of length {n_labels}"):
        load_file(name, tmp_path)


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


def test_synth_without_noise_tells_the_clusters():
    X, y = synth(noise=0.0, n_sets=2, n_clusters=3, cluster_size=4, region_size=6, n_active=2)
    assert len(X) == len(y) == 2
    for (rows, cols, features), labels in zip(X, y, strict=True):
        assert features.shape == (66, 36)
        assert np.bincount(labels).tolist() == [4, 4, 4]
        assert np.all(np.diff(features.indptr) == 2)
        assert features.has_canonical_format
        regions = features.indices.reshape(-1, 2) // 6
        assert np.all(regions[:, 0] == regions[:, 1])
        ends = np.sort(np.column_stack([labels[rows], labels[cols]]), axis=1)
        known = {tuple(end): region for end, region in zip(ends, regions[:, 0], strict=True)}
        assert len(set(known.values())) == len(known) == 6
        assert [known[tuple(end)] for end in ends] == regions[:, 0].tolist()


def test_noise_of_synth_is_as_the_paper_counts_it():
    """At 20 % about 70.5 % of the pairs have the right region (section 6.1.3)."""
    clean, y = synth(noise=0.0, n_sets=1, random_state=4)
    rows, cols, features = synth(noise=0.2, n_sets=1, random_state=4)[0][0]
    right = features.indices.reshape(-1, 5)[:, 0] // 50 == clean[0][2].indices[::5] // 50
    assert np.mean(right) == pytest.approx(0.705 + 0.01, abs=0.03)
    assert len(rows) == len(cols) == 4950
    assert np.array_equal(y[0], synth(noise=0.2, n_sets=1, random_state=4)[1][0])


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


@pytest.mark.parametrize("shape", SHAPES)
def test_points_in_the_plane(shape):
    X, y = plane(shape, 3)
    assert X.shape == (80, 2)
    np.testing.assert_array_equal(np.bincount(y), [40, 40])
    np.testing.assert_array_equal(plane(shape, 3)[0], X)
    assert not np.array_equal(plane(shape, 4)[0], X)


def test_a_shape_that_is_not_known():
    with pytest.raises(ValueError, match=r"shape must be one of .*'circles'.*got 'squares'"):
        plane("squares")
