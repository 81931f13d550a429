"""The parts that all solvers share: the frame, the bounds of a run, its loop, checkpoints."""
