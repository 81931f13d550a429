"""Record linkage: tables of pairs, where only listed pairs are stored and searched."""
