"""Bugs planted in the pool of outputs and in its search."""

import pytest
from planted_bugs import FIELDS, Mutants, assert_caught
from pooled_problem import SETS, Choice, choices

from structsvm import OneSlackCuttingPlane, ProblemError, StructuredSVM, check_problem

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(choices, "search_pool")
class ForgetsTheLoss(Choice):
    def search_pool(self, X, Y, w, pool):
        return [max(pool, key=lambda s: self._scores(x, w)[list(s)].sum()) for x in X]


@mutant(choices, "search_pool")
class TakesTheFirst(Choice):
    def search_pool(self, X, Y, w, pool):
        return [pool[0]] * len(X)


@mutant(choices, "search_pool")
class MixesUpTheExamples(Choice):
    def search_pool(self, X, Y, w, pool):
        return super().search_pool(X, Y, w, pool)[::-1]


@mutant(choices, "search_pool")
class ReturnsTooFew(Choice):
    def search_pool(self, X, Y, w, pool):
        return super().search_pool(X, Y, w, pool)[1:]


@mutant(choices, "search_pool")
class ReturnsPositions(Choice):
    def search_pool(self, X, Y, w, pool):
        return [pool.index(s) for s in super().search_pool(X, Y, w, pool)]


@mutant(choices, "search_pool")
class ReturnsZeros(Choice):
    """Its measures read a number too, but its joint feature is too short then."""

    def joint_feature(self, x, y):
        return 0 * x if y == 0 else super().joint_feature(x, y)

    def loss(self, y, y_hat):
        return 1.0 if y_hat == 0 else super().loss(y, y_hat)

    def search_pool(self, X, Y, w, pool):
        return [0 for x in X]


@mutant(choices, "search_pool")
class ReturnsZerosUnlisted(ReturnsZeros):
    outputs = None


@mutant(choices, "search_pool")
class ReturnsWhatHasANegativeLoss(Choice):
    def loss(self, y, y_hat):
        return -1.0 if y_hat == () else super().loss(y, y_hat)

    def search_pool(self, X, Y, w, pool):
        return [() for x in X]


def choices_by_sign(seed):
    """Examples of two kinds, each with sets of its own."""
    X, _ = choices(seed)
    return X, [SetsOfOneKind().outputs(x)[0] for x in X]


@mutant(choices_by_sign, "pool_outputs")
class SetsOfOneKind(Choice):
    """Its joint feature is too short for sets of the other kind."""

    def outputs(self, x):
        return SETS[:2] if x[0] > 0 else SETS[2:]

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) if y in self.outputs(x) else x

    def separation_oracle(self, x, y, w):
        return self._best(x, y, w, self.outputs(x))

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda s: self._scores(x, w)[list(s)].sum())

    def search_pool(self, X, Y, w, pool):
        own = [[s for s in pool if s in self.outputs(x)] for x in X]
        return [self._best(*each) for each in zip(X, Y, [w] * len(X), own, strict=True)]


@mutant(choices, "pool_outputs")
class ForgetsTheEarlierPool(Choice):
    def pool_outputs(self, outputs, pool=None):
        return super().pool_outputs(outputs)


@mutant(choices, "pool_outputs")
class PoolsOnLists(Choice):
    def pool_outputs(self, outputs, pool=None):
        return sorted({*(pool or ()), *map(list, outputs)})


@mutant(choices, "pool_outputs")
class ChangesThePool(Choice):
    def pool_outputs(self, outputs, pool=None):
        pool = [] if pool is None else pool
        pool += map(tuple, outputs)
        return pool


@mutant(choices, "pool_outputs")
class PoolsWhatIsNoOutput(Choice):
    def pool_outputs(self, outputs, pool=None):
        return [*super().pool_outputs(outputs, pool), (2, 3, 5)]


@mutant(choices, "pool_outputs")
class KeepsDuplicates(Choice):
    def pool_outputs(self, outputs, pool=None):
        return [*(pool or ()), *map(tuple, outputs)]


@mutant(choices, "pool_outputs")
class LacksThePool(Choice):
    pool_outputs = None


@mutant(choices, "search_pool")
class LacksTheSearch(Choice):
    search_pool = None


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("seed", range(3))
def test_a_correct_pool_is_let_pass(seed):
    report = check_problem(Choice(), *choices(seed), random_state=seed)
    assert "search_pool_finds_the_best" in report.checks


def test_the_pool_needs_no_default():
    class AlwaysGiven(Choice):
        def pool_outputs(self, outputs, pool):
            return super().pool_outputs(outputs, pool)

    check_problem(AlwaysGiven(), *choices(0))
    assert StructuredSVM(AlwaysGiven()).fit(*choices(0)).result_.oracle_calls > 0


def test_a_problem_that_pools_nothing_is_let_pass():
    class OwnSets(Choice):
        def pool_outputs(self, outputs, pool=None):
            return None

    check_problem(OwnSets(), *choices(0))


@pytest.mark.parametrize(
    ("kind", "message"),
    [(LacksThePool, "pool_outputs is missing"), (LacksTheSearch, "search_pool is missing")],
)
def test_one_without_the_other_ends_a_fit(kind, message):
    with pytest.raises(ProblemError, match=f"{message}.*define both, or neither"):
        StructuredSVM(kind()).fit(*choices(0))
    with pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(kind(), *choices(0))
