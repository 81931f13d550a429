"""Bayesian maximum margin clustering, with a Universum."""

from structsvm.problems.margin_clustering.bayesian_mmc.estimator import BayesianMMC

__all__ = ["BayesianMMC"]
