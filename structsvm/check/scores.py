"""The scores that the searches maximise, and the sizes of their terms."""

from __future__ import annotations

from typing import Any

#: The score that each search maximises, from the losses and the products
#: <w, Psi(x, y) - Psi(x, y_hat)> of outputs. The score of the true output is subtracted, which
#: changes no maximiser.
SCORES = {
    "separation_oracle": lambda losses, products: losses - products,
    "slack_oracle": lambda losses, products: losses * (1 - products),
    "decode": lambda losses, products: -products,
}


def term_sizes(method: str, losses: Any, products: Any) -> Any:
    """The sizes of the terms of scores, from the sizes of the terms of their products."""
    return {
        "separation_oracle": losses + products,
        "slack_oracle": losses * (1 + products),
        "decode": products,
    }[method]
