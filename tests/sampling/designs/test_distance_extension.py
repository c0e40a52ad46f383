"""Extension of existing samples by distance-based designs and designs in the order of a solver."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space, parse_spec, sample
from sampling.space.parts import Parts
from splc.errors import SpaceError
from splc.types import Array
from tests.sampling.designs.test_distance_designs import distance, mixed

WHOLE = (
    "distance:N",
    "distaware:N",
    "distaware:N,selection=solver",
    "distaware:N,optimization=local",
    "distaware:N,optimization=global,weights=1-2",
    "distpreserving:N",
)
BINARY = (*WHOLE, "divdistance:N", "solver:N", "henard:N")


def extended(spec: str, kind: str, existing: str) -> tuple[Array, Array]:
    """Return the rows of the existing sample and those that a design adds to it."""
    model = mixed()
    before = sample(model, existing)
    parts = Parts(Space(model), before)
    if kind == "binary":
        design = parse_spec(f"{spec}+ff").binary
        assert design is not None
        return parts.known.astype(int), design.design(parts, 1).rows
    whole = parse_spec(spec).whole
    assert whole is not None
    return before.indices, whole.configurations(parts, 1, None)[0].indices


@pytest.mark.parametrize(("kind", "spec"), [*(("whole", s) for s in WHOLE), *(("binary", s) for s in BINARY)])
def test_an_existing_sample_is_extended(kind: str, spec: str) -> None:
    """As many others as stated are selected, and all others if that is how many there are."""
    existing = "random:300,seed=5" if kind == "whole" else "solver:6+lhs:1"
    model = mixed()
    total = Space(model).count if kind == "whole" else Parts(Space(model)).binary.count
    for text in ("3", str(total - (300 if kind == "whole" else 6))):
        before, new = extended(spec.replace("N", text), kind, existing)
        assert len(new) == int(text)
        assert len({*map(tuple, before.tolist()), *map(tuple, new.tolist())}) == len(before) + len(new)
    with pytest.raises(SpaceError, match=r"only .* more valid"):
        extended(spec.replace("N", str(total)), kind, existing)


def test_distance_counts_the_existing_sample() -> None:
    """The first configuration that is added is as far as possible from the existing ones."""
    before, new = extended("distance:1", "whole", "random:40,seed=5")
    model = mixed()
    known = set(map(tuple, before.tolist()))
    others = [row for row in Space(model).enumerate().indices if tuple(row.tolist()) not in known]
    gains = [sum(distance(model, row, one, 1) for one in before) for row in others]
    assert sum(distance(model, new[0], one, 1) for one in before) == max(gains)


def test_diversity_counts_the_existing_sample() -> None:
    """The configuration that is added has the least used options of those with its distance."""
    before, new = extended("distaware:1,optimization=global,selection=solver", "binary", "solver:6+lhs:1")
    rows = Parts(Space(mixed())).binary.enumerate(100)
    known = set(map(tuple, before.tolist()))
    others = np.array([row for row in rows if tuple(row.tolist()) not in known and row.sum() == new[0].sum()])
    assert (before @ new[0]).sum() == (others @ before.T).sum(axis=1).min()
