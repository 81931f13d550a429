"""Bugs, a file for each subject."""
