"""The same numbers on any kernel of linear algebra, number of threads and hash seed: to 1e-9."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.everywhere import systems
from tests.support.paths import ROOT

# The kernel of OpenBLAS, its threads, the seed of Python's hashes; the first one is what others are compared with.
MACHINES = (
    ("Haswell", 1, 0),
    ("Haswell", 2, 1),
    ("Sandybridge", 1, 1),
    ("Sandybridge", 2, 2),
    ("SkylakeX", 1, 2),
    ("SkylakeX", 2, 0),
)
TOLERANCE = 1e-9
ROUNDING = 1e-15  # of sums of numbers up to 1 that are 0
# Errors in percent are differences of numbers that agree to `TOLERANCE`.
ERRORS = re.compile("error|cross_validated")


def computed(system: str, kernel: str, threads: int, seed: int) -> Any:
    """Return the numbers of a system as another machine computes them."""
    environment = {
        **os.environ,
        "OPENBLAS_CORETYPE": kernel,
        "OPENBLAS_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": str(seed),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.everywhere", system],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield the places at which two JSON values differ: numbers by more than 1e-9 of the larger one."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            yield f"{place}: keys {sorted(one.keys() ^ other.keys())}"
        for key in one.keys() & other.keys():
            yield from differences(one[key], other[key], f"{place} / {key}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{place}: {len(one)} and {len(other)} values"
        for number, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from differences(left, right, f"{place} [{number}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE if ERRORS.search(place) else ROUNDING):
            yield f"{place}: {one!r} and {other!r}"
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"


@pytest.mark.slow
@pytest.mark.parametrize("system", systems())
def test_same_numbers(system: str) -> None:
    """Models, samples, comparisons and predictions are the same on every machine."""
    expected = computed(system, *MACHINES[0])
    found = [
        f"{kernel}, {threads} threads, hash seed {seed}:{text}"
        for kernel, threads, seed in MACHINES[1:]
        for text in differences(expected, computed(system, kernel, threads, seed))
    ]
    assert not found, "\n".join(found[:50])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [1.0, 2]}, {"a": [1.0 + 1e-10, 2]}, True),
        ({"a": [1.0, 2]}, {"a": [1.0 + 1e-8, 2]}, False),
        ({"a": [1.0, 2]}, {"a": [1.0, 3]}, False),
        ({"a": 1.0}, {"a": 1.0, "b": None}, False),
        ([1.0], [1.0, 1.0], False),
        (["x"], ["y"], False),
        (1e-12, 2e-12, False),
    ],
)
def test_differences(one: Any, other: Any, same: bool) -> None:
    """Numbers agree to a relative 1e-9, everything else exactly."""
    assert (not list(differences(one, other))) is same
