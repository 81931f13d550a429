"""The outcome of a run: its status and its certificate; and the callbacks of a run."""

from structsvm.results.verification import Verification

__all__ = ["Verification"]
