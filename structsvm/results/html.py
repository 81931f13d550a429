"""HTML without scripts, for notebooks: tables of names and values, and a small curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

#: Width and height of a curve, and the width of the frame around it, in pixels.
WIDTH, HEIGHT, FRAME = 260, 80, 4


def table(title: str, rows: Mapping[str, Any], below: str = "") -> str:
    """Return an HTML table of names and values, which are texts.

    The argument ``below`` is HTML that is shown under the table.
    """
    style = 'style="text-align: left; vertical-align: top"'
    cells = "".join(
        f"<tr><th {style}>{escape(name)}</th><td {style}>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table>{below}</div>"


def curve(points: Iterable[tuple[float, float]], title: str) -> str:
    """Return an SVG of positive values as steps on a log scale, or '' for fewer than two values."""
    shown = [(x, math.log(y)) for x, y in points if 0 < y < math.inf]
    if len(shown) < 2:
        return ""
    xs = _scaled([x for x, _ in shown], FRAME, WIDTH - FRAME)
    ys = _scaled([y for _, y in shown], HEIGHT - FRAME, FRAME)
    steps = (f"H{x:.1f}V{y:.1f}" for x, y in zip(xs[1:], ys[1:], strict=True))
    path = f"M{xs[0]:.1f},{ys[0]:.1f}{''.join(steps)}"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img"><title>{escape(title)}</title>'
        f'<path d="{path}" fill="none" stroke="currentColor"/></svg><br>{escape(title)}'
    )


def _scaled(values: Sequence[float], start: float, stop: float) -> list[float]:
    """Map the least value to ``start``, the largest to ``stop``, and the others linearly."""
    low, spread = min(values), max(values) - min(values) or 1.0
    return [start + (stop - start) * (value - low) / spread for value in values]
