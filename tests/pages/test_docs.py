"""The pages: links resolve, names exist, code blocks are ones that pytest runs as doctests."""

import ast
import keyword
import pkgutil
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn.metrics
import sklearn.model_selection
from public_names import LAYERS, PUBLIC
from search_terms import TERMS
from writers.figures import without_comment
from writers.llms import anchor, below, entries

import structsvm
from structsvm.results.status import Status

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDE = sorted(DOCS.glob("*.md"))
PAGES = [*GUIDE, *sorted(DOCS.glob("appendix/*.md")), *sorted(DOCS.glob("papers/*.md"))]

#: Names that the pages mention and that are not ours.
FOREIGN = {
    "Adam", "AdamW", "C_LinearSVC", "ConvergenceWarning", "DEBUG", "DataLoader", "FutureWarning",
    "GridSearchCV", "KeyboardInterrupt", "LinearSVC", "LogisticRegression", "NotFittedError",
    "ProgressBar", "Ridge", "SGD", "ScoringMonitor", "accuracy", "clone", "get_params",
    "intercept_scaling", "multi_class", "ndcg_score", "old_model", "set_callbacks", "set_params",
    "weight_decay",
}  # fmt: skip
#: The clusterers of which nothing is predicted for new rows.
WITHOUT_SCORE = {"BayesianMMC", "CPM3C", "MMC", "MultivariateMMC", "SDPMMC"}
#: Names of the packages on coming_from.md.
OTHERS = {
    "BOS", "BinaryClf", "CRF", "ChainCRF", "Compare", "EOS", "EdgeFeatureGraphCRF",
    "FrankWolfeSSVM",
    "GraphCRF", "GridCRF", "LatentSSVM", "MultiClassClf", "MultiLabelClf", "NSlackSSVM",
    "OneHotEncoder", "OneSlackSSVM", "StructuredModel", "X_dev", "algorithm",
    "all_possible_states", "all_possible_transitions", "batch_inference", "batch_joint_feature",
    "batch_loss_augmented_inference", "c", "c1", "c2", "classify_struct_example",
    "cluster_pairwise_predictions_at_threshold", "compute", "continuous_loss", "delta",
    "epsilon", "find_most_violated_constraint_marginrescaling", "flat_f1_score",
    "find_most_violated_constraint_slackrescaling", "fit_weights", "frame", "gamma_name",
    "inference", "init_struct_constraints", "init_struct_model", "lam", "lbfgs", "linker",
    "loss_augmented_inference", "match_weight", "max_iterations", "metrics", "min_freq", "optModel",
    "period", "psi",
    "relaxed", "sizePsi", "sm", "sparm", "state_features_",
    "svm_struct_api", "transition_features_", "y_dev", "ybar",
}  # fmt: skip

fence = re.compile(r"^(`{3,})(\S*).*?\n(.*?)^\1$", re.MULTILINE | re.DOTALL)

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def prose(page: Path) -> str:
    """A page without its code, directives and the comment on its source."""
    return fence.sub("", without_comment(page.read_text()))


def exists(dotted: str) -> bool:
    """Whether a name under structsvm can be imported or is an attribute."""
    if not find_spec("torch") and dotted in LAYERS:
        return True
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        owner, _, name = dotted.rpartition(".")
        return exists(owner) and name in getattr(pkgutil.resolve_name(owner), "__annotations__", {})
    return True


def identifiers(source: str) -> set[str]:
    """The names in a piece of code; a nested parameter, ``solver__rtol``, gives its parts."""
    return set(re.findall(r"[A-Za-z]\w*?(?=__|\b)", source))


