"""The packages, which setup.cfg cannot find: problems/ is installed as structsvm.problems."""

from setuptools import find_packages, setup

engine, problems = find_packages(include=["structsvm*"]), find_packages(include=["problems*"])
setup(packages=[*engine, *(f"structsvm.{name}" for name in problems)])
