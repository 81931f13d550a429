"""The tests that ``make quick`` runs for what differs from a commit."""

from pathlib import Path

import changed
import pytest


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("problems/trees/problem.py", {"problems/trees/problem.py", "tests/problems/trees"}),
        ("structsvm/qp/active_set.py", {"structsvm/qp/active_set.py", "tests/qp"}),
        ("tests/qp/test_restricted.py", {"tests/qp/test_restricted.py"}),
        ("tests/toy_problems.py", set()),
        ("docs/trees.md", {"docs/trees.md", "tests/pages"}),
        ("docs/sources/trees.md", {"tests/pages"}),
        ("README.md", {"README.md", "tests/pages"}),
        ("benchmarks/speed/large.py", {"tests/experiments"}),
        (
            "benchmarks/robustness/_planted/bugs/soft.py",
            {"tests/experiments", "tests/check/test_planted.py"},
        ),
        ("Makefile", set()),
    ],
)
def test_the_tests_of_a_file(path, expected):
    assert changed.tests_of(Path(path)) == set(map(Path, expected))
    assert all((changed.ROOT / test).exists() for test in expected)


def test_all_laws_of_a_new_case_run(monkeypatch):
    lines = [
        "+++ b/tests/cases/problems.py",
        '+    "ordinal": case(Ordinal(), rows),',
        "+    rows = 3",
    ]
    monkeypatch.setattr(changed, "git", lambda *command: lines)
    assert changed.new_cases("main") == ["--case=ordinal"]


def test_a_clone_without_main_is_told_to_name_a_commit(monkeypatch):
    monkeypatch.setattr(changed, "git", lambda *command: [])
    with pytest.raises(SystemExit, match=r"no branch main .* name a commit"):
        changed.last_on_main()