@pytest.fixture(scope="module")
def vocabulary() -> set[str]:
    """Every identifier of the code: names, attributes, parameters, and short string constants."""
    modules = [*(ROOT / "structsvm").rglob("*.py"), *(ROOT / "problems").rglob("*.py")]
    words = {*sklearn.metrics.__all__, *sklearn.model_selection.__all__, *keyword.kwlist, "pip"}
    words |= FOREIGN | OTHERS | {name for path in modules for name in (path.parent.name, path.stem)}
    for path in [*modules, *(DOCS / "examples").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            named = {getattr(node, key, None) for key in ("id", "attr", "arg", "name")}
            words |= {name for name in named if isinstance(name, str)}
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= identifiers(node.value) if len(node.value) < 40 else set()
    return words


@each_page
def test_code_can_be_run_and_links_lead_to_what_exists(page):
    """Code blocks are doctests, shell or directives; an empty line ends a doctest's last output."""
    for _, language, body in fence.findall(page.read_text()):
        assert language in {"pycon", "text"} or language.startswith("{"), language
        if language == "pycon":
            assert body.startswith(">>> "), body
            assert body.endswith("\n\n"), f"an empty line is missing before the end of:\n{body}"
    assert not re.search("^ *%", prose(page), re.MULTILINE), "MyST takes such a line for a comment"
    assert "[](" not in page.read_text()  # a link has a text on a plain view of the repository
    for target in re.findall(r"\]\((?!https?://)([^)]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.is_file(), f"{page.name} links to {target}, which does not exist"
        assert not anchor or anchor in anchors(linked), f"{target}: no such heading"
    for target in re.findall(r"\{(?:literal)?include\} (\S+)", page.read_text()):
        if not re.match(r"(\.\./)?(_tables|generated)/", target):  # made with the site
            assert (page.parent / target).is_file(), target


def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


@each_page
def test_every_name_that_is_mentioned_exists(page, vocabulary):
    blocks = fence.findall(page.read_text())
    known = vocabulary | identifiers("".join(b for _, kind, b in blocks if kind == "pycon"))
    for span in re.findall(r"`([^`]+)`", prose(page)):
        if re.fullmatch(r"structsvm\.[\w.]+", span):
            assert exists(span), f"{page.name}: {span} does not exist"
        for word in identifiers(re.sub(r"\"[^\"]*\"|'[^']*'", "", span)):
            assert word in known or len(word) == 1, f"{page.name}: `{span}` mentions {word}"


def test_the_guide_is_short_and_found_by_words_that_people_use():
    """Words outside code blocks, numbers included."""
    words = {page.stem: len(re.findall(r"\S*\w\S*", prose(page))) for page in GUIDE}
    assert sum(words.values()) <= 18_000, words
    assert TERMS.keys() <= words.keys()


def test_every_page_is_in_the_table_of_contents_once_and_the_side_bar_is_short():
    listed = [name for name, _ in entries("index")]
    assert len([name for name in listed if "gallery" not in name]) <= 8
    found = ["index", *(page for name in listed for page in below(name))]
    assert sorted(found) == sorted(str(p.relative_to(DOCS).with_suffix("")) for p in PAGES)


def test_the_reference_lists_every_public_name():
    module, listed = "", set()
    for line in (DOCS / "api.md").read_text().splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        elif match := re.match(r"   ~?([\w.]+)$", line):
            listed.add(f"{module}.{match[1]}")
    missing, unknown = PUBLIC.keys() - listed, {name for name in listed if not exists(name)}
    assert not missing and not unknown


def test_every_status_is_explained():
    page = (DOCS / "choose_a_solver.md").read_text()
    assert [status.name for status in Status if f"| `{status.name}` |" not in page] == []


def test_the_version_to_cite_is_that_of_the_package():
    for path in (ROOT / "CITATION.cff", DOCS / "cite.md"):
        (version,) = re.findall(r"^ *version *[:=] *\{?([\d.]+)", path.read_text(), re.MULTILINE)
        assert version == structsvm.__version__, path


def test_lists_have_each_estimator_and_each_solver():
    tasks, scores, solvers, abilities = (
        (DOCS / f"{name}.md").read_text()
        for name in ("problems", "measures", "choose_a_solver", "estimators")
    )
    named = {name: getattr(structsvm.problems, name) for name in structsvm.problems.__all__}
    kinds = {name: kind for name, kind in named.items() if hasattr(kind, "about")}
    assert {"ChainSVM", "MMC"} < kinds.keys()
    assert [name for name in kinds if f".{name}`" not in tasks] == []
    assert {name for name in kinds if f"| `{name}` |" not in scores} == WITHOUT_SCORE
    assert {name for name, kind in kinds.items() if not hasattr(kind, "score")} == WITHOUT_SCORE
    assert "except `BayesianMMC` leave a certificate" in " ".join(abilities.split())
    assert [name for name, kind in kinds.items() if not hasattr(kind, "verify")] == ["BayesianMMC"]
    listed = re.findall(r"\{class\}`~structsvm\.(\w+)` \|", solvers)
    assert sorted([*listed, "Plan"]) == sorted(structsvm.solvers.__all__)


def test_the_code_for_motile_is_that_of_the_file():
    code = (DOCS / "examples" / "from_motile.py").read_text()
    assert code in (DOCS / "programs.md").read_text()


def test_the_objective_is_written_once():
    """The pages include it from the module that computes it."""
    for page in PAGES:
        assert r"\xi_i" not in page.read_text(), page.name
    assert ".. automodule:: structsvm.objective" in (DOCS / "conventions.md").read_text()
