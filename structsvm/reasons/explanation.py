"""Explanation: a margin by features, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any, NamedTuple

#: Rows that are shown.
SHOWN = 10
#: Columns that are shown, where a row has something in them.
HEADER = ("contribution", "position", "feature", "label", "value", "change")


class Reason(NamedTuple):
    """The part of one weight in the margin.

    Attributes
    ----------
    position : object
        Where in the input, such as the number of a word; None where inputs have one position.
    feature : str
        Its name; or ``intercept``, or the label before.
    label : object
        The label that the weight belongs to; None without labels.
    value : float
        The value of the feature, in the units in which it was given.
    weight : float
        The contribution of the feature's value grows by this per unit: the weight where the
        prediction has the label, and minus the weight where the other output has it.
    contribution : float
        To the margin; features that are centred contribute by their distance from the mean.
    change : float
        The least change of the value, alone, that brings the margin to 0. A feature that is there
        or not, such as a word, has the value 1: without it the prediction is another one if the
        change is from -1 to 0. NaN for what cannot be changed, and what makes no difference.
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
        """Position, feature and label in a line, without those that are None."""
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
        """A line with the prediction, the other output and the margin."""
        both = f"{self.prediction!s:.60} instead of {self.other!s:.60}"
        return f"{both}: margin {self.margin:.4g}"


@dataclass(eq=False, repr=False)
class Explanation(Comparison):
    """The reasons for a prediction; :func:`structsvm.reasons.explain` makes it.

    Parameters
    ----------
    prediction, other : outputs
        What is predicted, and what it is compared with.
    margin : float
        The score of the prediction less the other's.
    rows : list of Reason
        Largest contributions first; they sum to the margin.
    """

    rows: list[Reason]

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            pandas is not installed.
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
    """The cells of a printed row."""
    names = ("" if one is None else str(one) for one in (row.position, row.feature, row.label))
    change = "" if row.change != row.change else f"{row.change:+.4g}"
    return f"{row.contribution:+.4g}", *names, f"{row.value:.4g}", change
