"""The demo: a structure, a clustering, a certificate, and pictures if matplotlib is installed."""

import re
import sys
from pathlib import Path

import pytest

from structsvm.command_line.main import main

GUIDE = Path(__file__).parents[2] / "docs" / "getting_started.md"


def test_demo_prints_three_results_and_saves_pictures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "new" / "folder"
    assert main(["demo", "--output", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Pictures go to {folder}: demo-sequences.png, demo-clusters.png\n")
    alone, chain = map(float, re.findall(r"([\d.]+) % wrong", out))
    assert chain < alone / 2
    others, ours = map(int, re.findall(r"(\d+) of 357 in the wrong cluster", out))
    assert ours < others / 4
    assert f"{others} by k-means, {ours} by `MMC`" in GUIDE.read_text()
    (gap,) = map(float, re.findall(r"gap +([\d.]+) %", out))
    assert gap <= 0.1
    assert "exact oracle" in out and "verified   yes" in out
    for name in ("demo-sequences.png", "demo-clusters.png"):
        assert f"Saved {folder / name}" in out
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["demo", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("No pictures: ") and "pip install matplotlib" in out
    assert "Certificate" in out
    assert not list(tmp_path.iterdir())


def test_demo_finds_a_wrong_folder_before_it_trains(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    (tmp_path / "file").touch()
    assert main(["demo", "--output", str(tmp_path / "file")]) == 2
    out, err = capsys.readouterr()
    assert "Structure" not in out
    assert "--output must be a folder to write to" in err and err.count("\n") == 1
