"""Bugs planted in the pool of outputs and in its search."""

import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, with_task
from pooled_problem import SETS, Choice, ChoiceTask, choices

from structsvm import OneSlackCuttingPlane, ProblemError, StructuredSVM, check_problem

MUTANTS = Mutants()
task_mutant = MUTANTS.register_task


@task_mutant(Choice, choices, "search_pool")
class ForgetsTheLoss(ChoiceTask):
    def search_pool(self, w, pool):
        scores = self.problem._scores
        return [max(pool, key=lambda s: scores(x, w)[list(s)].sum()) for x in self.X]


@task_mutant(Choice, choices, "search_pool")
class TakesTheFirst(ChoiceTask):
    def search_pool(self, w, pool):
        return [pool[0]] * self.n


@task_mutant(Choice, choices, "search_pool")
class MixesUpTheExamples(ChoiceTask):
    def search_pool(self, w, pool):
        return super().search_pool(w, pool)[::-1]


@task_mutant(Choice, choices, "search_pool")
class ReturnsTooFew(ChoiceTask):
    def search_pool(self, w, pool):
        return super().search_pool(w, pool)[1:]


@task_mutant(Choice, choices, "search_pool")
class ReturnsPositions(ChoiceTask):
    def search_pool(self, w, pool):
        return [pool.index(s) for s in super().search_pool(w, pool)]


class ReadsZeros(Choice):
    """Its measures read a number too, but its joint feature is too short then."""

    def joint_feature(self, x, y):
        return 0 * x if y == 0 else super().joint_feature(x, y)

    def loss(self, y, y_hat):
        return 1.0 if y_hat == 0 else super().loss(y, y_hat)


class ReadsZerosUnlisted(ReadsZeros):
    outputs = None


@task_mutant(ReadsZeros, choices, "search_pool")
class ReturnsZeros(ChoiceTask):
    def search_pool(self, w, pool):
        return [0 for x in self.X]


@task_mutant(ReadsZerosUnlisted, choices, "search_pool")
class ReturnsZerosUnlisted(ReturnsZeros):
    pass


class ReadsNothing(Choice):
    def loss(self, y, y_hat):
        return -1.0 if y_hat == () else super().loss(y, y_hat)


@task_mutant(ReadsNothing, choices, "search_pool")
class ReturnsWhatHasANegativeLoss(ChoiceTask):
    def search_pool(self, w, pool):
        return [() for x in self.X]


def choices_by_sign(seed):
    """Examples of two kinds, each with sets of its own."""
    X, _ = choices(seed)
    return X, [SetsOfOneKind().outputs(x)[0] for x in X]


class SetsOfOneKind(Choice):
    """Its joint feature is too short for sets of the other kind."""

    def outputs(self, x):
        return SETS[:2] if x[0] > 0 else SETS[2:]

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) if y in self.outputs(x) else x

    def separation_oracle(self, x, y, w):
        return self.best(x, y, w, self.outputs(x))

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda s: self._scores(x, w)[list(s)].sum())


@task_mutant(SetsOfOneKind, choices_by_sign, "pool_outputs")
class PoolsSetsOfOneKind(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        return super().pool_outputs(outputs, pool)

    def search_pool(self, w, pool):
        best, outputs = self.problem.best, self.problem.outputs
        pairs = zip(self.X, self.Y, strict=True)
        return [best(x, y, w, [s for s in pool if s in outputs(x)]) for x, y in pairs]


@task_mutant(Choice, choices, "pool_outputs")
class ForgetsTheEarlierPool(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        return super().pool_outputs(outputs)


@task_mutant(Choice, choices, "pool_outputs")
class PoolsOnLists(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        return sorted({*(pool or ()), *map(list, outputs)})


@task_mutant(Choice, choices, "pool_outputs")
class ChangesThePool(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        pool = [] if pool is None else pool
        pool += map(tuple, outputs)
        return pool


@task_mutant(Choice, choices, "pool_outputs")
class PoolsWhatIsNoOutput(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        return [*super().pool_outputs(outputs, pool), (2, 3, 5)]


@task_mutant(Choice, choices, "pool_outputs")
class KeepsDuplicates(ChoiceTask):
    def pool_outputs(self, outputs, pool=None):
        return [*(pool or ()), *map(tuple, outputs)]


@task_mutant(Choice, choices, "pool_outputs")
class LacksThePool(ChoiceTask):
    pool_outputs = None


@task_mutant(Choice, choices, "search_pool")
class LacksTheSearch(ChoiceTask):
    search_pool = None


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("seed", range(3))
def test_a_correct_pool_is_let_pass(seed):
    report = check_problem(Choice(), *choices(seed), random_state=seed)
    assert "search_pool_finds_the_best" in report.checks


def test_the_pool_needs_no_default():
    class AlwaysGiven(ChoiceTask):
        def pool_outputs(self, outputs, pool):
            return super().pool_outputs(outputs, pool)

    problem = with_task(Choice, AlwaysGiven)()
    check_problem(problem, *choices(0))
    assert StructuredSVM(problem).fit(*choices(0)).result_.oracle_calls > 0


def test_a_problem_that_pools_nothing_is_let_pass():
    class OwnSets(ChoiceTask):
        def pool_outputs(self, outputs, pool=None):
            return None

    check_problem(with_task(Choice, OwnSets)(), *choices(0))


@pytest.mark.parametrize(
    ("kind", "message"),
    [(LacksThePool, "pool_outputs is missing"), (LacksTheSearch, "search_pool is missing")],
)
def test_one_without_the_other_ends_a_fit(kind, message):
    problem = with_task(Choice, kind)()
    with pytest.raises(ProblemError, match=f"{message}.*define both, or neither"):
        StructuredSVM(problem).fit(*choices(0))
    with pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(problem, *choices(0))
