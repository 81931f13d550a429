"""The outcome of a run, with its status and certificate, and the callbacks of a run."""

from structsvm.results.verification import Verification

__all__ = ["Verification"]
