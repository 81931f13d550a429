"""The look of the examples' pictures."""

from pathlib import Path
from typing import Any

from matplotlib import style


def reset(gallery_conf: Any, name: str) -> None:
    """Draw an example as the other pictures are drawn, for a light and for a dark page."""
    style.use(Path(__file__).parent / "pictures" / "site.mplstyle")
