"""What the pages include that is made from the code when the site is built."""

import re
from pathlib import Path

import pytest
import writers
from writers import (
    contract,
    defaults,
    estimators,
    figures,
    llms,
    measurements,
    problem_classes,
    solvers,
    versions,
)

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("module", writers.MODULES, ids=lambda module: module.__name__)
def test_each_is_included_by_a_page(module):
    name = module.__name__.rpartition(".")[2]
    pages = [
        path for folder in (".", "appendix", "papers") for path in (DOCS / folder).glob("*.md")
    ]
    assert any(f"generated/{name}.txt" in page.read_text() for page in pages)
    assert module.text().endswith("\n")


def abilities(name):
    (row,) = re.findall(rf"^\| {{class}}`~[\w.]+\.{name}` \| (.*) \|$", estimators.text(), re.M)
    return row.split(", ")


def test_estimators_have_what_their_classes_have():
    assert abilities("ChainSVM") == ["probabilities", "sparse X", "training options"]
    assert abilities("MultivariateSVM") == ["sparse X", "warm start", "checkpoint", "prior"]
    assert abilities("MMC") == ["sparse X"]
    assert "sparse X" not in abilities("SupervisedKMeans") + abilities("StructuredSVM")
    assert "problems.Chain`" in estimators.text().splitlines()[-1]
    assert "problems.Taxonomy`" not in estimators.text()  # withdraws it


def test_the_description_of_each_script_is_there_once_a_page():
    text = measurements.text()
    assert text.count("### benchmarks/sequences/tags.py") == 1
    assert "python -m benchmarks sequences/tags" in text
    for name in re.findall(r"^### benchmarks/(.*)\.py$", text, re.M):
        assert measurements.docstring(name), name


def test_tables_have_what_signatures_and_classes_declare():
    assert "| `OneSlackCuttingPlane` | nothing more than the four methods; also" in solvers.text()
    assert re.search(r"^\| numpy \| [\d.]+ \|$", versions.text(), re.M)
    assert "problems.MulticlassSVM` | `C='auto'`, `fit_intercept=True` |" in defaults.text()
    assert "problems.ChainSVM` | `C='auto'` |" in defaults.text()
    assert "ItemSet" not in defaults.text()
    text = problem_classes.text()
    names = re.findall(r"^{class}`~structsvm.problems.(\w+)`", text, re.M)
    assert set(problem_classes.SEARCHES) <= set(names)
    assert "problems.Chain`, with a soft oracle\n\n- Viterbi: exact, costs m k²" in text
    assert "- spectral relaxation: overgenerating, costs m³" in text


def test_stored_files_are_those_of_the_code_and_the_results():
    changed = [path.name for path, text in writers.stored() if path.read_text() != text]
    advice = "run: python -m docs.writers, which writes them anew (change pages in docs/sources)"
    assert not changed, advice


SOURCE = """```{{figures}}
tags = rows("sequences/tags", "accuracy").by("trainer")
{}
```
# Title

It gets {{fig}}`{} | {}` % right.
"""
RIGHT = 'tags["ChainSVM()"]["test"]'


def test_a_figure_is_in_the_place_of_its_role():
    text = figures.rendered(SOURCE.format("assert tags", RIGHT, ".1f"), "a.md")
    assert text == f"{figures.COMMENT.format('a.md')}\n# Title\n\nIt gets 94.5 % right.\n"
    assert figures.without_comment(text).startswith("# Title")
    assert [figures.shown(value, ".2p") for value in (0.251, 1.5)] == [".25", "1.50"]


@pytest.mark.parametrize(
    ("claim", "figure", "named"),
    [
        ("", "tags['none']", r"a\.md: \{fig\}`tags\['none'\] \| \.1f`: KeyError 'none'"),
        ('rows("sequences/tags", "none")', RIGHT, r"a\.md: rows.*no table 'none': .*json has 'acc"),
        ("assert len(tags) == 1", RIGHT, r"a\.md: assert len\(tags\) == 1: AssertionError"),
    ],
)
def test_an_error_names_the_page_and_what_is_wrong(claim, figure, named):
    with pytest.raises(figures.FigureError, match=named):
        figures.rendered(SOURCE.format(claim, figure, ".1f"), "a.md")


@pytest.mark.parametrize(
    ("written", "named"),
    [
        (f"{{fig}}`{RIGHT}`", r"a\.md: \{fig\}`.*`: ValueError 94\.\d+ needs a format"),
        (f"{{figs}}`{RIGHT} | .1f`", r"a\.md: \{figs\} is no figure; write \{fig\}`EXP"),
    ],
)
def test_a_figure_without_rounding_and_a_misspelt_role_are_named(written, named):
    source = SOURCE.format("", RIGHT, ".1f").replace(f"{{fig}}`{RIGHT} | .1f`", written)
    with pytest.raises(figures.FigureError, match=named):
        figures.rendered(source, "a.md")


def test_rows_by_their_values():
    rows = figures.Rows([{"k": 1, "s": 2.0}, {"k": 3, "s": 2.0}])
    assert rows.one(k=3) == rows.by("k")[3] == rows[1] and rows["s"].tolist() == [2, 2]
    for fails in (lambda: rows.where(k=2), lambda: rows.by("s"), lambda: rows.one(s=2.0)):
        with pytest.raises(LookupError):
            fails()


def test_the_contract_has_every_method_and_error():
    text = contract.text()
    assert not re.findall(r":\w+:`", text)
    several = {"decode": 2, "impute": 3}  # of a task, too
    for method in (*contract.REQUIRED, "plane", "soft_oracle", "complete", "impute", "curvature"):
        assert text.count(f"\n{method}(self") == several.get(method, 1), method
    assert "undergenerating oracle: dual <= optimum" in text and "\nInputError\n---" in text


def test_all_pages_are_listed_with_a_sentence():
    listed = re.findall(r"^- \[[^\]]+\]\((\S+)\.md\): \w?", llms.text(), re.MULTILINE)
    pages = [
        path for folder in (".", "appendix", "papers") for path in (DOCS / folder).glob("*.md")
    ]
    names = {str(page.relative_to(DOCS).with_suffix("")) for page in pages} - {"index"}
    assert sorted(listed) == sorted(names)
    assert "(faq.html): " in llms.text(".html")
