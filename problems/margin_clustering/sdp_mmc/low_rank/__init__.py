"""The semidefinite program over a low-rank factor, for thousands of rows and several clusters."""
