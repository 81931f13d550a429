"""The command ``structsvm versions`` and :func:`structsvm.show_versions`."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info

from structsvm.compiled import available
from structsvm.version import __version__

#: Distributions that structsvm uses; required ones come first.
DISTRIBUTIONS = (
    "numpy", "scipy", "scikit-learn", "joblib", "networkx",
    "cvxopt", "highspy", "matplotlib", "torch",
)  # fmt: skip


def show_versions() -> None:
    """Print the versions of structsvm, Python and the packages in use, for a bug report.

    The command ``structsvm versions`` prints the same lines as this function.

    Examples
    --------
    >>> import structsvm
    >>> structsvm.show_versions()
    structsvm     ...
    Python        ...
    """
    lines = [("structsvm", __version__), ("Python", platform.python_version())]
    lines += [("platform", platform.platform())]
    without = "none; a C compiler builds them at installation, STRUCTSVM_COMPILED=0 leaves them out"
    lines += [("kernels", ", ".join(available()) or without)]
    lines += [(name, _installed(name)) for name in DISTRIBUTIONS]
    for pool in threadpool_info():  # numpy and scipy may use different BLAS libraries
        if pool["user_api"] == "blas":
            threads = f"threads: {pool['num_threads']}"
            lines += [("BLAS", f"{pool['internal_api']} {pool['version']}, {threads}")]
    for name, text in lines:
        print(f"{name:<14}{text}")


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
