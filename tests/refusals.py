"""Tests made of tables of what is refused, and in which words."""

import pytest


def refused(call, *rows, error=ValueError):
    """A test that a call with the arguments of each row fails, in the words at the row's end."""

    @pytest.mark.parametrize("row", rows, ids=lambda row: row[-1])
    def test(row):
        *given, words = row
        with pytest.raises(error, match=words):
            call(*given)

    return test
