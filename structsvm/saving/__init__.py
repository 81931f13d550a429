"""Saving models and results as numbers and text, without pickle.

The module ``nodes`` defines the descriptions of objects, ``encoder`` describes objects, and
``decoder`` restores objects from their descriptions. The module ``trusted`` decides which classes a
file may contain, and ``names`` maps classes to their names in files. The module ``archive`` reads
and writes files, and ``models`` has the public functions.
"""

from structsvm.saving.models import load, save

__all__ = ["load", "save"]
