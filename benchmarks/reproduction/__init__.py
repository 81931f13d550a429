"""Scripts that reproduce the tables and figures of papers."""
