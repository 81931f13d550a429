"""A table of a page, and its text: Markdown for the page, columns for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from benchmarks.store import Content, Row, stored


class Table:
    """What ``render`` makes of the contents of some results, and of parameters of its own."""

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


def found(content: Content, title: str, where: Row | None = None) -> list[Row]:
    """The rows of a title with these values; '' is the first title."""
    rows = content[title] if title else next(iter(content.values()))
    return [row for row in rows if (where or {}).items() <= row.items()]


def lines(
    content: Content,
    title: str,
    columns: Mapping[str, str],
    where: Row | None = None,
    more: Callable[[Row], Row] = dict,
) -> list[Row]:
    """A line for each row, of templates; ``more`` returns columns that they take besides."""
    rows = [row | more(row) for row in found(content, title, where)]
    return [{name: cell(template, row) for name, template in columns.items()} for row in rows]


def pivot(
    content: Content,
    title: str,
    heads: Mapping[str, str],
    column: str,
    text: str,
    names: Mapping[Any, str] | None = None,
    more: Callable[[Row], Row] = dict,
) -> list[Row]:
    """A line for all rows with the same heads, and in it a cell for each value of a column.

    ``names`` are those of the columns that are shown.
    """
    found_lines: dict[str, Row] = {}
    for row in (row | more(row) for row in found(content, title)):
        head = {name: cell(template, row) for name, template in heads.items()}
        line = found_lines.setdefault(str(head), head)
        if names is None or row[column] in names:
            line[(names or {}).get(row[column], row[column])] = cell(text, row)
    return list(found_lines.values())


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
    """The results of one title as they are, but for their digits."""
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
