"""About: the declaration of an estimator that feeds pages and tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class About(NamedTuple):
    """The lines of an estimator on the pages, and an example of its data.

    The attribute ``about`` of an estimator holds it. ``python -m docs.writers`` makes the rows of
    tables of it, and the tests of all estimators fit the example.

    Attributes
    ----------
    section : str
        Its section of the page "Find your estimator" and of the reference.
    predicts : str
        The task, as one who looks for the estimator would say it.
    X, y : str
        The data that ``fit`` takes.
    page : str
        The guide, a file of docs/, with an anchor where it is a section of a page.
    score : str, optional
        What ``score`` returns; none for clusterers without labels.
    example_data : callable, optional
        It returns X and y for ``fit``. Default: a matrix, and a label of three for each row.
    """

    section: str
    predicts: str
    X: str
    y: str
    page: str
    score: str = ""
    example_data: Callable[[], tuple[Any, Any]] | None = None
