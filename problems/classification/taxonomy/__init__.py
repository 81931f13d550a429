"""Classification by a taxonomy, a graph whose nodes are classes: Cai & Hofmann, CIKM 2004."""

from structsvm.problems.classification.taxonomy.estimator import TaxonomySVM
from structsvm.problems.classification.taxonomy.graph import tree_distance_loss
from structsvm.problems.classification.taxonomy.problem import Taxonomy

__all__ = ["Taxonomy", "TaxonomySVM", "tree_distance_loss"]
