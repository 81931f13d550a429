"""
Rankings: the best rooms of a search
====================================

A search in a city lists ten rooms with price and size, and guests gave each room a grade. Dear
cities have better rooms; within a city guests prefer cheap rooms. A regression of the grades
compares rooms of different cities, and puts dear rooms first.
:class:`structsvm.problems.RankingSVM` compares rooms of the same search, and is trained for the
measure of the ranking, here NDCG of the first five.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score

from structsvm.problems import RankingSVM

# %%
# A hundred searches are for training, a hundred for testing.

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(200), 10)
city = rng.normal(size=200)[qid]
size, thrift = rng.normal(size=(2, 2000))
X = np.column_stack([city - 0.5 * thrift, size])
liked = 1.2 * city + 0.5 * thrift + 0.5 * size + rng.normal(0, 0.5, 2000)
y = np.digitize(liked, [-2, -1, 0, 1, 2])
train, test = qid < 100, qid >= 100

regression = Ridge().fit(X[train], y[train])
ranking = RankingSVM("ndcg", k=5).fit(X[train], y[train], qid=qid[train])
for name, model in (("regression", regression), ("ranking", ranking)):
    scores = model.predict(X[test]).reshape(-1, 10)
    ndcg = ndcg_score(2 ** y[test].reshape(-1, 10) - 1, scores, k=5)
    print(f"{name:10} NDCG of the first five {ndcg:.3f}, weight of the price {model.coef_[0]:.2f}")

# %%
# Five of the searches, each in its colour. Overall, grades rise with the price, as the regression
# learned (dashed); within a search they fall, as the ranking learned.

figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
order = np.argsort([city[qid == q][0] for q in range(100)])
for q in order[10::20]:
    price, grade = X[qid == q, 0], y[qid == q]
    (points,) = ax.plot(price, grade + rng.uniform(-0.2, 0.2, 10), "o", alpha=0.6)
    ends = np.array([price.min(), price.max()])
    slope = ranking.coef_[0] * (ends - price.mean())
    ax.plot(ends, grade.mean() + slope, color=points.get_color())
ends = np.array([-2.5, 2.5])
ax.plot(ends, regression.intercept_ + regression.coef_[0] * ends, "--", color="tab:gray")
ax.set(xlabel="price", ylabel="grade")
plt.show()
