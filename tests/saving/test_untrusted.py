"""Files from elsewhere: what they say is not believed."""

import json
import os
import socket
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn
from cases.estimators import MODELS, applied, fitted
from model_files import edited, only
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, OneClassSVM

import structsvm
from structsvm import ArchiveError, Checkpoint, OneSlackCuttingPlane, load, save
from structsvm.problems import Multiclass, MulticlassSVM
from structsvm.saving.archive import BROKEN, Content
from structsvm.saving.decoder import Decoder
from structsvm.saving.encoder import Encoder
from structsvm.saving.names import name_of
from structsvm.saving.nodes import BIT_GENERATORS, SPARSE
from structsvm.saving.trusted import Trusted


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


# ------------------------------------------------------------------------------- arrays of places


class Described:
    """An object as a file describes it; ``loaded`` makes it again, with another array or state."""

    def __init__(self, value):
        encoder = Encoder(name_of=name_of)
        self.root = encoder.encode(value)
        self.table, self.arrays = json.dumps(encoder.table), encoder.arrays

    def loaded(self, changed=None, edit=lambda table: table):
        arrays = [*self.arrays]
        for number, array in (changed or {}).items():
            arrays[number] = array
        table = edit(json.loads(self.table))
        content = Content({}, self.root, table, arrays)
        return Decoder(content, Trusted()).decode(self.root)


def tampered(array):
    """Arrays that an attacker would put in the place of this one."""
    largest = np.iinfo(array.dtype).max
    for place in {0, array.size - 1} if array.size else ():
        for value in (-1, -largest, largest, 10**6):
            changed = array.astype(np.int64)
            changed.reshape(-1)[place] = value
            yield changed
    yield from (array + 0.5, array.reshape(-1)[:0], array[None])
    if array.ndim:
        yield from (array[: len(array) // 2], np.concatenate([array, array]))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", MODELS)
def test_no_array_of_integers_is_believed(name):
    model, X = fitted(name)
    described = Described(model)
    for number, array in enumerate(described.arrays):
        if array.dtype.kind in "iu":
            for other in tampered(array):
                # Another answer is an answer: a file may hold any model. But nothing crashes.
                try:
                    applied(described.loaded({number: other}), X)
                except (*BROKEN, np.linalg.LinAlgError):
                    continue


@pytest.mark.parametrize("kind", SPARSE)
def test_places_in_sparse_matrices_exist(kind):
    matrix = SPARSE[kind](sparse.eye(4) + sparse.eye(4, k=1))
    described = Described(matrix)
    again = described.loaded()
    assert type(again) is type(matrix) and (again != matrix).nnz == 0
    refused = 0
    for number, array in enumerate(described.arrays):
        if array.dtype.kind in "iu":
            for other in tampered(array):
                try:
                    made = described.loaded({number: other})
                except BROKEN:
                    refused += 1
                else:
                    made.check_format() if hasattr(made, "check_format") else made.tocsr()
    assert refused >= 16


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_positions_in_buffers_of_generators_exist(name, legacy):
    generator = BIT_GENERATORS[name](0)
    made = np.random.RandomState(generator) if legacy else np.random.Generator(generator)
    made.bytes(4)
    described = Described(made)
    assert described.loaded().bytes(8) == made.bytes(8)
    places = 0
    for part, most in (("pos", 624), ("buffer_pos", 4)):
        for value in (-1, most + 1, 10**9, "0"):

            def edit(table, part=part, value=value):
                for entry in table:
                    for pair in entry.get("dict", ()):
                        if pair[0] == part:
                            pair[1] = value
                return table

            if edit(json.loads(described.table)) != json.loads(described.table):
                places += 1
                with pytest.raises(BROKEN):
                    described.loaded(edit=edit)
    assert places == (4 if name in ("MT19937", "Philox") else 0)


@pytest.mark.parametrize(
    "entry",
    [
        {"sparse": ["csr_matrix", [4, 4], [{"object": 0}, {"object": 0}, {"object": 0}]]},
        {"masked": [{"object": 0}, {"object": 0}, 0]},
        {"list": [{"scalar": ["f8", {"object": 0}]}]},
    ],
)
def test_lists_are_no_arrays(entry, path):
    def edit(content):
        n = len(content["table"])
        content["table"].append({"list": [1.0, 2.0]})
        only(json.loads(json.dumps(entry).replace('"object": 0', f'"object": {n}')))(content)

    save(MulticlassSVM(), path)
    edited(path, edit)
    with pytest.raises(ArchiveError, match=r"are no arrays|a scalar of"):
        load(path)


# ------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("package", [structsvm, structsvm.problems, sklearn, sklearn.metrics])
@pytest.mark.parametrize("kind", ["instance", "name"])
def test_a_refused_name_imports_no_module(package, kind, path, monkeypatch):
    folder = path.parent
    (folder / "evil.py").write_text("raise SystemExit('executed')")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.syspath_prepend(folder)
    for place in (f"{package.__name__}.evil", f"{package.__name__}.evil.more", "evil"):
        name = f"{place}:Evil"
        save(MulticlassSVM(), path)
        edited(path, only({"list": [{kind: [name, [], []] if kind == "instance" else name}]}))
        with pytest.raises(ArchiveError):
            load(path)
        with pytest.raises(ArchiveError):
            Trusted(packages={"toy_problems"}).find(name)
    for name in ("structsvm.__main__:main", "structsvm.displays:nothing", "sklearn.conftest:X"):
        before = {*sys.modules}
        with pytest.raises(ArchiveError):
            Trusted().find(name)
        assert {*sys.modules} == before


@pytest.mark.parametrize("estimator", [SVC(), OneClassSVM(), KNeighborsClassifier(), KMeans()])
def test_estimators_whose_compiled_code_believes_their_arrays_need_trust(estimator, path):
    save(make_pipeline(estimator), path)
    with pytest.raises(ArchiveError, match="not an estimator of scikit-learn that any file may"):
        load(path)
    assert type(load(path, trusted=[type(estimator)])[0]) is type(estimator)


# ------------------------------------------------------------------------------------------- files


def pipe(place):
    os.mkfifo(place)


def socket_at(place):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(place))


PLACES = {
    "pipe": pipe,
    "socket": socket_at,
    "device": lambda place: place.symlink_to(os.devnull),
    "pipe of a descriptor": lambda place: place.symlink_to(f"/proc/self/fd/{os.pipe()[1]}"),
    "folder": Path.mkdir,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
@pytest.mark.parametrize("kind", PLACES)
def test_only_regular_files_are_replaced(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    place = Path("place")
    PLACES[kind](place)
    before = os.stat(place)
    checkpoint = Checkpoint(place, 0)
    for use in (
        lambda: save(MulticlassSVM(), place),
        lambda: OneSlackCuttingPlane().solve(
            Multiclass(), *Multiclass.example_data(), checkpoint=checkpoint
        ),
        lambda: load(place),
    ):
        with pytest.raises(OSError, match=r"place is a (folder|device, a pipe or a socket)"):
            use()
    assert os.path.samestat(before, os.stat(place)) and len(os.listdir()) == 1
