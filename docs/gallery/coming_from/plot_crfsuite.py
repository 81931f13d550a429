"""
From sklearn-crfsuite: the parts of a recipe
============================================

A program of sklearn-crfsuite, line by line: features of words, ``CRF``, flat F1, a look at the
weights and a search for parameters. :doc:`The guide </coming_from>` has a table of all names.
"""

from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import loguniform
from sklearn.metrics import f1_score
from sklearn.model_selection import RandomizedSearchCV

from structsvm.problems import ChainSVM, segment_f1_score

# %%
# Lines of recipes are drawn from patterns. Half of the ingredients in the test lines do not occur
# in training, and some words mean two things: 2 cloves of garlic, 1 tsp of cloves.

PATTERNS = """
QTY UNIT NAME
QTY UNIT of NAME
QTY UNIT NAME , PREP
QTY UNIT PREP NAME
QTY NAME , PREP
QTY PREP NAME
NAME , PREP , to taste
"""
PARTS = {
    "QTY": "1|2|3|10|200|500|1/2|3/4|a|one|two",
    "UNIT": "cup|cups|tbsp|tsp|g|kg|ml|cloves|slices|cans|pinch|stick",
    "PREP": "chopped|finely chopped|grated|melted|peeled and diced|thinly sliced|ground|toasted",
    "NAME": "brown sugar|garlic|olive oil|cloves|sea salt|onions|black pepper|cinnamon stick|flour|"
    "sweet potatoes|butter|chilli flakes|rice|bay leaves|almonds|white wine vinegar",
}
NEW_NAMES = "coconut milk|walnuts|cheddar cheese|red onions|mustard seeds|honey|sesame oil|carrots"


def draw(rng, parts):
    """Return the words of a line and their labels; a part begins with B and goes on with I."""
    words, labels = [], []
    for symbol in rng.choice(PATTERNS.strip().split("\n")).split():
        part = rng.choice(parts[symbol].split("|")).split() if symbol in parts else [symbol]
        words += part
        marks = [f"B-{symbol}"] + [f"I-{symbol}"] * (len(part) - 1)
        labels += marks if symbol in parts else ["O"]
    return words, labels


rng = np.random.default_rng(0)
train = [draw(rng, PARTS) for _ in range(60)]
test_parts = PARTS | {"NAME": f"{PARTS['NAME']}|{NEW_NAMES}|{NEW_NAMES}"}
test = [draw(rng, test_parts) for _ in range(200)]
print(*[f"{word}/{label}" for word, label in zip(*train[0], strict=True)])

# %%
# The features of a word are dicts, as for CRFsuite, and the function that makes them stays. Only
# ``BOS`` and ``EOS`` go: ``ChainSVM`` has weights for the first and the last label.


def word2features(words, i):
    word = words[i]
    features = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-2:]": word[-2:],
        "word.isdigit()": word.isdigit(),
    }
    if i > 0:
        features["-1:word.lower()"] = words[i - 1].lower()
    if i < len(words) - 1:
        features["+1:word.lower()"] = words[i + 1].lower()
    return features


X_train, X_test = (
    [[word2features(words, i) for i in range(len(words))] for words, _ in lines]
    for lines in (train, test)
)
y_train, y_test = ([labels for _, labels in lines] for lines in (train, test))

# %%
# With sklearn-crfsuite:
#
# .. code-block:: python
#
#     crf = sklearn_crfsuite.CRF(
#         algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True
#     )
#     crf.fit(X_train, y_train)
#     y_pred = crf.predict(X_test)
#     metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels)
#
# Here ``loss="log_loss"`` trains the same kind of model, with a weight for every transition. C =
# n / (2 c2) regularises like c2 if ``scale=None`` leaves the features unchanged. There is no c1.
# Training ends with a certificate.

C = len(X_train) / (2 * 0.1)
crf = ChainSVM(loss="log_loss", C=C, scale=None).fit(X_train, y_train)
print(crf.result_)

# %%
# The flat F1 is scikit-learn's F1 of joined labels. ``segment_f1_score`` counts parts whose
# beginning, end and label are right.

labels = [label for label in crf.classes_ if label != "O"]


def flat_f1(estimator, X, y):
    joined = (list(chain(*part)) for part in (y, estimator.predict(X)))
    return f1_score(*joined, average="weighted", labels=labels)


print(f"flat F1     {flat_f1(crf, X_test, y_test):.3f}")
print(f"F1 of parts {segment_f1_score(y_test, crf.predict(X_test)):.3f}")

# %%
# Weights of labels that follow each other: ``transition_features_`` is the dict that eli5 shows,
# ``transitions_`` has the same weights as an array. After a quantity comes a unit.

figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
image = ax.imshow(crf.transitions_, cmap="viridis")
ax.set_xticks(range(len(crf.classes_)), crf.classes_, rotation=45, ha="right")
ax.set_yticks(range(len(crf.classes_)), crf.classes_)
ax.set(xlabel="next label", ylabel="label")
figure.colorbar(image, label="weight")
plt.show()

# %%
# The features of largest weight, by label.

for label, features in crf.top_features(3).items():
    print(f"{label:7}", ", ".join(f"{name} {weight:.2f}" for name, weight in features))

# %%
# scikit-learn searches for parameters, on the same lists, with C in place of c1 and c2.

space = {"C": loguniform(0.1 * len(X_train), 1000 * len(X_train))}
search = RandomizedSearchCV(crf, space, n_iter=10, cv=3, scoring=flat_f1, random_state=0)
search.fit(X_train, y_train)
print(f"best C: {search.best_params_['C'] / len(X_train):.2g} n")
print(f"flat F1 {flat_f1(search, X_test, y_test):.3f}")

# %%
# Trained for decisions, with the hinge loss and the default C:

svm = ChainSVM().fit(X_train, y_train)
print(f"flat F1 {flat_f1(svm, X_test, y_test):.3f}")
