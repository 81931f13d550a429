"""Shared by all solvers: the frame, the record of a run, its loop, checkpoints and checks."""
