"""The problem classes by family: their searches, and what the code declares of them.

The quality of the oracle and the soft oracle come from the classes. What each search is and costs
is written here.
"""

from structsvm import Problem, problems

#: For each class its searches: the name, the cost, and the parameters that select it.
SEARCHES = {
    "Multiclass": [("largest score", "k", {})],
    "Taxonomy": [("largest sum of scores along a path", "k", {})],
    "Chain": [("Viterbi", "m k²", {})],
    "PartialChain": [("Viterbi", "m k²", {})],
    "Segments": [("Viterbi over segments of at most L positions", "m L k + m k²", {})],
    "DependencyTree": [
        ("maximum spanning arborescence", "m², and all labels of all arcs", {}),
        ("Eisner's algorithm", "m³, and all labels of all arcs", {"projective": True}),
    ],
    "GraphLabelling": [
        ("linear relaxation", "a minimum cut for two labels, else a linear program", {}),
        ("alpha expansion", "k minimum cuts a round", {"inference": "expansion"}),
    ],
    "AttractiveGraphLabelling": [
        ("minimum cut, for two labels", "a minimum cut", {}),
        ("linear relaxation", "a linear program", {"inference": "relaxation"}),
        ("alpha expansion", "k minimum cuts a round", {"inference": "expansion"}),
    ],
    "TreeLabelling": [("max-product", "m k²", {})],
    "Assignment": [("linear sum assignment", "m³ at most", {})],
    "LabelSet": [
        ("elimination of leaves in a forest", "k", {}),
        ("all sets, for cycles over at most 14 labels", "2^k", {"structure": "pairs"}),
        ("best set of each size, for F1 without pairs", "k²", {"cost": "f1"}),
    ],
    "RelaxedLabelSet": [("linear relaxation", "a maximum flow in twice the graph", {})],
    "AttractiveLabelSet": [("minimum cut", "a maximum flow in the graph", {})],
    "IntegerProgram": [
        ("HiGHS or your solver", "exponential at worst", {}),
        ("HiGHS with a gap or a time limit", "up to the limit", {"time_limit": 1.0}),
        ("linear relaxation", "a linear program", {"relaxation": True}),
    ],
    "PartialIntegerProgram": [("HiGHS or your solver", "exponential at worst", {})],
    "DecisionProblem": [("your optimizer", "one call", {})],
    "LabellingProblem": [("all contingency tables", "m log m", {})],
    "TopKProblem": [("best K rows for each number of relevant ones", "m log m", {})],
    "RocAreaProblem": [("sorting", "m log m", {})],
    "RankingProblem": [
        ("best place of each document, by divide and conquer", "m log m", {}),
        ("best first K documents", "m log m + K²", {"measure": "ndcg", "k": 10}),
    ],
    "SupervisedKMeansProblem": [
        ("local search", "m² a round", {}),
        ("spectral relaxation", "m³", {"oracle": "spectral"}),
    ],
    "CorrelationClusteringProblem": [
        ("greedy merging", "m² log m, or p log p for a table of p pairs", {}),
        ("linear relaxation", "a linear program", {"oracle": "relaxed"}),
    ],
    "MMCProblem": [("the sign of every row", "m", {})],
    "CPM3CProblem": [("second best cluster of every row", "m k", {})],
    "MultivariateMMCProblem": [("all contingency tables", "m log m", {})],
    "MultivariateCPM3CProblem": [("local search for contingency tables", "m k² a round", {})],
}


def text():
    """A heading for each family, and an entry for each of its classes."""
    families = {}
    for name in problems.__all__:
        kind = getattr(problems, name)
        if isinstance(kind, type) and issubclass(kind, Problem):
            families.setdefault(family_of(kind), []).append(entry(kind))
    blocks = (f"## {name}\n\n" + "\n\n".join(entries) for name, entries in sorted(families.items()))
    return "\n\n".join(blocks) + "\n"


def family_of(kind):
    """The folder of the class, in words."""
    return kind.__module__.split(".")[2].replace("_", " ").capitalize()


def entry(kind):
    searches = "\n".join(described(kind, *search) for search in SEARCHES.get(kind.__name__, ()))
    searches = searches or f"- {kind().oracle_quality}"
    soft = ", with a soft oracle" if kind().soft_oracle is not None else ""
    return f"{{class}}`~structsvm.problems.{kind.__name__}`{soft}\n\n{searches}"


def described(kind, search, cost, parameters):
    quality = kind(**parameters).oracle_quality
    return f"- {search}: {quality}, costs {cost}"
