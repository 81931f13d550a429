"""ExplanationDisplay: the bars, their names and their sum."""

import numpy as np
import pytest

from structsvm.displays import ExplanationDisplay
from structsvm.displays.drawing import BLUE, ORANGE
from structsvm.problems import ChainSVM, MulticlassSVM

pytest.importorskip("matplotlib")


def test_the_largest_rows_and_the_sum_of_the_others():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 9)), np.repeat(["a", "b", "c"], 20)
    explanation = MulticlassSVM().fit(X, y).explain(X[0])
    display = ExplanationDisplay.from_explanation(explanation)
    lengths = [bar.get_width() for bar in display.bars_]
    assert len(lengths) == 11 and sum(lengths) == pytest.approx(explanation.margin)
    assert lengths[:10] == [row.contribution for row in explanation.rows[:10]]
    colours = [bar.get_facecolor()[:3] for bar in display.bars_]
    assert colours == [BLUE if length > 0 else ORANGE for length in lengths]
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    first = explanation.rows[0]
    assert names[0] == f"{first.feature} ({first.label})" and names[-1].endswith(" others")
    assert display.ax_.get_title() == str(explanation).splitlines()[0]


def test_positions_are_named():
    X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dogs"}, {"word": "bark"}]]
    svm = ChainSVM().fit(X, [["DET", "NOUN"], ["NOUN", "VERB"]])
    explanation = svm.explain(X[0], instead={1: "VERB"})
    display = ExplanationDisplay.from_explanation(explanation)
    assert "1: word:dog (NOUN)" in display.names
    assert len(display.names) == len(explanation.rows)
