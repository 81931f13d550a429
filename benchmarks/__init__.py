"""Scripts that measure structsvm: papers' tables, speed, defaults, and how bad inputs end.

Run a script from the root of the clone, for example ``python -m benchmarks.speed.race``. It prints
its tables and writes them as JSON to ``benchmarks/results``. Modules whose names begin with an
underscore, and those of this folder, are shared by scripts.
"""
