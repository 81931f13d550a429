"""Learned matching, compared with assignment without learning."""
