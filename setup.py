"""The packages, which setup.cfg cannot find: problems/ is installed as structsvm.problems.

And the kernels, which are left out where there is no compiler.
"""

from pathlib import Path

from setuptools import Extension, find_packages, setup

engine, problems = find_packages(include=["structsvm*"]), find_packages(include=["problems*"])
kernels = sorted(Path("structsvm/compiled").glob("*.pyx"))
setup(
    packages=[*engine, *(f"structsvm.{name}" for name in problems)],
    ext_modules=[
        Extension(
            f"structsvm.compiled.{path.stem}",
            [path.as_posix()],
            optional=True,
            extra_compile_args=["-g0"],  # debug symbols were four fifths of the files
        )
        for path in kernels
    ],
)
