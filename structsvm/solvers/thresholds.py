"""Thresholds at which one algorithm hands over to the next, and by which 'auto' plans.

Each names the script in which a change of it shows.
"""

# ---------------------------------------------------------------------- the plan of 'auto'

#: Steps on single sparse examples pay where n times the length of w is at least this number: a step
#: on all is expensive then (benchmarks/speed/newsgroups.py).
MANY = 2_000_000
#: Largest number of examples for which a quadratic program with some planes for each is small
#: (benchmarks/speed/oracle_cost.py),
FEW = 100
#: and the same within bounds, where the planes cannot be kept smoothed instead, for an oracle that
#: is expensive or may miss outputs (benchmarks/speed/expensive_oracle.py).
FEW_WITHIN_BOUNDS = 500
#: Largest number of examples times the length of w for which planes are kept by example (memory:
#: 16 GB as float64).
MEMORY = 2e9

# ---------------------------------------------------------------------- few rows

#: Examples are few for an interior-point method up to this number
#: (benchmarks/speed/few_wide_rows.py).
FEW_ROWS = 1000

# ---------------------------------------------------------------------- the ascent of the dual

#: It is slow where this many epochs... (benchmarks/speed/newsgroups.py)
ASCENT_PATIENCE = 20
#: ...have not lowered the gap to this fraction,
ASCENT_FALL = 0.7
#: and where at that rate more than this many more would be needed.
ASCENT_EPOCHS = 500

# ---------------------------------------------------------------------- rounds without progress

#: Rounds of L-BFGS, or passes of cached planes or of Frank-Wolfe steps, that may hardly lower the
#: gap (benchmarks/solvers, and speed/expensive_oracle.py).
PATIENCE = 20
