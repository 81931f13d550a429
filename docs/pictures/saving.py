"""A run of training that is killed and goes on."""

from __future__ import annotations

import multiprocessing
import tempfile
from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits

from docs.pictures.readings import BLUE, GREY, RED
from structsvm import Checkpoint, OneSlackCuttingPlane
from structsvm.displays.drawing import new_figure
from structsvm.problems import Multiclass

#: The passes after which a run is killed.
KILLED = (12, 30)


def resumed() -> Any:
    """The gap over the passes of a run that is killed twice, and of one that is not."""
    whole, parts = _parts([]), _parts(KILLED)
    figure = new_figure(5, 2.6)
    ax = figure.subplots()
    ax.semilogy(*zip(*whole[0], strict=True), color=GREY, linewidth=8, alpha=0.3)
    for part in parts:
        ax.semilogy(*zip(*part, strict=True), color=BLUE)
    _note(ax, "not interrupted", whole[0][45], GREY)
    for part in parts[:-1]:
        ax.semilogy(*part[-1], "X", color=RED, markersize=9)
        _note(ax, "killed, started again", part[-1], RED)
    ax.set(xlabel="passes", ylabel="gap")
    return figure


def _note(ax: Any, text: str, point: tuple[int, float], colour: str) -> None:
    ax.annotate(text, point, xytext=(8, 5), textcoords="offset points", color=colour)


def _parts(killed: Any) -> list[list[tuple[int, float]]]:
    """The passes, with their gaps, of each process: all but the last are killed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.npz"
        return [_passes(path, last) for last in (*killed, None)]


def _passes(path: Path, last: int | None) -> list[tuple[int, float]]:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_train, args=(path, sender))
    process.start()
    sender.close()
    passes = []
    try:
        while last is None or not passes or passes[-1][0] < last:
            passes.append(receiver.recv())
    except EOFError:
        process.join()
    process.kill()
    return passes


def _train(path: Path, sender: Any) -> None:
    X, y = load_digits(return_X_y=True)
    OneSlackCuttingPlane(rtol=0.01).solve(
        Multiclass(),
        X / 16,
        y,
        C=100.0,
        checkpoint=Checkpoint(path, seconds=0),
        callback=lambda iteration, w: sender.send((iteration.iteration, iteration.gap)),
    )
