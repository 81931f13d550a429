"""Saving models and results as numbers and text, without pickles.

``nodes`` lists what an object is described as; ``encoder`` describes objects, and ``decoder`` makes
them again, of classes that are ``trusted``; ``names`` has the names of classes. ``archive`` is the
file, and ``models`` has the public functions.
"""

from structsvm.saving.models import load, save

__all__ = ["load", "save"]
