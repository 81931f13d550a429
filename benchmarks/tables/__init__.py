"""The tables of the pages, made from benchmarks/results, and from figures that papers print.

A page includes the table ``speed-race`` as ``_tables/speed-race.txt``. ``TABLES`` of the modules
say of which results a table is made, and how: most are lines of templates, one for each row. The
site is built with all of them; ``python -m benchmarks.tables`` writes them to docs/_tables.
"""
