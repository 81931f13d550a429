"""Coordinate ascent of the dual, one example at a time: DualCoordinateAscent."""
