"""Normal noise for scores, drawn from a generator whose state can be saved."""

from __future__ import annotations

import torch

from structsvm.data.validation import is_integer


class Perturbation:
    """Draws of sigma Z, Z standard normal, for a tensor of scores.

    The generator is PyTorch's for the CPU, so that the draws are the same on all devices.

    Parameters
    ----------
    sigma : float
        The standard deviation, > 0.
    n_samples : int
        How many draws are made for each tensor; even, if they are antithetic.
    antithetic : bool
        Whether the second half of the draws is the negative of the first.
    random_state : int or None
        The seed, >= 0; None takes one from PyTorch's global generator.
    """

    def __init__(
        self, sigma: float, n_samples: int, antithetic: bool, random_state: int | None
    ) -> None:
        self._sigma, self._n_samples, self._antithetic = sigma, n_samples, antithetic
        self.generator = torch.Generator().manual_seed(_seed(random_state))

    def __call__(self, scores: torch.Tensor) -> torch.Tensor:
        """Return draws of the shape, dtype and device of a tensor: (n_samples, *shape)."""
        independent = self._n_samples // 2 if self._antithetic else self._n_samples
        shape = independent, *scores.shape
        noise = self._sigma * torch.randn(shape, generator=self.generator, dtype=scores.dtype)
        if self._antithetic:
            noise = torch.cat([noise, -noise])
        return noise.to(scores.device)


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return int(torch.randint(2**63 - 1, ()))
    if not is_integer(random_state) or not 0 <= random_state < 2**63:
        raise ValueError(
            f"random_state must be an integer from 0 to 2^63 - 1, or None; got {random_state!r}"
        )
    return int(random_state)
