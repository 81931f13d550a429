"""Correct problems, a file for each kind of structure, and unusual ones."""
