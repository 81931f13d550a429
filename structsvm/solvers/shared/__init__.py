"""The parts that all solvers share, such as bounds, the loop of a run, and checkpoints."""
