"""A table of a page, and its text: Markdown for the page, columns for a terminal."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from benchmarks.averages import averaged
from benchmarks.store import Content, Row, stored

PRINTED = Path(__file__).parents[1] / "printed"


class Table:
    """A table that ``render`` makes from the contents of some results, and from parameters."""

    def __init__(self, render: Callable[..., list[Row]], *results: str, **parameters: Any) -> None:
        self.render, self.results, self.parameters = render, results, parameters

    def rows(self) -> list[Row]:
        return self.render(*map(stored, self.results), **self.parameters)


class Cells(Formatter):
    """Templates such as '{CPU s:.1f} s', whose fields are columns, whatever their names are.

    Beside the usual ones numbers have the forms '~2', two digits and no fraction from 100 on, and
    '%1', percent with one digit.
    """

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec[:1] == "~":
            return short(value, int(format_spec[1:]))
        if format_spec[:1] == "%":
            return f"{100 * value:.{format_spec[1:]}f}"
        return str(super().format_field(value, format_spec))


def cell(template: str, row: Row) -> str:
    """The text of a template; '' if the row lacks a column of it."""
    try:
        return Cells().vformat(template, (), row)
    except KeyError:
        return ""


def found(
    content: Content,
    title: str | Sequence[str],
    where: Row | None = None,
    more: Callable[[Row], Row] = dict,
    means: Sequence[Sequence[str]] = (),
) -> list[Row]:
    """The rows of a title or of several, '' being the first one.

    Parameters
    ----------
    where : dict
        Columns with the values that the rows must have.
    more : function
        Returns further columns of a row.
    means : sequence of sequences of columns
        Means are taken over all rows that agree in the first columns, over what agrees in the
        second ones, and so on.
    """
    titles = [title or next(iter(content))] if isinstance(title, str) else title
    rows = [row for name in titles for row in content[name]]
    rows = [row | more(row) for row in rows if (where or {}).items() <= row.items()]
    for columns in means:
        rows = averaged(rows, columns)
    return rows


def lines(
    content: Content, title: str | Sequence[str], columns: Mapping[str, str], **chosen: Any
) -> list[Row]:
    """A line for each row that :func:`found` returns, of templates."""
    return filled(found(content, title, **chosen), columns)


def filled(rows: Iterable[Row], columns: Mapping[str, str]) -> list[Row]:
    return [{name: cell(template, row) for name, template in columns.items()} for row in rows]


def transposed(*arguments: Any, **chosen: Any) -> list[Row]:
    """The columns of :func:`lines` as lines, under the texts of the first column."""
    rows = lines(*arguments, **chosen)
    first, *others = rows[0]
    return [{"": name} | {row[first]: row[name] for row in rows} for name in others]


def pivot(
    content: Content,
    title: str | Sequence[str],
    heads: Mapping[str, str],
    column: str,
    text: str,
    names: Mapping[Any, str] | None = None,
    **chosen: Any,
) -> list[Row]:
    """A line for all rows with the same heads, and in it a cell for each value of a column.

    ``names`` are the names of the columns that are shown, in their order; lines that lack one are
    left out.
    """
    found_lines: dict[str, Row] = {}
    for row in found(content, title, **chosen):
        head = {name: cell(template, row) for name, template in heads.items()}
        line = found_lines.setdefault(str(head), head)
        line[row[column]] = cell(text, row)
    if names is None:
        return list(found_lines.values())
    shown = {name: name for name in heads} | dict(names)
    return [
        {shown[key]: line[key] for key in shown if key in line}
        for line in found_lines.values()
        if names.keys() <= line.keys()
    ]


def of_methods(rows: Iterable[Row], title: str = "") -> dict[Any, Row]:
    """The columns of all methods on each data set: ``{TITLE METHOD, COLUMN}`` in templates.

    Of several rows with the same data and method the first one counts.
    """
    by_data: dict[Any, Row] = {}
    for row in rows:
        own = by_data.setdefault(row["data"], {})
        for column, value in row.items():
            own.setdefault(f"{title}{row['method']}, {column}", value)
    return by_data


def printed(paper: str) -> list[Row]:
    """The figures that a paper prints, of benchmarks/printed."""
    with open(PRINTED / f"{paper}.csv", newline="") as file:
        return [
            {name: _number(text) for name, text in row.items() if text}
            for row in csv.DictReader(file)
        ]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def in_paper(row: Row) -> Row:
    """Return our results with the columns of a printed row: ``{paper's COLUMN}`` in templates."""
    return {f"paper's {name}": value for name, value in row.items()}


def beside(paper: str) -> Callable[[Row], Row]:
    """Return the figures that a paper prints for the data of a row."""
    by_data = {row["data"]: in_paper(row) for row in printed(paper)}
    return lambda row: by_data[row["data"]]


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a MyST table, the first column left-aligned."""
    columns = list(rows[0])
    lines = [columns, [":---"] + ["---:"] * (len(columns) - 1)]
    lines += [[str(row[column]) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def aligned(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as lines of text, floats with four digits."""
    whole = rounded(rows, "{:.4g}".format, missing="-")
    lines = [list(whole[0]), *(list(row.values()) for row in whole)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) + "\n"
        for line in lines
    )


def plain(
    content: Content,
    title: str,
    text: Callable[[float], str] = "{:.3g}".format,
    missing: str = "",
) -> list[Row]:
    """Return the results of one title with rounded numbers."""
    return rounded(content[title], text, missing)


def rounded(
    rows: Sequence[Mapping[str, Any]],
    text: Callable[[float], str] = "{:.3g}".format,
    missing: str = "",
) -> list[Row]:
    """Rows of text with the columns of all of them; ``text`` is applied to floats."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return [{column: _cell(row.get(column, missing), text) for column in columns} for row in rows]


def _cell(value: Any, text: Callable[[float], str]) -> str:
    return text(value) if isinstance(value, float) else str(value)


def slashed(*texts: str) -> str:
    """Texts with slashes between them, in one line."""
    return "\u00a0/\u00a0".join(texts)


def short(value: float, digits: int = 3) -> str:
    """Some digits, and no fraction from 100 on."""
    return f"{value:.{digits}g}" if value < 100 else f"{value:.0f}"
