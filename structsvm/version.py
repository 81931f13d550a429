"""The version of structsvm."""

__version__ = "0.1.0"
