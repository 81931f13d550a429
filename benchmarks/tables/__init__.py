"""The tables of the pages, made of benchmarks/results alone.

A page includes the table ``speed-race`` as ``_tables/speed-race.txt``. Its first word, or words,
name the module that makes it, here benchmarks/tables/speed.py, whose ``TABLES`` say of which
results. The site is built with all of them; ``python -m benchmarks.tables`` writes them to
docs/_tables.
"""
