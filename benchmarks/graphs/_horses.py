"""Features of the pixels of the Weizmann horses, the same for all methods."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter, gaussian_gradient_magnitude

from structsvm.datasets.files import how_to_supply, locate, read_arrays

#: Bins of a colour channel, in the histograms of horse and background.
BINS = 16
TRAINED_ON = 200
REMEDY = how_to_supply(
    "horses.npz",
    "with numpy.savez, arrays images of shape (328, 32, 32, 3), 0 to 255, and masks of shape "
    "(328, 32, 32), 0 or 1 (Borenstein & Ullman 2002)",
)


class Horses(NamedTuple):
    """Images, masks and features of one part of the data, and the masks of the training part.

    Attributes
    ----------
    images : ndarray of shape (n, h, w, 3), in [0, 1]
    masks : ndarray of shape (n, h, w), bool
    features : ndarray of shape (n, h, w, 139), float32
    """

    images: Any
    masks: Any
    features: Any


def horses() -> tuple[Horses, Horses]:
    """200 horses to train on and 128 to test, drawn at random."""
    names = "images", "masks"
    data = read_arrays(locate("horses.npz", None, REMEDY), names, REMEDY)
    order = np.random.default_rng(0).permutation(len(data[names[0]]))
    images = data[names[0]][order].astype(np.float32) / 255
    masks = data[names[1]][order].astype(bool)
    features = pixel_features(images, masks[:TRAINED_ON].mean(axis=0))
    train, test = slice(TRAINED_ON), slice(TRAINED_ON, None)
    return tuple(Horses(images[part], masks[part], features[part]) for part in (train, test))


def pixel_features(images: Any, mean_mask: Any) -> Any:
    """Colours and their neighbourhoods, edges, place, and likeness to horse and background."""
    h, w = images.shape[1:3]
    grey = images.mean(axis=3, keepdims=True)
    red, green, blue = np.moveaxis(images, 3, 0)[..., None]
    colours = np.concatenate([images, red - green, blue - (red + green) / 2], axis=3)
    blurred = [_blurred(colours, s) for s in (1, 2, 4)]
    spread = [
        np.sqrt(np.maximum(_blurred(grey**2, s) - _blurred(grey, s) ** 2, 0)) for s in (1, 2, 4)
    ]
    edges = [
        np.stack([gaussian_gradient_magnitude(g, s) for g in grey[..., 0]])[..., None]
        for s in (1, 2)
    ]
    likeness = _likeness(images, mean_mask)
    near = _blurred(likeness[..., 2:], 1)
    place = np.broadcast_to(_bumps(h, w, 8, 0.2), (len(images), h, w, 64))
    return np.concatenate(
        [
            colours, colours**2, *blurred, *spread, *edges, _contrasts(images), place,
            likeness, near, _blurred(likeness[..., 2:], 2), near * _bumps(h, w, 5, 0.35),
        ],
        axis=3,
        dtype=np.float32,
    )  # fmt: skip


def _blurred(channels: Any, width: float) -> Any:
    moved = np.moveaxis(channels, 3, 0)
    return np.stack([gaussian_filter(channel, (0, width, width)) for channel in moved], axis=3)


def _contrasts(images: Any) -> Any:
    """Return differences from the colours at the border and at the centre of the image."""
    n = len(images)
    border = [images[:, :3], images[:, :, :2], images[:, :, -2:]]
    centre = [images[:, 10:18, 8:24]]
    found = []
    for parts in (border, centre):
        pixels = np.concatenate([part.reshape(n, -1, 3) for part in parts], axis=1)
        mean, spread = pixels.mean(axis=1), pixels.std(axis=1) + 0.05
        z = (images - mean[:, None, None]) / spread[:, None, None]
        distance = np.sqrt((z**2).sum(axis=3, keepdims=True))
        around = [_blurred(distance, s) for s in (1, 2)]
        found += [np.abs(z), distance, *around, *([z] if parts is border else [])]
    return np.concatenate(found, axis=3)


def _likeness(images: Any, mean_mask: Any) -> Any:
    """Log-densities of a pixel's colour in its image where horses mostly are and where not.

    And their difference; shape (n, h, w, 3).
    """
    weights = mean_mask**2, (1 - mean_mask) ** 4
    bins = np.minimum((images * BINS).astype(int), BINS - 1)
    found = np.empty((*images.shape[:3], 3), dtype=np.float32)
    for own, into in zip(bins, found, strict=True):
        places = tuple(np.moveaxis(own, 2, 0))
        for j, weight in enumerate(weights):
            counts = np.zeros((BINS,) * 3)
            np.add.at(counts, places, weight / weight.sum())
            into[..., j] = np.log(gaussian_filter(counts, 1.0, mode="nearest")[places] + 1e-5)
    found[..., 2] = found[..., 0] - found[..., 1]
    return found


def _bumps(h: int, w: int, n: int, width: float) -> Any:
    """Gaussians around n x n places in the image, shape (h, w, n * n)."""
    centres = np.linspace(-1, 1, n)
    of_rows, of_columns = (
        np.exp(-((np.linspace(-1, 1, m)[:, None] - centres) ** 2) / (2 * width**2)) for m in (h, w)
    )
    return np.einsum("ia,jb->ijab", of_rows, of_columns).reshape(h, w, -1).astype(np.float32)


def accuracy(found: Any, masks: Any) -> float:
    return float(np.mean([np.mean(a == b) for a, b in zip(found, masks, strict=True)]))


def intersection_over_union(found: Any, masks: Any) -> float:
    """The mean over the images of the area that both have, divided by that which either has."""
    return float(
        np.mean([(a & b).sum() / (a | b).sum() for a, b in zip(found, masks, strict=True)])
    )
