"""Bayesian maximum margin clustering, with a Universum."""

from structsvm.problems.relatives.bayesian_mmc.estimator import BayesianMMC

__all__ = ["BayesianMMC"]
