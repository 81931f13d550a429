"""
A network in front of a chain
=============================

Sequences of handwritten digits, half of whose pixels are lost. A small convolutional network
computes features of each image, and a chain labels the sequence.
:class:`structsvm.torch.StructuredHingeLoss` trains both together; it needs PyTorch. The words of
:doc:`the guide </networks>` are a real task for it.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

from structsvm.problems import Chain, ChainSVM
from structsvm.torch import StructuredHingeLoss

# %%
# In four of five cases a digit is followed by the next one. The images of the sequences that are
# predicted are none of those trained on.

images, labels = load_digits(return_X_y=True)
images = (images / 16).astype(np.float32)


def draw(rng, pool, length=10):
    digits = [rng.integers(10)]
    while len(digits) < length:
        counts = rng.random() < 0.8
        digits.append((digits[-1] + 1) % 10 if counts else rng.integers(10))
    chosen = [rng.choice(pool[labels[pool] == digit]) for digit in digits]
    seen = rng.random((length, 64)) < 0.5
    return images[chosen] * seen, labels[chosen]


rng = np.random.default_rng(0)
X, y = zip(*[draw(rng, np.arange(1000)) for _ in range(200)], strict=True)
X_test, y_test = zip(*[draw(rng, np.arange(1000, 1797)) for _ in range(100)], strict=True)


def score(predicted):
    return f"{np.mean(np.concatenate(predicted) == np.concatenate(y_test)):.3f} of the digits"


linear = ChainSVM().fit(X, y)
print("a chain of the pixels:      ", score(linear.predict(X_test)))

# %%
# The network, and the training of whatever follows it: by itself with a softmax, each digit is read
# alone.


def network(n_out):
    return nn.Sequential(
        nn.Flatten(0, 1),
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(256, n_out),
        nn.Unflatten(0, (-1, 10)),
    )


def trained(network, loss, epochs=40):
    """Train the network and the loss by Adam; return the mean loss of every epoch."""
    optimizer = torch.optim.Adam([*network.parameters(), *loss.parameters()], lr=3e-3)
    rows, means = torch.tensor(np.array(X)), []
    for _ in range(epochs):
        losses = []
        for batch in torch.randperm(len(X)).split(20):
            value = loss(network(rows[batch]), torch.tensor(np.array(y))[batch])
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            losses.append(value.item())
        means.append(np.mean(losses))
    network.eval()
    return means


class Softmax(nn.CrossEntropyLoss):
    def forward(self, scores, digits):
        return super().forward(scores.flatten(0, 1), digits.flatten())


torch.manual_seed(0)
rows_test = torch.tensor(np.array(X_test))
alone = network(10)
trained(alone, Softmax())
print("a network and a softmax:    ", score(alone(rows_test).argmax(dim=2).numpy()))

# %%
# The chain is initialised with arrays of the shape of the features, 64 of each digit. The layer
# holds the weights of the chain, so the optimiser needs its parameters, too.

chain = Chain()
chain.initialize([np.zeros((10, 64))] * len(y), y)
before, layer = network(64), StructuredHingeLoss(chain, mu=0.3)
losses = trained(before, layer)
read = layer.decode(before(rows_test))
print("a network before the chain: ", score(read))

# %%
# The loss of each epoch, and the test sequence in which the two chains differ most: red is wrong.

pixels = linear.predict(X_test)
i = int(np.argmax([np.sum(a != b) for a, b in zip(pixels, read, strict=True)]))
rows = {"true": y_test[i], "pixels": pixels[i], "network": read[i]}
figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 2.6), width_ratios=[1, 2.4], layout="constrained"
)
left.plot(range(1, len(losses) + 1), losses)
left.set(xlabel="epoch", ylabel="smoothed hinge loss", ylim=(0, None))
right.imshow(np.hstack(X_test[i].reshape(-1, 8, 8)), cmap="Greys")
right.set(xticks=[], yticks=8 + 2.5 * np.arange(1, 4), yticklabels=list(rows), ylim=(17, -0.5))
for place, digits in enumerate(rows.values(), start=1):
    for position, (digit, true) in enumerate(zip(digits, y_test[i], strict=True)):
        colour = "black" if digit == true else "red"
        right.text(
            8 * position + 3.5, 8 + 2.5 * place, digit, color=colour, ha="center", va="center"
        )
plt.show()
