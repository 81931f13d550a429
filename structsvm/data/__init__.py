"""The data of users: arrays, sparse matrices and sequences of examples, checked and converted."""
