"""Claims of results on random problems, and the errors that bad inputs end in."""
