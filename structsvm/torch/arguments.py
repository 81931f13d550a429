"""Checks of the tensors that layers receive."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import PackedSequence, unpack_sequence

#: The dtypes of scores and features.
FLOATING = (torch.float32, torch.float64)


def require_tensor(name: str, value: Any, *ndim: int) -> None:
    """Raise an error unless a value is a non-empty float32 or float64 tensor of an allowed ndim."""
    expected = " or ".join(map(str, ndim))
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"{name} must be a tensor of {expected} dimensions; got {type(value).__name__}: "
            "convert it by torch.as_tensor"
        )
    if value.ndim not in ndim:
        raise ValueError(f"{name} must have {expected} dimensions; got shape {tuple(value.shape)}")
    require_floating(name, value)
    if value.shape[0] == 0:
        raise ValueError(f"{name} is empty; expected at least one example")


def require_floating(name: str, value: torch.Tensor) -> None:
    """Raise a ValueError unless a tensor has the dtype float32 or float64."""
    if value.dtype not in FLOATING:
        raise ValueError(
            f"{name} must be of float32 or float64; got {value.dtype}: convert it by .float()"
        )


def require_finite(name: str, value: torch.Tensor) -> None:
    """Raise a ValueError if a tensor contains NaN or infinity."""
    finite = torch.isfinite(value.detach())
    if not finite.all():
        row = int(torch.nonzero(~finite)[0, 0])
        raise ValueError(
            f"{name} contains NaN or infinity, first in row {row}: look at the network's inputs "
            "and weights; the learning rate may be too large"
        )


def require_device(name: str, value: torch.Tensor, other_name: str, other: torch.Tensor) -> None:
    """Raise a ValueError if two tensors are on different devices."""
    if value.device != other.device:
        raise ValueError(
            f"{name} is on {value.device}, but {other_name} is on {other.device}: move one of them "
            "by .to(device)"
        )


def require_alike(name: str, value: torch.Tensor, other_name: str, other: torch.Tensor) -> None:
    """Raise a ValueError if two tensors have different devices or dtypes."""
    require_device(name, value, other_name, other)
    if value.dtype != other.dtype:
        raise ValueError(
            f"{name} is of {value.dtype}, but {other_name} is of {other.dtype}: convert one of "
            "them by .to(dtype)"
        )


def as_numpy(value: Any) -> Any:
    """Return a tensor as an array, and any other value unchanged."""
    if not isinstance(value, torch.Tensor):
        return value
    array = value.detach().cpu().numpy()
    array.flags.writeable = False  # it may share the memory of the network's tensor
    return array


def as_arrays(examples: Any) -> Any:
    """Convert the tensors among inputs or outputs to arrays.

    One tensor may hold all examples, or each example may have its own tensor.
    """
    if isinstance(examples, PackedSequence):
        examples = unpack_sequence(examples)
    if isinstance(examples, torch.Tensor):
        return as_numpy(examples)
    listed = isinstance(examples, (list, tuple))
    return [as_numpy(example) for example in examples] if listed else examples


def tensor_like(values: Any, other: torch.Tensor) -> torch.Tensor:
    """Return numbers as a tensor with the dtype and the device of a reference tensor."""
    return torch.as_tensor(np.asarray(values)).to(dtype=other.dtype, device=other.device)
