"""Imports structsvm before pytest does.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.
"""

import structsvm.problems  # noqa: F401
