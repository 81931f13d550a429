"""About: the description of an estimator, from which documentation and tests are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class About(NamedTuple):
    """The description of an estimator for the documentation, and an example of its data.

    Every estimator has an About object as its attribute ``about``. ``python -m docs.writers`` makes
    rows of tables from the attributes ``about`` of all estimators. The tests fit every estimator to
    its example data.

    Attributes
    ----------
    section : str
        The section that lists the estimator, on the page "Find your estimator" and in the
        reference.
    predicts : str
        The task, in the words of someone who looks for the estimator.
    X, y : str
        The data that ``fit`` takes.
    page : str
        The file of the guide in docs/, with an anchor if the guide is a section of a page.
    score : str, optional
        The name of the value that ``score`` returns. Empty for clusterers without labels.
    example_data : callable, optional
        A function that returns X and y for ``fit``. By default X is a matrix, and y has one of
        three labels for each row.
    """

    section: str
    predicts: str
    X: str
    y: str
    page: str
    score: str = ""
    example_data: Callable[[], tuple[Any, Any]] | None = None
