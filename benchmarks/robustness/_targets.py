"""Every public estimator and function with good arguments, and the bad ones that each may get."""

from __future__ import annotations

import networkx
import numpy as np

import structsvm
from benchmarks.robustness._target import Target
from benchmarks.robustness._target_displays import display_targets
from benchmarks.robustness._target_functions import (
    feature_map,
    function_target,
    load_file,
)
from benchmarks.robustness._target_items import (
    item_set,
    item_set_from_frames,
    item_set_from_graph,
    oracle_target,
)
from benchmarks.robustness._target_problems import (
    check_problem_target,
    problem_names,
    problem_target,
)
from benchmarks.robustness._target_risks import (
    bundle_method,
    hamming_costs,
    pair_table,
    soft_margin_loss,
)
from benchmarks.robustness._target_rows import (
    decision_focused_regressor,
    estimator_of_rows,
    ranking_svm,
)
from benchmarks.robustness._target_saving import saving_targets
from benchmarks.robustness._target_solvers import SemiSupervised, solver_target, structured_svm
from benchmarks.robustness._target_structures import (
    dependency_parser,
    estimator_of_problem,
    estimator_of_sets,
    pair_map,
    segment_svm,
)
from structsvm import datasets, features, problems, solvers

#: Public names that are no entrance: errors, records, base classes, constants.
NO_ENTRANCE = {
    "ArchiveError", "Axes", "Bipartite", "BundleResult", "Callback", "Checkpoint", "ClusteringLoss",
    "ContractViolation",
    "EarlyStopping", "Graph", "Guarantee",
    "InfeasibleConstraintsError", "Iteration", "LatentProblem", "MiniBatch", "Misranking",
    "Problem", "ProblemError", "Products", "Program", "Result", "SelfLabelledProblem", "SoftOutput",
    "SoftSum", "Status", "StructSVMError", "Task", "WeightConstraints",
    "FOLDER_VARIABLE", "SHAPES", "KERNELS", "__version__",
}  # fmt: skip


def targets() -> list[Target]:
    """Everything public that can be called."""
    found = [
        *(estimator_of_rows(getattr(problems, name)) for name in (
            "MMC", "CPM3C", "MultivariateMMC", "SDPMMC", "BayesianMMC", "MulticlassSVM",
            "MultivariateSVM", "TaxonomySVM",
        )),
        *(estimator_of_rows(cls) for cls in (
            features.KernelMap, features.Whitening, features.DiffusionMap,
        )),
        *(estimator_of_sets(cls) for cls in (
            problems.SupervisedKMeans, problems.CorrelationClustering, problems.ChainSVM,
        )),
        estimator_of_problem(problems.AssignmentSVM, problems.Assignment),
        estimator_of_problem(problems.MultiLabelSVM, problems.LabelSet),
        estimator_of_problem(problems.GraphSVM, problems.GraphLabelling),
        estimator_of_problem(problems.IntegerProgramSVM, problems.IntegerProgram),
        dependency_parser(), ranking_svm(), decision_focused_regressor(),
        *map(problem_target, problem_names()),
        *map(solver_target, solvers.__all__),
        *(oracle_target(name) for name in problems.__all__ if name.endswith("Oracle")),
        segment_svm(), pair_map(), pair_table(),
        bundle_method(), soft_margin_loss(), hamming_costs(),
        structured_svm(structsvm.StructuredSVM, problems.Multiclass),
        structured_svm(structsvm.LatentSVM, SemiSupervised, n_init=2),
        check_problem_target(), item_set(),
        item_set_from_frames(), item_set_from_graph(), feature_map(), load_file(),
        function_target(datasets.digits_pair, first=1, second=7),
        function_target(datasets.ringnorm, n=10, random_state=0),
        function_target(
            datasets.shortest_path_costs, n=10, n_features=2, rows=2, columns=2, degree=1,
            noise=0.5, random_state=0,
        ),
        function_target(datasets.plane, shape="circles", random_state=0),
        function_target(
            datasets.synth, noise=0.4, n_sets=1, n_clusters=2, cluster_size=3, region_size=5,
            n_active=2, random_state=0,
        ),
        function_target(
            problems.grid_graph, features=np.zeros((2, 3, 1)), neighbours=4,
            image=np.zeros((2, 3, 3)),
        ),
        function_target(problems.bio_transitions, label="B", following="I"),
        function_target(problems.bioes_transitions, label="B", following="E"),
        function_target(problems.bio_segments, labels=["B", "I", "O"]),
        function_target(problems.segment_f1_score, Y_true=[["B", "O"]], Y_pred=[["B", "I"]]),
        function_target(problems.majority_accuracy, y_true=["a", "b"], labels=[0, 1]),
        function_target(problems.WeightedLabels, labels=["a", "b"], weights=[1.0, 2.0]),
        function_target(
            problems.tree_distance_loss, y_true=["a", "b"], y_pred=["b", "b"],
            taxonomy=networkx.DiGraph([("r", "a"), ("r", "b")]),
        ),
        *display_targets(), *saving_targets(),
    ]  # fmt: skip
    names = {target.name for target in found}
    declared = (getattr(problems, name) for name in {*problems.__all__} - names)
    return [*found, *(estimator_of_problem(k, k.about) for k in declared if hasattr(k, "about"))]


def uncovered() -> set[str]:
    """Public names that no target calls."""
    public = {
        *structsvm.__all__, *problems.__all__, *features.__all__, *datasets.__all__,
        *solvers.__all__,
    }  # fmt: skip
    # choose_solver is called with every problem; the others take no argument.
    called = {target.name for target in targets()} | {"choose_solver", "digits", "show_versions"}
    return public - called - NO_ENTRANCE
