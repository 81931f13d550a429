"""The semidefinite program in a factor of low rank, for thousands of rows and several clusters."""
