"""Rows centred and scaled without a copy."""

import numpy as np
import pytest

from structsvm.datasets import digits_pair
from structsvm.problems import MMC


def test_rows_too_far_from_the_origin_for_their_precision_are_refused():
    X, _ = digits_pair(3, 8)
    with pytest.raises(ValueError, match="precision of float32"):
        MMC().fit((X + 2000).astype(np.float32))
    assert MMC(C=100.0, random_state=0).fit(X + 2000).objective_ == pytest.approx(12.67, abs=0.02)
