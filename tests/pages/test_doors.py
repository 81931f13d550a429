"""The snippets of coming_from.md that need other packages run, and do what the page says."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from structsvm.datasets import shortest_path_costs
from structsvm.problems import ChainSVM, DecisionFocusedRegressor, MultiLabelSVM

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "coming_from.md").read_text()
SENTENCES = [["unseen", "cats", "ran"], ["cats", "ran"], ["dogs", "unseen"]] * 3
TAGS = [["A", "N", "V"], ["N", "V"], ["N", "A"]] * 3
#: Words of the sentences in pieces.
PIECES = {
    "unseen": ["un", "##seen"],
    "cats": ["cat", "##s"],
    "ran": ["ran"],
    "dogs": ["dog", "##s"],
}
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##seen", "cat", "##s", "ran", "dog"]


def run(section, **names):
    """The names that the snippet of a section defines, where these are given."""
    (text,) = re.findall(rf"^## {section}\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    (code,) = re.findall(r"^```\{code-block\} python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(compile(code, section, "exec"), names)
    return names


class Tokens(dict):
    def word_ids(self):
        return self["words"]


def pieces(words, **options):
    """What a tokenizer of transformers answers: [CLS], the pieces of each word, [SEP]."""
    assert options == {"is_split_into_words": True, "truncation": True, "return_tensors": "pt"}
    ids = [(i, VOCABULARY.index(piece)) for i, word in enumerate(words) for piece in PIECES[word]]
    return Tokens(words=[None, *(i for i, _ in ids), None], pieces=[2, *(p for _, p in ids), 3])


def test_sub_words_of_768_columns_are_pooled_to_words():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    vectors = torch.randn(len(VOCABULARY), 768, generator=torch.Generator().manual_seed(0))

    def encoder(words, pieces):
        return SimpleNamespace(last_hidden_state=vectors[pieces][None])

    names = {"tokenizer": pieces, "encoder": encoder, "sentences": SENTENCES, "tags": TAGS}
    found = run("transformers", **names)
    row = found["embedded"](["ran", "unseen"])
    assert row.shape == (2, 768)
    np.testing.assert_allclose(row[1], vectors[4:6].numpy().mean(axis=0), rtol=1e-6)
    assert isinstance(found["svm"], ChainSVM)
    assert found["svm"].score([found["embedded"](words) for words in SENTENCES], TAGS) == 1.0


def test_an_encoder_of_transformers_feeds_a_chain():
    transformers = pytest.importorskip("transformers", reason="pip install transformers")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    ids = {piece: i for i, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]")
    torch.manual_seed(0)
    size = {"hidden_size": 768, "intermediate_size": 8, "num_attention_heads": 2}
    config = transformers.BertConfig(num_hidden_layers=1, vocab_size=len(VOCABULARY), **size)
    encoder = transformers.BertModel(config).eval()
    names = {"tokenizer": tokenizer, "encoder": encoder, "sentences": SENTENCES, "tags": TAGS}
    found = run("transformers", **names)
    X = [found["embedded"](words) for words in SENTENCES]
    assert X[0].shape == (3, 768) and found["svm"].score(X, TAGS) == 1.0


def test_matrices_of_scikit_multilearn_are_taken_as_they_are(tmp_path, monkeypatch):
    dataset = pytest.importorskip("skmultilearn.dataset", reason="pip install scikit-multilearn")
    from scipy.sparse import lil_matrix

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)).round(3)
    y = (X @ rng.normal(size=(5, 14)) > 0).astype(int)
    dataset.save_to_arff(lil_matrix(X), lil_matrix(y), save_sparse=False, filename="yeast.arff")
    found = run("scikit-multilearn")
    np.testing.assert_array_equal(found["y"].toarray(), y)
    assert isinstance(found["svm"], MultiLabelSVM)
    assert found["svm"].score(found["X"], found["y"]) > 0.9


def test_sparse_label_sets_are_taken_as_they_are():
    """The matrices of scikit-multilearn, without it."""
    from scipy.sparse import lil_matrix

    X, y = lil_matrix(np.eye(4)), lil_matrix(np.eye(4, 3, dtype=int))
    np.testing.assert_array_equal(MultiLabelSVM(C=100.0).fit(X, y).predict(X), y.toarray())


def test_a_model_of_pyepo_is_taken_as_it_is(capsys):
    pytest.importorskip("ortools", reason="pip install ortools")
    pytest.importorskip("pyepo", reason="pip install pyepo")
    X, costs = shortest_path_costs(200, degree=6)
    run("PyEPO", X=X[:100], costs=costs[:100], X_test=X[100:], costs_test=costs[100:])
    assert float(capsys.readouterr().out) < 0.05


def test_candidates_of_ultrack_are_a_program(tmp_path, monkeypatch):
    import sqlite3

    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    nodes = pd.DataFrame({"id": [5, 6, 7], "t": [0, 0, 1], "node_prob": [0.9, 0.2, 0.9]})
    for name in ("node_annot", "appear_annot", "disappear_annot", "division_annot"):
        nodes[name] = ["REAL", "FAKE", "REAL"] if name == "node_annot" else "UNKNOWN"
    links = pd.DataFrame({"source_id": [5, 6], "target_id": [7, 7], "weight": [0.8, 0.1]})
    links["annotation"] = ["REAL", "FAKE"]
    connection = sqlite3.connect("data.db")
    overlaps = pd.DataFrame({"node_id": [5], "ancestor_id": [6]})
    for name, table in {"nodes": nodes, "links": links, "overlaps": overlaps}.items():
        table.to_sql(name, connection)
    connection.close()
    found = run("motile and ultrack")
    assert found["found"]["nodes"]["selected"].tolist() == [1, 0, 1]


class Cheapest:
    """What a model of PyEPO offers, without PyEPO; it cannot be copied."""

    modelSense = 1

    def setObj(self, c):
        self.c = np.asarray(c)

    def solve(self):
        decision = np.eye(len(self.c))[np.argmin(self.c)]
        return decision.tolist(), float(decision @ self.c)

    def __deepcopy__(self, memo):
        raise TypeError("a solver in C")


def test_a_model_with_the_methods_of_pyepo_is_called():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    costs = X @ rng.normal(size=(3, 4))
    model = DecisionFocusedRegressor(Cheapest()).fit(X, costs)
    assert model.regret(X, costs) < 0.02
    with pytest.raises(ValueError, match="Cheapest minimises: write sense='min' where it is used"):
        DecisionFocusedRegressor(Cheapest(), sense="max").fit(X, costs)
