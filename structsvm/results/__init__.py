"""The outcome of a training run, with its status and certificate, and callbacks."""

from structsvm.results.verification import Verification

__all__ = ["Verification"]
