"""The choices in docstrings are those that type checkers allow."""

import pytest
from documented_choices import PUBLIC, annotated, documented

import structsvm
from structsvm.docstrings import entries
from structsvm.problems import MMC, ChainSVM


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_and_annotations_have_the_same_choices(name):
    called = PUBLIC[name]
    listed = entries(called, "Parameters").keys()
    # Where a class inherits an annotation, its docstring may have fewer choices: C without a rule.
    own = listed & vars(called).get("__annotations__", {}).keys()
    allowed, described = annotated(called), documented(called)
    for parameter in described.keys() | (allowed.keys() & own):
        words, choices = described.get(parameter), allowed.get(parameter)
        fewer = parameter not in own and words and choices and words <= choices
        assert words == choices or fewer, parameter


def test_choices_are_found_in_both():
    assert documented(ChainSVM)["loss"] == {"hinge", "softmax_margin", "log_loss"}
    assert documented(MMC)["gamma"] == annotated(MMC)["gamma"] == {"scale"}
    assert annotated(structsvm.StructuredSVM)["solver"] == {"auto"}
    assert sum(map(len, map(documented, PUBLIC.values()))) > 60
