"""HTML for notebooks: tables of names and values, and a small curve. No network, no scripts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from structsvm.bases import HasParameters

#: Width and height of a curve in pixels, and the frame around it.
WIDTH, HEIGHT, FRAME = 260, 80, 4


class ShowsResult(HasParameters):
    """Adds ``result_`` to the diagram that scikit-learn shows of an estimator in a notebook."""

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if "text/html" in bundle and hasattr(self, "result_"):
            bundle["text/html"] += self.result_._repr_html_()
        return bundle


def table(title: str, rows: Mapping[str, Any], below: str = "") -> str:
    """A table of names and values, as text; ``below`` is HTML."""
    style = 'style="text-align: left; vertical-align: top"'
    cells = "".join(
        f"<tr><th {style}>{escape(name)}</th><td {style}>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table>{below}</div>"


def curve(points: Iterable[tuple[float, float]], title: str) -> str:
    """An inline SVG of positive values on a log scale, as steps; empty for fewer than two."""
    shown = [(x, math.log(y)) for x, y in points if 0 < y < math.inf]
    if len(shown) < 2:
        return ""
    across, up = ([point[axis] for point in shown] for axis in (0, 1))
    xs = _scaled(across, FRAME, WIDTH - FRAME)
    ys = _scaled(up, HEIGHT - FRAME, FRAME)
    path = f"M{xs[0]:.1f},{ys[0]:.1f}" + "".join(
        f"H{x:.1f}V{y:.1f}" for x, y in zip(xs[1:], ys[1:], strict=True)
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img"><title>{escape(title)}</title>'
        f'<path d="{path}" fill="none" stroke="currentColor"/></svg><br>{escape(title)}'
    )


def _scaled(values: Sequence[float], start: float, stop: float) -> list[float]:
    """The values scaled linearly: the least to ``start``, the largest to ``stop``."""
    low, high = min(values), max(values)
    scale = (stop - start) / (high - low) if high > low else 0.0
    return [start + scale * (value - low) for value in values]
