"""Write all tables to docs/_tables: ``python -m benchmarks.tables``."""

from benchmarks.tables.pages import write

write()
