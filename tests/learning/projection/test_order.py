"""Hashes of configurations against their definition, in Python's integers."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.learning.projection.order import _mixed, hash_order, hashes
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

BITS = 2**64 - 1


def splitmix(value: int) -> int:
    """Return the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & BITS
    value = (value ^ value >> 27) * 0x94D049BB133111EB & BITS
    return value ^ value >> 31


@given(st.lists(st.integers(0, BITS), min_size=1))
def test_mixing_is_that_of_splitmix64(values: list[int]) -> None:
    """All bits are those of the published function."""
    assert _mixed(np.array(values, dtype=np.uint64)).tolist() == [splitmix(value) for value in values]


def test_hashes_by_their_definition() -> None:
    """A hash is the mixed sum of mixed values, each with a constant of its option; absent values have one of theirs."""
    system = VariabilityModel(
        "made", (BinaryOption("a", optional=True), NumericOption("n", (-1.0, 0.0, 2.5), deselected_flag=9.0))
    )
    rows = [(1.0, -1.0), (0.0, 0.0), (0.0, float("nan")), (1.0, 2.5)]
    expected = []
    for row in rows:
        total = 0
        for name, value in zip(("a", "n"), row, strict=True):
            constant = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
            stored = -1.5e300 if np.isnan(value) else value
            total += splitmix(struct.unpack("<Q", struct.pack("<d", stored))[0] ^ constant)
        expected.append(splitmix(total & BITS))
    configurations = Configurations.from_columns(system, {"a": [a for a, _ in rows], "n": [n for _, n in rows]})
    assert hashes(configurations).tolist() == expected
    assert hash_order(configurations).tolist() == sorted(range(4), key=expected.__getitem__)


def test_constant_options_change_no_order() -> None:
    """Mandatory options, their mandatory children and numeric options with one value do not change hashes."""
    free = (BinaryOption("a", optional=True), NumericOption("n", (1.0, 2.0)))
    constant = (
        BinaryOption("b", optional=False),
        BinaryOption("c", parent="b", optional=False),
        NumericOption("m", (3.0,)),
    )
    values = {"a": [0.0, 1.0, 1.0], "n": [1.0, 1.0, 2.0]}
    others = {"b": [1.0] * 3, "c": [1.0] * 3, "m": [3.0] * 3}
    less = Configurations.from_columns(VariabilityModel("made", free), values)
    more = Configurations.from_columns(VariabilityModel("made", (*constant, *free)), values | others)
    assert hashes(more).tolist() == hashes(less).tolist()
