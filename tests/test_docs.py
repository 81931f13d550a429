"""The pages: links resolve, names exist, code blocks are ones that pytest runs as doctests."""

import ast
import importlib
import keyword
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn.metrics
import sklearn.model_selection
from public_names import LAYERS, PUBLIC
from search_terms import TERMS

import structsvm
from structsvm.results.status import Status

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GUIDE = sorted(DOCS.glob("*.md"))
PAGES = [*GUIDE, *sorted(DOCS.glob("appendix/*.md")), *sorted(DOCS.glob("papers/*.md"))]

#: Names that the pages mention and that are not ours.
FOREIGN = {
    "Adam", "AdamW", "C_LinearSVC", "ConvergenceWarning", "DEBUG", "DataLoader", "FutureWarning",
    "GridSearchCV",
    "KeyboardInterrupt", "LinearSVC", "LogisticRegression", "NotFittedError", "Ridge", "SGD",
    "clone", "get_params", "intercept_scaling", "multi_class", "ndcg_score", "old_model",
    "set_params", "weight_decay",
}  # fmt: skip
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
    "read_struct_examples", "relaxed", "sizePsi", "sm", "sparm", "state_features_",
    "svm_struct_api", "transition_features_", "y_dev", "ybar",
}  # fmt: skip

fence = re.compile(r"^(`{3,})(\S*).*?\n(.*?)^\1$", re.MULTILINE | re.DOTALL)

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def exists(dotted: str) -> bool:
    """Whether a name under structsvm can be imported or is an attribute."""
    if not find_spec("torch") and dotted in LAYERS:
        return True
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            if part in getattr(found, "__annotations__", {}):
                return True
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def identifiers(source: str) -> set[str]:
    """The names in a piece of code; a nested parameter, ``solver__rtol``, gives its parts."""
    return set(re.findall(r"[A-Za-z]\w*?(?=__|\b)", source))


@pytest.fixture(scope="module")
def vocabulary() -> set[str]:
    """Every identifier of the code: names, attributes, parameters, and short string constants."""
    sources = [*(ROOT / "structsvm").rglob("*.py"), *(ROOT / "problems").rglob("*.py")]
    scikit_learn = {*sklearn.metrics.__all__, *sklearn.model_selection.__all__}
    words = (
        FOREIGN
        | OTHERS
        | scikit_learn
        | set(keyword.kwlist)
        | {source.parent.name for source in sources}
    )
    words |= {source.stem for source in sources}
    for source in [*sources, *(DOCS / "examples").glob("*.py")]:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Name):
                words.add(node.id)
            elif isinstance(node, ast.Attribute):
                words.add(node.attr)
            elif isinstance(node, ast.arg):
                words.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                words.add(node.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= identifiers(node.value) if len(node.value) < 40 else set()
    return words


@each_page
def test_every_code_block_can_be_run(page):
    """Code blocks are doctests, shell or directives; an empty line ends a doctest's last output."""
    for _, language, body in fence.findall(page.read_text()):
        assert language in {"pycon", "text"} or language.startswith("{"), language
        if language == "pycon":
            assert body.startswith(">>> "), body
            assert body.endswith("\n\n"), f"an empty line is missing before the end of:\n{body}"


@each_page
def test_links_and_included_files_exist(page):
    text = page.read_text()
    prose = fence.sub("", text)
    for target in re.findall(r"\]\(([^)]+)\)", prose):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.is_file(), f"{page.name} links to {target}, which does not exist"
        assert not anchor or anchor in anchors(linked), f"{target}: no such heading"
    for target in re.findall(r"\{(?:literal)?include\} (\S+)", text):
        if not re.match(r"(\.\./)?(_tables|generated)/", target):  # made with the site
            assert (page.parent / target).is_file(), target


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_every_name_that_is_mentioned_exists(page, vocabulary):
    text = page.read_text()
    code = "".join(body for _, language, body in fence.findall(text) if language == "pycon")
    known = vocabulary | identifiers(code) | {"pip"}
    prose = fence.sub("", text)
    for span in re.findall(r"`([^`]+)`", prose):
        if re.fullmatch(r"structsvm\.[\w.]+", span):
            assert exists(span), f"{page.name}: {span} does not exist"
        for word in identifiers(re.sub(r"\"[^\"]*\"|'[^']*'", "", span)):
            assert word in known or len(word) == 1, f"{page.name}: `{span}` mentions {word}"


@each_page
def test_links_have_a_text_on_a_plain_view_of_the_repository(page):
    assert "[](" not in page.read_text()


def test_the_guide_is_short():
    """Words outside code blocks, numbers included."""
    words = {
        page.name: len(re.findall(r"\S*\w\S*", fence.sub("", page.read_text()))) for page in GUIDE
    }
    assert sum(words.values()) <= 20_000, words


def test_each_page_of_the_guide_is_found_by_words_that_people_use():
    assert TERMS.keys() <= {page.stem for page in GUIDE}


def contents(page: Path) -> list[Path]:
    """The pages that a page lists as those of its section."""
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL)
    names = re.findall(r"^(?:[^:\n]*<)?([\w/.]+)>?$", "".join(blocks), re.MULTILINE)
    return [(page.parent / f"{name}.md").resolve() for name in names if "gallery" not in name]


def test_every_page_is_in_the_table_of_contents_once_and_the_side_bar_is_short():
    found = [DOCS / "index.md"]
    for page in found:  # which grows
        found += contents(page)
    assert sorted(found) == sorted(PAGES)
    assert len(contents(DOCS / "index.md")) <= 8


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


def test_the_objective_is_written_once():
    """The pages include it from the module that computes it."""
    for page in PAGES:
        assert r"\xi_i" not in page.read_text(), page.name
    assert ".. automodule:: structsvm.objective" in (DOCS / "conventions.md").read_text()
