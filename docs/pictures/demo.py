"""What ``structsvm demo`` draws, in the style of the site."""

from __future__ import annotations

from typing import Any

from structsvm.command_line import demo
from structsvm.displays.drawing import new_figure


def demo_sequences() -> Any:
    """Sequences of noisy digits, read one by one and in a chain."""
    figure = new_figure(*demo.SIZES["demo-sequences.png"])
    demo.draw_reading(figure, demo.read()[0])
    return figure


def demo_clusters() -> Any:
    """Digits clustered without labels, over their scores."""
    figure = new_figure(*demo.SIZES["demo-clusters.png"])
    demo.draw_clusters(figure, *demo.cluster())
    return figure
