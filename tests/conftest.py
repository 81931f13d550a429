"""Puts this folder on the path, for the problems in toy_problems.py that the tests share."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
