"""Users' data: checks and conversions of arrays, sparse matrices and sequences of examples."""
