"""The types of choices that several classes offer as parameters."""

from collections.abc import Mapping
from typing import Any, Literal

Auto = Literal["auto"]
ChoiceOfC = Literal["auto", "cv"]
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
