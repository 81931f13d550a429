"""Optional files of arrays: they load, or the error says what to supply."""

import io
import os

import numpy as np
import pytest

from structsvm.datasets import (
    FOLDER_VARIABLE,
    load_file,
)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("ionosphere", (351, 34)), ("letter", (20000, 16)), ("mnist", (70000, 784)),
        ("satimage", (6435, 36)),
    ],
)  # fmt: skip
def test_optional_files(name, shape):
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        pytest.skip(f"{FOLDER_VARIABLE} names no folder of data files")
    arrays = load_file(name)
    assert arrays["X"].shape == shape
    assert len(arrays["y"]) == len(arrays["X"])


def test_no_folder_and_no_such_file(tmp_path, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=r"No folder .* letter\.npz .* X and y"):
        load_file("letter")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"letter\.npz does not exist\. Write letter\.npz"):
        load_file("letter")
    with pytest.raises(TypeError, match="folder must be a path or None; got 7"):
        load_file("own", 7)


def test_any_file_with_X_and_y_of_one_length(tmp_path):
    np.savez(tmp_path / "own.npz", X=np.eye(2), y=[0, 1], split=[0, 1])
    assert sorted(load_file("own", tmp_path)) == ["X", "split", "y"]
    np.savez(tmp_path / "own.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"own\.npz lacks y\. Write own\.npz"):
        load_file("own", tmp_path)
    np.savez(tmp_path / "own.npz", X=np.eye(2), y=np.zeros(3))
    with pytest.raises(ValueError, match=r"X of shape \(2, 2\) and y of shape \(3,\)"):
        load_file("own", tmp_path)


@pytest.mark.parametrize(
    "name", ["../own", "/own", "folder/own", "", ".", "..", "own\0", 7, None, b"own"], ids=repr
)
def test_a_name_that_leaves_the_folder(tmp_path, name):
    np.savez(tmp_path / "own.npz", X=np.eye(2), y=[0, 1])
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=r"name must be that of a file without \.npz"):
        load_file(name, tmp_path / "folder")


def archive(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def array_file():
    file = io.BytesIO()
    np.save(file, np.eye(3))
    return file.getvalue()


GOOD = archive(X=np.eye(3), y=np.arange(3))
BROKEN = {
    "empty": b"",
    "text": b"not an archive",
    "cut": GOOD[:200],
    "without its end": GOOD[:-60],
    "damaged": GOOD[:60] + bytes(20) + GOOD[80:],
    "pickled": archive(X=np.array([{}, []], dtype=object), y=np.arange(2)),
    "an array": array_file(),
    "numbers": archive(X=np.float64(1), y=np.float64(1)),
    "X is a number": archive(X=np.float64(1), y=np.arange(3)),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file(tmp_path, kind):
    (tmp_path / "own.npz").write_bytes(BROKEN[kind])
    with pytest.raises(ValueError, match=r"own\.npz (cannot be read|holds X).*Write own\.npz"):
        load_file("own", tmp_path)
