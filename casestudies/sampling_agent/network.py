"""The network of the agent in numpy, so that it can be read and used without PyTorch."""

from __future__ import annotations

import io
import itertools
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from splc.errors import InputError, Problem
from splc.io.files import write_whole
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Network:
    """A multilayer perceptron: rectified linear units in the hidden layers, a value per action at the end."""

    # weights, shape (outputs, inputs), and biases, shape (outputs,), of each layer
    layers: tuple[tuple[Array, Array], ...]

    def values(self, states: Array) -> Array:
        """Return the value of every action, shape (n, actions), in states of shape (n, inputs)."""
        found = states
        for at, (weights, biases) in enumerate(self.layers):
            found = found @ weights.T + biases
            if at < len(self.layers) - 1:
                found = np.maximum(found, 0)
        return found


def drawn_network(sizes: tuple[int, ...], rng: np.random.Generator) -> Network:
    """Return an untrained network.

    `sizes`: of the input, of each hidden layer, and of the output.
    """
    layers = []
    for inputs, outputs in itertools.pairwise(sizes):
        # He et al., Delving deep into rectifiers: the spread of values stays the same from layer to layer.
        weights = rng.normal(0, np.sqrt(2 / inputs), (outputs, inputs))
        layers.append((weights.astype(np.float32), np.zeros(outputs, dtype=np.float32)))
    return Network(tuple(layers))


def write_network(path: Path, network: Network) -> None:
    """Write a network as an archive of arrays (`.npz`): the same network gives the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for at, (weights, biases) in enumerate(network.layers):
            for name, array in ((f"weights{at}.npy", weights), (f"biases{at}.npy", biases)):
                each = io.BytesIO()
                np.lib.format.write_array(each, np.ascontiguousarray(array), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(name), each.getvalue(), zipfile.ZIP_DEFLATED)
    write_whole(path, content.getvalue())


def read_network(path: Path) -> Network:
    """Read a network that `write_network` wrote."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            count = len(arrays.files) // 2
            layers = tuple((arrays[f"weights{at}"], arrays[f"biases{at}"]) for at in range(count))
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(Problem("this is no network of an agent", str(path), hint="train one")) from error
    if not layers:
        raise InputError(Problem("this network has no layers", str(path), hint="train one"))
    return Network(layers)
