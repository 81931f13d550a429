"""Thresholds for changing from one algorithm to the next, and for choosing solvers.

Each comment names the benchmark that shows the effect of the threshold.
"""

# ---------------------------------------------------------------------- the plan of 'auto'

#: Steps on single sparse examples pay if n times the length of w is at least this number, because a
#: step on all examples is then expensive (benchmarks/speed/newsgroups.py).
MANY = 2_000_000
#: Largest number of examples for which a quadratic program with some planes for each example is
#: small (benchmarks/speed/oracle_cost.py).
FEW = 100
#: The same with bounds on w, which rule out smoothing, for an oracle that is expensive or may miss
#: outputs (benchmarks/speed/expensive_oracle.py).
FEW_WITHIN_BOUNDS = 500
#: Largest product of the number of examples and the length of w for which planes are kept by
#: example. As float64 they take 16 GB.
MEMORY = 2e9

# ---------------------------------------------------------------------- few rows

#: Largest number of examples for the interior-point method (benchmarks/speed/few_wide_rows.py).
FEW_ROWS = 1000

# ---------------------------------------------------------------------- the ascent of the dual

#: The ascent is slow if two conditions hold (benchmarks/speed/newsgroups.py). This number of epochs
ASCENT_PATIENCE = 20
#: has not lowered the gap to this fraction,
ASCENT_FALL = 0.7
#: and at this rate the ascent would need more than this number of further epochs.
ASCENT_EPOCHS = 500

# ---------------------------------------------------------------------- rounds without progress

#: A run has stalled after this number of rounds of L-BFGS, or passes of cached planes or
#: Frank-Wolfe steps, that hardly lower the gap (benchmarks/solvers and speed/expensive_oracle.py).
PATIENCE = 20
