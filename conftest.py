"""Imports structsvm before pytest does; leaves out modules that need PyTorch where it is missing.

In importlib mode pytest loads each file on its own. A module of structsvm that is collected for its
doctests before anything imports the package would exist twice, and so would its classes.
"""

from importlib.util import find_spec

import structsvm.problems  # noqa: F401

#: They cannot be imported. Test files of them are skipped, with the reason.
collect_ignore_glob = (
    []
    if find_spec("torch")
    else ["structsvm/torch/*", "problems/*/tensors.py", "docs/examples/handwriting.py"]
)
