"""Write the files that are stored beside the pages: ``python -m docs.writers``."""

from . import store

store()
