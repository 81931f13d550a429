"""Rounding errors of bounds: estimated from terms, and at least as large as those made."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.objective import rounding
from structsvm.objective.rounding import LARGEST, MULTIPLE, Rounding, TermSizes, unit_roundoff
from structsvm.planes.plane import SoftSource, weight_of

SINGLE, DOUBLE = 2.0**-24, 2.0**-53


@pytest.mark.parametrize(
    ("X", "unit"),
    [
        (np.ones((2, 3)), DOUBLE),
        (np.ones((2, 3), dtype=np.float32), SINGLE),
        (np.ones((2, 3), dtype=np.float16), SINGLE),  # it becomes float32
        ([(np.ones((2, 3), dtype=np.float32), [1, 0])], SINGLE),
        ([(np.ones((2, 3)), np.ones(2, dtype=int))], DOUBLE),
        (np.ones((2, 3), dtype=int), DOUBLE),
        (np.ones((2, 3), dtype=np.longdouble), DOUBLE),
        (sparse.csr_matrix(np.ones((2, 3), dtype=np.float32)), SINGLE),
        ([np.ones((2, 3), dtype=np.float32)], SINGLE),
        (np.array([np.ones(2, dtype=np.float32), np.ones(3, dtype=np.float32)], object), SINGLE),
        (["a text"], DOUBLE),
    ],
)
def test_the_unit_roundoff_is_that_of_the_inputs(X, unit):
    assert unit_roundoff(X) == unit


def observed(C=10.0, unit=DOUBLE):
    errors = Rounding(C, 2, unit)
    errors.observe(TermSizes(np.array([3.0, 0.5]), 2.0, 2.0))
    return errors


def test_errors_grow_with_the_terms_that_cancel():
    errors, w = observed(), np.array([-1.0, 4.0])
    assert errors.terms.at(w) == 2.0 + 3.0 + 2.0
    assert errors.of_slack(w) == pytest.approx(MULTIPLE * DOUBLE * 7.0)
    assert errors.of_primal(w) == pytest.approx(MULTIPLE * DOUBLE * (10 * 7.0 + 8.5))
    assert observed(unit=SINGLE).of_slack(w) == pytest.approx(MULTIPLE * SINGLE * 7.0)
    # The weight of the planes, not C, counts: where few are needed, the dual is known better.
    assert errors.of_dual(w, 0.01, 0.0) < 0.2 * errors.of_primal(w)


def test_what_an_oracle_misses_is_in_the_primal_value_alone():
    plain, rough, w = observed(), Rounding(10.0, 2, DOUBLE, missed=SINGLE), np.array([-1.0, 4.0])
    rough.observe(plain.terms)
    assert rough.of_primal(w) == pytest.approx(observed(unit=SINGLE).of_primal(w))
    assert rough.of_slack(w) == plain.of_slack(w)
    assert rough.of_dual(w, 1.0, 0.0) == plain.of_dual(w, 1.0, 0.0)


def test_the_square_of_the_error_counts_where_planes_cancel():
    errors = Rounding(1e9, 1, DOUBLE)
    errors.observe(TermSizes(np.array([1e9]), 1.0, 1.0))
    error = MULTIPLE * DOUBLE * 1e9 * 1e9  # of v, which is 0: the planes cancel
    assert errors.of_dual(np.zeros(1), 1e9, 0.0) >= 0.5 * error**2


def test_sizes_are_the_largest_seen():
    errors = observed()
    errors.observe(TermSizes(np.array([1.0, 7.0]), 1.0, 1.0))
    assert errors.terms.rows.tolist() == [3.0, 7.0]
    assert errors.terms.loss == 2.0


def test_a_soft_oracle_is_rougher_at_a_lower_temperature():
    errors, w = observed(), np.array([-1.0, 4.0])
    source = SoftSource(None, w, 0.5)
    assert source.error(errors) == 1 + 7.0 / 0.5
    # In single precision the scores are rough, their distribution is not.
    assert source.error(observed(unit=SINGLE)) == pytest.approx(1.0, abs=1e-7)
    assert errors.least_mu(w) == rounding.LOSSY * DOUBLE * 7.0
    assert observed(unit=SINGLE).least_mu(w) == SINGLE * 7.0


def test_a_plane_is_as_rough_as_its_roughest_part():
    errors, w = observed(), np.array([-1.0, 4.0])
    frozen = SoftSource(np.array([1]), 100 * w, 0.5)
    whole = SoftSource(np.array([0]), w, 0.5, frozen)
    assert whole.error(errors) == frozen.error(errors) > whole._replace(others=None).error(errors)
    assert weight_of([(whole, 2.0)], errors) == 2 * frozen.error(errors)


def test_sizes_whose_squares_may_overflow_are_refused():
    errors = Rounding(1e10, 1, DOUBLE)
    errors.observe(TermSizes(np.array([1e-11 * LARGEST]), 1.0, 1.0))
    with pytest.raises(ValueError, match=r"joint features are as large as 1e[+]141.*Scale"):
        errors.observe(TermSizes(np.array([1e-9 * LARGEST]), 1.0, 1.0))
