"""Planes, for all solvers.

``plane`` defines a plane and its source. ``working_set`` stores planes that share slacks, with
their Gram matrix, and ``example_planes`` stores planes of single examples; ``store`` is the base of
both. ``constraints`` has the problem's own constraints, which become planes if w violates them.
"""

from structsvm.planes.plane import Cuts, SoftSource, Source, SupportPlane

__all__ = ["Cuts", "SoftSource", "Source", "SupportPlane"]
