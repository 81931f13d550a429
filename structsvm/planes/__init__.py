"""One vocabulary of planes for all solvers.

``plane`` says what a plane is and where it came from; ``working_set`` keeps planes that share
slacks, with their Gram matrix; ``example_planes`` keeps planes by example; ``store`` has what
both share; ``constraints`` has the problem's own constraints, which become planes where w violates
them.
"""

from structsvm.planes.plane import Cuts, SoftSource, Source, SupportPlane

__all__ = ["Cuts", "SoftSource", "Source", "SupportPlane"]
