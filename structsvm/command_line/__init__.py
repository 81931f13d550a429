"""The command ``structsvm``."""
