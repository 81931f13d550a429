"""Record linkage by tables of pairs; only the listed pairs are stored and searched."""
