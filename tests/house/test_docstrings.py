"""Docstrings: complete for every public name, and how base classes complete them."""

import inspect
import re
import subprocess
import sys

import pytest
from cases.estimators import MODELS, fitted, model_of
from public_names import PUBLIC

from structsvm import StructuredSVM
from structsvm.docstrings import NOTE, documented, entries

#: Errors have those of all errors, and members of an enumeration are not made by a call.
WITHOUT_PARAMETERS = {
    "structsvm.ArchiveError", "structsvm.InfeasibleConstraintsError", "structsvm.ProblemError",
    "structsvm.Status", "structsvm.StructSVMError",
}  # fmt: skip
#: A description that sends the reader elsewhere.
ELSEWHERE = re.compile(r"^ +As (in|for|with)\b|(attributes|parameters): see", re.MULTILINE)


class Base:
    """A base.

    Parameters
    ----------
    a : int
        The base's a.
    b, c : int
        Both.

    Attributes
    ----------
    found_ : int
        What was found.
    declared : int, default=0
        What a class declares.
    """

    def fit(self, X, y):
        """Fit.

        Parameters
        ----------
        X : array
            Rows.
        y : array
            Labels.
        """

    def score(self, X, y):
        """Score.

        Parameters
        ----------
        y : array
            True labels.

        Returns
        -------
        float
        """


@documented
class Derived(Base):
    """A class.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    a : float, default=1.0
        Its own a.

        In two paragraphs.

    Examples
    --------
    >>> Derived().a
    1.0
    """

    def __init__(self, c=0, a=1.0, b=0):
        self.a = a

    def score(self, X, y):
        """Score better."""

    def undescribed(self, X):
        pass


def test_a_class_describes_what_its_bases_do_and_what_it_has_itself():
    assert inspect.getdoc(Derived) == inspect.cleandoc(
        """A class.

        Parameters
        ----------
        b, c : int
            Both.
        a : float, default=1.0
            Its own a.

            In two paragraphs.

        Attributes
        ----------
        found_ : int
            What was found.

        Examples
        --------
        >>> Derived().a
        1.0
        """
    )


def test_a_method_describes_what_that_of_a_base_does_and_else_fit():
    assert inspect.getdoc(Derived.score) == inspect.cleandoc(
        """Score better.

        Parameters
        ----------
        X : array
            Rows.
        y : array
            True labels.
        """
    )
    assert Derived.undescribed.__doc__ is None
    assert "Returns" in Base.score.__doc__ and "Rows" not in Base.score.__doc__


@pytest.mark.slow
def test_classes_are_as_before_where_docstrings_are_left_out():
    source = "from structsvm.problems import ChainSVM; assert not ChainSVM.fit.__doc__"
    subprocess.run([sys.executable, "-OO", "-c", source], check=True)


# ---------------------------------------------------------------------- all public names


def parameters(thing):
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def public_methods(thing):
    """The methods of a class of this package by name; of other things, none."""
    found = inspect.getmembers(thing, inspect.isroutine) if inspect.isclass(thing) else []
    ours = (pair for pair in found if "structsvm" in str(getattr(pair[1], "__module__", None)))
    return {name: method for name, method in ours if not name.startswith("_")}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_and_its_methods_are_described_where_they_are(name):
    """And their parameters are, in the order of the signature."""
    thing = PUBLIC[name]
    for part, called in {"": thing, **public_methods(thing)}.items():
        text, described = inspect.getdoc(called), [*entries(called, "Parameters")]
        assert text, part
        assert not ELSEWHERE.search(text), part
        assert NOTE.strip() not in text
        if described or inspect.isfunction(thing):
            assert described == parameters(called), part
        elif not part and name not in WITHOUT_PARAMETERS:  # a tuple or a result has attributes
            assert entries(thing, "Attributes").keys() >= {*parameters(thing)}


@pytest.mark.parametrize("name", [n for n in PUBLIC if hasattr(PUBLIC[n], "_get_param_names")])
def test_a_signature_begins_with_what_people_set(name):
    """Positional parameters keep their places; then loss, C, the class's own, and those of runs."""
    given = inspect.signature(PUBLIC[name]).parameters.values()
    names = [p.name for p in given if p.kind is p.KEYWORD_ONLY]
    first = [other for other in ("loss", "C") if other in names]
    shared = {*entries(StructuredSVM, "Parameters")} - {"problem", "C"}
    of_runs = [other for other in names if other in shared | {"tol"}]
    assert names[: len(first)] == first
    assert names[len(names) - len(of_runs) :] == of_runs


@pytest.mark.parametrize("name", MODELS)
def test_attributes_of_a_fitted_estimator_are_described(name):
    kind, model = type(model_of(name)[0]), fitted(name)[0]
    found = {key for key in [*vars(model), *dir(kind)] if re.fullmatch(r"[a-zA-Z]\w*_", key)}
    assert found <= entries(kind, "Attributes").keys()
