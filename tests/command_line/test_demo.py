"""The demo: a certified table, and pictures if matplotlib is installed."""

import sys

import pytest

from structsvm.command_line.main import main


def test_demo_prints_a_certified_table_and_saves_pictures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["demo", "--output", str(tmp_path / "new" / "folder")]) == 0
    out = capsys.readouterr().out
    rows = out.splitlines()[1:4]
    assert [row.split("  ")[0] for row in rows] == ["classify 0-9", "cluster 3, 8", "cluster 1, 7"]
    assert "global" in rows[0]
    assert all("given labels" in row for row in rows[1:])
    assert all(" yes " in row for row in rows)
    for name in ("demo-convergence.png", "demo-clusters.png"):
        path = tmp_path / "new" / "folder" / name
        assert f"Saved {path}" in out
        assert path.read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["demo", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "classify 0-9" in out
    assert "pip install matplotlib" in out
    assert not list(tmp_path.iterdir())
