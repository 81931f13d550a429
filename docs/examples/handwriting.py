"""Handwritten words: a small convolutional network in front of a chain, and in front of a softmax.

    python handwriting.py    # needs ocr_letters.npz in the folder named by STRUCTSVM_DATA

Training uses one of the ten folds of the words; the other nine folds are predicted.
"""

import numpy as np
import torch
from torch import nn

from structsvm.datasets import load_file
from structsvm.problems import Chain, ChainSVM
from structsvm.torch import StructuredHingeLoss

#: Features that the network computes of a letter.
N_FEATURES = 128
#: The temperature of the chain's loss, and the largest learning rate. Both were chosen by held-out
#: words of the fold that is trained on: benchmarks/networks/letters.py.
MU, RATE = 0.3, 5e-3
EPOCHS, BATCH = 60, 32


def words():
    """Return the pixels (length, 128) and letter codes of every word, and its fold."""
    data = load_file("ocr_letters")
    cuts = np.flatnonzero(np.diff(data["word"])) + 1
    pixels = torch.from_numpy(np.unpackbits(data["X"], axis=1).astype(np.float32))
    sizes = np.diff([0, *cuts, len(pixels)]).tolist()
    letters = np.split(data["y"].astype(int), cuts)
    return pixels.split(sizes), letters, data["fold"][np.concatenate([[0], cuts])]


def network(width=16, dropout=0.5):
    """Return two convolutions and a hidden layer, from images of 16 x 8 pixels to features."""

    def convolution(n_in, n_out):
        return nn.Conv2d(n_in, n_out, 3, padding=1), nn.BatchNorm2d(n_out), nn.ReLU()

    return nn.Sequential(
        nn.Unflatten(1, (1, 16, 8)),
        *convolution(1, width),
        nn.MaxPool2d(2),
        *convolution(width, 2 * width),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(dropout),
        nn.Linear(16 * width, N_FEATURES),
        nn.ReLU(),
        nn.Dropout(dropout),
    )


class ChainReader(nn.Module):
    """A reader of words: features of letters, and a chain of labels that the layer scores."""

    def __init__(self, letters, mu=MU):
        super().__init__()
        chain = Chain()
        chain.initialize([np.zeros((len(y), N_FEATURES)) for y in letters], letters)
        self.features = network()
        self.layer = StructuredHingeLoss(chain, mu=mu)

    def forward(self, pixels):
        return self.features(torch.cat(pixels)).split([len(x) for x in pixels])

    def loss(self, pixels, letters):
        return self.layer(self(pixels), letters)

    def read(self, pixels):
        return list(self.layer.decode(self(pixels)))


class LetterReader(nn.Module):
    """A reader with the same network and a softmax, which reads every letter alone."""

    def __init__(self, n_letters=26):
        super().__init__()
        self.scores = nn.Sequential(network(), nn.Linear(N_FEATURES, n_letters))

    def loss(self, pixels, letters):
        true = torch.from_numpy(np.concatenate(letters))
        return nn.functional.cross_entropy(self.scores(torch.cat(pixels)), true)

    def read(self, pixels):
        with torch.no_grad():
            return [self.scores(x).argmax(dim=1).numpy() for x in pixels]


def trained(reader, pixels, letters, rate=RATE):
    """Train a reader by Adam, with a learning rate that rises and falls once."""
    steps = EPOCHS * -(-len(pixels) // BATCH)
    optimizer = torch.optim.Adam(reader.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    reader.train()
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(pixels)).split(BATCH):
            loss = reader.loss([pixels[i] for i in batch], [letters[i] for i in batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return reader.eval()


class LinearReader:
    """A chain of pixels, without a network."""

    def __init__(self, pixels, letters):
        self.svm = ChainSVM().fit([x.numpy() for x in pixels], letters)

    def read(self, pixels):
        return self.svm.predict([x.numpy() for x in pixels])


def error(reader, pixels, letters):
    """Return the percentage of wrong letters."""
    found = [y for i in range(0, len(pixels), 500) for y in reader.read(pixels[i : i + 500])]
    return 100 * float(np.mean(np.concatenate(found) != np.concatenate(letters)))


def main():
    pixels, letters, fold = words()
    train, test = (
        [[data[i] for i in np.flatnonzero(chosen)] for data in (pixels, letters)]
        for chosen in (fold == 0, fold != 0)
    )
    readers = {
        "linear chain": lambda: LinearReader(*train),
        "network and softmax": lambda: trained(LetterReader(), *train),
        "network and chain": lambda: trained(ChainReader(train[1]), *train),
    }
    for name, made in readers.items():
        torch.manual_seed(0)
        print(f"{name}: {error(made(), *test):.1f} % of the letters are wrong")


if __name__ == "__main__":
    main()
