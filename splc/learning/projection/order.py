"""An order of configurations that depends on their options and values only, not on the order of rows or options."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from splc.data.configurations import Configurations
from splc.types import Array

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def hashes(configurations: Configurations) -> Array:
    """Return a hash of each configuration, 64-bit integers of shape (n,).

    Constants of the options are mixed with their values and added up, so that the order of options does not matter.
    Options that have the same value in every configuration do not matter either.
    """
    system = configurations.system
    total = np.zeros(len(configurations), dtype=np.uint64)
    for option in system.options:
        if option.name in system.mandatory or option.size == 1:
            continue
        constant = np.frombuffer(blake2b(option.name.encode(), digest_size=8).digest(), dtype="<u8")[0]
        # + 0.0 turns -0.0 into 0.0; deselected options are NaN, of which there are several.
        values = np.nan_to_num(configurations.value(option.name) + 0.0, nan=-1.5e300)
        total += _mixed(values.view(np.uint64) ^ constant)
    return _mixed(total)


def hash_order(configurations: Configurations) -> Array:
    """Return the positions of configurations in the order of their hashes, shape (n,)."""
    return np.argsort(hashes(configurations), kind="stable")


def _mixed(values: Array) -> Array:
    """Return values whose bits depend on all bits of the input (the finaliser of splitmix64)."""
    found = values ^ (values >> np.uint64(30))
    found = found * _MIX[0]
    found = (found ^ (found >> np.uint64(27))) * _MIX[1]
    mixed: Array = found ^ (found >> np.uint64(31))
    return mixed
