"""Scripts that measure structsvm: papers' tables, defaults, speed, and planted bugs.

Run a script from the root of the clone, for example ``python -m benchmarks sequences/tags``. It
writes its measurements as JSON to ``benchmarks/results`` and prints the tables that
``benchmarks.tables`` makes from them, like the tables of the pages. Modules whose names begin with
an underscore, and the modules of this folder, are shared by scripts.
"""
