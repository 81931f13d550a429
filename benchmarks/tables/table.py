"""A table of a page, and its text: Markdown for the page, columns for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.store import Content, Row, stored


class Table:
    """What ``render`` makes of the contents of some results, and of parameters of its own."""

    def __init__(self, render: Callable[..., list[Row]], *results: str, **parameters: Any) -> None:
        self.render, self.results, self.parameters = render, results, parameters

    def rows(self) -> list[Row]:
        return self.render(*map(stored, self.results), **self.parameters)


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
