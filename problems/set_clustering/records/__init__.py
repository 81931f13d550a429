"""Record linkage: tables of pairs, of which only those that are listed are stored and searched."""
