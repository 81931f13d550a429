"""Locks: one run at a time, none after its process has ended, and no file left."""

import os
import subprocess
import sys
import threading

import pytest

from structsvm import ArchiveError
from structsvm.saving import lock
from structsvm.saving.lock import locked

SCRIPT = """
import sys
from pathlib import Path
from structsvm.saving.lock import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock of the file "run.npz"."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "run.npz")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "locked\n"
    yield process
    process.kill()
    process.communicate()


def test_another_process_is_refused_until_the_first_is_killed(other, tmp_path):
    refused = pytest.raises(ArchiveError, match=r"run\.npz is in use by another run")
    with refused, locked(tmp_path / "run.npz"):
        pass
    other.kill()
    other.communicate()
    with locked(tmp_path / "run.npz"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_does_not_hold_it_after_its_parent(tmp_path):
    script = SCRIPT.replace(
        "    print", "    import os, time\n    os.fork() or time.sleep(5)\n    print"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "run.npz")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.readline()
    process.kill()
    process.wait()
    with locked(tmp_path / "run.npz"):
        pass


def test_a_thread_is_refused_and_takes_nothing_from_the_first(tmp_path):
    path, errors = tmp_path / "run.npz", []

    def use():
        try:
            with locked(path):
                pass
        except ArchiveError as error:
            errors.append(error)

    with locked(path):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        command = [sys.executable, "-c", SCRIPT, str(path)]
        refused = subprocess.run(command, input="", capture_output=True, text=True)
    assert len(errors) == 1 and "ArchiveError" in refused.stderr
    use()
    assert len(errors) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no open file")
def test_a_file_that_was_removed_before_it_was_locked_is_not_taken(tmp_path, monkeypatch):
    beside, taken = tmp_path / ".run.npz.lock", []

    def removing(descriptor):
        if not taken:
            beside.unlink()
        taken.append(descriptor)

    monkeypatch.setattr(lock, "_lock", removing)
    with locked(tmp_path / "run.npz"):
        assert beside.exists() and len(taken) == 2


def test_a_file_system_without_locks_is_used_without(tmp_path, monkeypatch, caplog):
    def unable(descriptor):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(lock, "_lock", unable)
    with locked(tmp_path / "run.npz"):
        assert "without a lock" in caplog.text
        with pytest.raises(ArchiveError, match="in use"), locked(tmp_path / "run.npz"):
            pass
