"""
The last layer of a PyTorch network
===================================

``ldnn.deep.LDNN`` is a PyTorch module that takes features and returns log-odds. Here it is the head of a small
convolutional network for scikit-learn's digits. Features that reach an LDNN should be normalised.
"""

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch import nn

from ldnn.deep import LDNN, softmax_loss

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images / 16, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.target)

trunk = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.BatchNorm1d(128, affine=False),
)  # fmt: skip
network = nn.Sequential(trunk, LDNN(128, n_classes=10, n_conjunctions=4, n_discriminants=4))
optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)

for epoch in range(8):
    network.train()
    for batch in torch.randperm(1200).split(64):
        optimizer.zero_grad()
        softmax_loss(network(images[batch]), labels[batch], 0.1).mean().backward()
        optimizer.step()
    network.eval()
    with torch.no_grad():
        accuracy = (network(images[1200:]).argmax(1) == labels[1200:]).float().mean()
    print(f"epoch {epoch + 1}: {accuracy:.3f} of the held-out digits are right")

# %%
# The held-out digits of whose class the network is least certain, with the probabilities of the two classes that it
# considers.
with torch.no_grad():
    probabilities = network(images[1200:]).softmax(1)
first, second = probabilities.topk(2).values.T
figure, axes = plt.subplots(2, 4, figsize=(7, 4), layout="constrained")
for ax, k in zip(axes.flat, (first - second).argsort(), strict=False):
    ax.imshow(digits.images[1200 + k], cmap="gray_r")
    classes = probabilities[k].topk(2).indices
    shares = [f"{c}: {probabilities[k, c]:.0%}" for c in classes]
    ax.set_title(", ".join(shares) + f"\nis a {labels[1200 + k]}", fontsize="small")
    ax.axis("off")
plt.show()
