"""Ascent of the dual by single examples: :class:`structsvm.DualCoordinateAscent`."""
