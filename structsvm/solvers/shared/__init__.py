"""What all solvers share: the frame, the record of a run, its loop, checkpoints and checks."""
