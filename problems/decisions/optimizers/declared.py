"""Checks of what an optimizer declares about itself."""

from __future__ import annotations

from typing import Any, get_args

from structsvm.problems.decisions.optimizers.base import Quality, Sense


def require_sense(sense: Any) -> None:
    """Raise a ValueError unless this is 'min' or 'max'."""
    _require_one_of("sense", sense, get_args(Sense))


def require_quality(quality: Any) -> None:
    """Raise a ValueError unless this is 'exact' or 'undergenerating'."""
    _require_one_of("oracle_quality", quality, get_args(Quality))


def _require_one_of(name: str, value: Any, values: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in values:
        raise ValueError(f"{name} must be one of {values}; got {value!r:.60}")
