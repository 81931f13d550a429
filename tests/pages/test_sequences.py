"""Figures on the page on sequences are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored


def tags():
    rows = rows_by("sequences/tags", "accuracy", "trainer")
    others = [row for name, row in rows.items() if name.startswith("CRFsuite")]
    ours = rows["ChainSVM()"]
    assert ours["training"] < min(row["training"] for row in others)
    assert ours["tagging dicts"] > max(row["tagging dicts"] for row in others)
    return [
        f"`ChainSVM` has {ours['test']:.2f} % right after {ours['training']:.1f} CPU seconds",
        *(
            f"{row['test']:.2f} % after {row['training']:.1f} s"
            for row in (max(others, key=lambda row: row["test"]), rows["CRFsuite lbfgs"])
        ),
    ]


def temperature():
    before, after = stored("sequences/tags")["log loss"]
    return [
        f"it finds {after['temperature']:.2f}",
        f"falls from {before['log loss']:.2f} to {after['log loss']:.2f}",
    ]


def letters():
    rows = rows_by("sequences/letters", "error of a letter, percent", "trainer")
    network = rows_by("networks/letters", "error of a letter", "trainer")[
        "network, chain, mu = 0.3"
    ]
    return [
        f"{rows['ChainSVM()']['error']:.1f} % are wrong",
        f"CRFsuite's {rows['CRFsuite lbfgs']['error']:.1f} %",
        f"`LogisticRegression`'s {rows['LogisticRegression()']['error']:.1f} %",
        f"in front of the chain, {network['error']:.1f} %",
    ]


def words():
    rows = rows_by("sequences/words", "words found, percent", "method")
    return [
        f"with F1 {rows['SegmentSVM']['F1']:.1f} %",
        f"`ChainSVM` {rows['ChainSVM']['F1']:.1f} %",
        f"CRFsuite {rows['CRFsuite averaged-perceptron']['F1']:.1f} %",
    ]


def pruned():
    rows = {
        row["change"]: row
        for row in stored("sequences/pruning")["smallest weights"]
        if row["task"] == "tags, 10 features"
    }
    return [
        f"keeps {rows[0.05]['weights']:,} of {rows[None]['weights']:,} weights",
        f"{rows[0.05]['dev']:.2f} % after {rows[None]['dev']:.2f} %",
    ]


def vectors():
    rows = [
        row
        for row in stored("sequences/vectors")["tags, percent right"]
        if row["trainer"] == "ChainSVM()"
    ]
    few, most = rows[0], rows[-1]
    return [
        f"{few['plain']:.2f} to {few['vectors']:.2f} % with {few['sentences']}, "
        f"{most['plain']:.2f} to {most['vectors']:.2f} % with {most['sentences']:,}"
    ]


@pytest.mark.parametrize("source", [tags, temperature, letters, words, pruned, vectors])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("sequences.md"), figure


def test_the_chain_is_faster_on_all_tasks_and_more_accurate_on_five():
    rows = {
        (row["task"], row["trainer"]): row
        for row in stored("sequences/scale")["time, memory and accuracy"]
    }
    tasks = {task for task, _ in rows}
    pairs = [(rows[task, "ChainSVM()"], rows[task, "CRFsuite lbfgs"]) for task in tasks]
    assert len(tasks) == 6
    assert all(ours["CPU s"] < other["CPU s"] for ours, other in pairs)
    assert all(ours["MB"] > other["MB"] for ours, other in pairs)
    assert sum(ours["test"] > other["test"] for ours, other in pairs) == 5
