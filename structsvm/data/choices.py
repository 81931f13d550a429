"""The allowed values of those parameters that several classes share."""

from collections.abc import Mapping
from typing import Any, Literal

Auto = Literal["auto"]
ChoiceOfC = Literal["auto", "cv"]
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
