"""Coordinate ascent of the dual, by example: :class:`structsvm.DualCoordinateAscent`."""
