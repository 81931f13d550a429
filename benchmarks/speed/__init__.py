"""Scripts that measure CPU time, memory, and the number of oracle calls."""
