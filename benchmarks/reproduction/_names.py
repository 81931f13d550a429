"""The names of the data sets in the tables of two papers, in their order; _sets.py reads them."""

from __future__ import annotations

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
#: The sets of two clusters.
PAIRS = (
    *("digits 3v8", "digits 1v7", "digits 2v7", "digits 8v9"),
    *("ionosphere", "ringnorm", "letter AvB", "satellite", "text-1", "text-2"),
)
#: The sets of more clusters.
SEVERAL = (
    *("digits 0689", "digits 1279", "digits", "letter ABCD", "rec"),
    *(f"webkb {name}" for name in UNIVERSITIES),
)
