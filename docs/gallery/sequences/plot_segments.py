"""
Words without spaces
====================

A sentence has lost its spaces and is to be divided into words. Most words are in a dictionary, some
are names. :class:`structsvm.problems.SegmentSVM` looks up every segment in the dictionary, and
finds the best division of the whole sentence.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from structsvm.problems import SegmentSVM, segment_f1_score

DICTIONARY = sorted(ENGLISH_STOP_WORDS)


def name(rng):
    return "".join(rng.choice(list(letters)) for letters in ["dklmnrstv", "aeiou"] * 3)


def draw(rng, words):
    """Return a sentence of eight words without spaces, and its words as segments."""
    drawn = [name(rng) if rng.random() < 0.15 else str(rng.choice(words)) for _ in range(8)]
    ends = np.cumsum([0, *map(len, drawn)]).tolist()
    return "".join(drawn), list(zip(ends[:-1], ends[1:], ["word"] * 8, strict=True))


def looked_up(text, start, stop):
    known = text[start:stop] in DICTIONARY
    return {"known": known, "kind": f"{known}, {stop - start} letters"}


def longest_match(text):
    """Cut off the longest word of the dictionary again and again, or a single letter."""
    found, start = [], 0
    while start < len(text):
        stops = range(len(text), start, -1)
        stop = next((stop for stop in stops if text[start:stop] in DICTIONARY), start + 1)
        found.append((start, stop, "word"))
        start = stop
    return found


# %%
# Training and test sentences draw from different halves of the dictionary. Longest match has both
# halves.

rng = np.random.default_rng(0)
words = rng.permutation(DICTIONARY)
X, y = zip(*[draw(rng, words[:159]) for _ in range(60)], strict=True)
X_test, y_test = zip(*[draw(rng, words[159:]) for _ in range(100)], strict=True)

svm = SegmentSVM(looked_up, max_length=12).fit(X, y)
found = {"longest match": list(map(longest_match, X_test)), "SegmentSVM": svm.predict(X_test)}
for method, segments in found.items():
    print(f"{method:13} F1 of words {segment_f1_score(y_test, segments):.3f}")

# %%
# Two test sentences. Wrong words are red.

figure, axes = plt.subplots(2, figsize=(5, 2.6), layout="constrained")
for i, ax in enumerate(axes):
    for row, segments in enumerate(found.values()):
        for segment in segments[i]:
            start, stop, _ = segment
            colour = "tab:blue" if segment in y_test[i] else "tab:red"
            ax.barh(row, stop - start - 0.3, left=start, color="none", edgecolor=colour)
            ax.text(
                (start + stop - 0.3) / 2,
                row,
                X_test[i][start:stop],
                ha="center",
                va="center",
                size=9,
            )
    ax.set(xticks=[], ylim=(1.5, -0.5), frame_on=False)
    ax.set_yticks(range(2), ["longest\nmatch", "SegmentSVM"])
    ax.tick_params(length=0)
plt.show()
