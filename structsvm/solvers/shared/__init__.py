"""Shared by all solvers: the frame, the bounds of a run, its loop, checkpoints."""
