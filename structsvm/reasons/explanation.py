"""Explanation: a table of the contributions of features to a margin."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any, NamedTuple

#: Number of rows that are printed.
SHOWN = 10
#: Columns that are printed, unless a column is empty.
HEADER = ("contribution", "position", "feature", "label", "value", "change")


class Reason(NamedTuple):
    """The contribution of one weight to the margin.

    Attributes
    ----------
    position : object
        The position in the input, such as the number of a word; None if inputs have one position.
    feature : str
        The name of the feature, ``intercept``, or the previous label.
    label : object
        The label that the weight belongs to; None if there are no labels.
    value : float
        The value of the feature, in the units of the input.
    weight : float
        By how much the contribution grows per unit of the value: the weight if the prediction has
        the label, and minus the weight if the other output has it.
    contribution : float
        The contribution to the margin. Centred features contribute by their distance from the mean.
    change : float
        The least change of only this value that brings the margin to 0. A binary feature, such as a
        word, has the value 1 if present: without it the prediction changes if ``change`` is between
        -1 and 0. NaN if the value cannot be changed, or if changing it makes no difference.
    """

    position: Any
    feature: str
    label: Any
    value: float
    weight: float
    contribution: float
    change: float

    @property
    def name(self) -> str:
        """Position, feature and label on one line; None is left out."""
        where = "" if self.position is None else f"{self.position}: "
        return f"{where}{self.feature}" + ("" if self.label is None else f" ({self.label})")


@dataclass(eq=False, repr=False)
class Comparison:
    """A prediction and another output, with the margin between their scores."""

    prediction: Any
    other: Any
    margin: float

    @property
    def title(self) -> str:
        """The prediction, the other output and the margin, on one line."""
        both = f"{self.prediction!s:.60} instead of {self.other!s:.60}"
        return f"{both}: margin {self.margin:.4g}"


@dataclass(eq=False, repr=False)
class Explanation(Comparison):
    """The reasons for a prediction, from :func:`structsvm.reasons.explain`.

    Parameters
    ----------
    prediction, other : outputs
        The prediction, and the output that it is compared with.
    margin : float
        The score of the prediction minus the score of the other output.
    rows : list of Reason
        The contributions, the largest first. The sum of the contributions is the margin.
    """

    rows: list[Reason]

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            pandas: Any = import_module("pandas")
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas; install it with: pip install pandas"
            ) from error
        return pandas.DataFrame(self.rows, columns=Reason._fields)

    def __repr__(self) -> str:
        lines = [self.title]
        cells = zip(HEADER, *map(_texts, self.rows[:SHOWN]), strict=True)
        columns = [
            [cell.ljust(max(map(len, column))) for cell in column]
            for column in cells
            if any(column[1:])
        ]
        lines += ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        if (more := len(self.rows) - SHOWN) > 0:
            rest = sum(row.contribution for row in self.rows[SHOWN:])
            lines.append(f"{rest:<+12.4g}  {more} others")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def _texts(row: Reason) -> tuple[str, ...]:
    """Return the cells of a printed row."""
    names = ("" if one is None else str(one) for one in (row.position, row.feature, row.label))
    change = "" if row.change != row.change else f"{row.change:+.4g}"
    return f"{row.contribution:+.4g}", *names, f"{row.value:.4g}", change
