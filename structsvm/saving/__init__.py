"""Saving models and results as numbers and text, without pickles.

``nodes`` defines the descriptions of objects, ``encoder`` describes objects, and ``decoder`` makes
objects of their descriptions. ``trusted`` decides which classes a file may use, and ``names`` has
the names of classes. ``archive`` reads and writes files, and ``models`` has the public functions.
"""

from structsvm.saving.models import load, save

__all__ = ["load", "save"]
