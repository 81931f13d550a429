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
    """The contribution of one weight to the margin of a prediction.

    Attributes
    ----------
    position : object
        The position in the input, such as the index of a word; None if inputs have only one
        position.
    feature : str
        The name of the feature, the word ``intercept``, or the previous label.
    label : object
        The label to which the weight belongs; None if there are no labels.
    value : float
        The value of the feature, in the units of the input.
    weight : float
        The derivative of the contribution with respect to the value. If the prediction has
        ``label``, ``weight`` is the weight of the feature in the model. If the alternative output
        has ``label``, ``weight`` is minus the weight of the feature in the model.
    contribution : float
        The contribution of the weight to the margin. The contribution of a centred feature is
        computed from the distance of its value from the mean.
    change : float
        The least change of the value, with all other values fixed, that reduces the margin to 0.
        If a feature is 1 where a word is present, and ``change`` is between -1 and 0, the
        prediction would change without the word. NaN if the value cannot be changed, or if a change
        of the value has no effect.
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
        """The position, feature and label on one line, except those that are None."""
        where = "" if self.position is None else f"{self.position}: "
        return f"{where}{self.feature}" + ("" if self.label is None else f" ({self.label})")


@dataclass(eq=False, repr=False)
class Comparison:
    """A prediction and an alternative output, with the margin between their scores."""

    prediction: Any
    other: Any
    margin: float

    @property
    def title(self) -> str:
        """The prediction, the alternative output and the margin, on one line."""
        both = f"{self.prediction!s:.60} instead of {self.other!s:.60}"
        return f"{both}: margin {self.margin:.4g}"


@dataclass(eq=False, repr=False)
class Explanation(Comparison):
    """The reasons for a prediction, as returned by :func:`structsvm.reasons.explain`.

    Parameters
    ----------
    prediction, other : outputs
        The prediction, and the output with which the prediction is compared.
    margin : float
        The score of the prediction minus the score of the alternative output.
    rows : list of Reason
        The contributions, from the largest to the smallest. The sum of the contributions is the
        margin.
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
    """Return the text of each cell of a printed row."""
    names = ("" if one is None else str(one) for one in (row.position, row.feature, row.label))
    change = "" if row.change != row.change else f"{row.change:+.4g}"
    return f"{row.contribution:+.4g}", *names, f"{row.value:.4g}", change
