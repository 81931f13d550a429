"""Planes, for all solvers.

The module ``plane`` defines a plane and its source. The module ``working_set`` stores planes that
share slacks, with their Gram matrix, and ``example_planes`` stores planes of single examples. The
modules ``working_set`` and ``example_planes`` use the base class in ``store``. The module
``constraints`` contains the problem's linear constraints, which become planes if w violates them.
"""

from structsvm.planes.plane import Cuts, SoftSource, Source, SupportPlane

__all__ = ["Cuts", "SoftSource", "Source", "SupportPlane"]
