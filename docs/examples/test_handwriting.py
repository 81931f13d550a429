"""The readers of words learn, from few words."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import handwriting  # noqa: E402


@pytest.mark.parametrize("kind", ["chain", "softmax"])
def test_a_reader_learns_to_read_the_words_that_it_is_shown(kind, monkeypatch):
    monkeypatch.setattr(handwriting, "EPOCHS", 20)
    try:
        pixels, letters, fold = handwriting.words()
    except FileNotFoundError:
        pytest.skip("ocr_letters.npz is not in the folder STRUCTSVM_DATA")
    some = np.flatnonzero(fold == 0)[:60]
    pixels, letters = [pixels[i] for i in some], [letters[i] for i in some]
    torch.manual_seed(0)
    reader = handwriting.ChainReader(letters) if kind == "chain" else handwriting.LetterReader()
    before = handwriting.error(reader.eval(), pixels, letters)
    after = handwriting.error(handwriting.trained(reader, pixels, letters), pixels, letters)
    assert after < 50 < before
