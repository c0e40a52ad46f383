"""Distance-maximising and distance-based designs, distributions of distances, and diversified selection."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from sampling import Space, draw_sample, parse_spec, sample
from sampling.designs.distance import DISTRIBUTIONS, UNIT, Distances, Scope, probabilities
from sampling.space.parts import Parts
from splc.errors import SpaceError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import joined, mixed, stated
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.objects import present
from tests.support.real_data import real
from tests.support.strategies import models


@pytest.mark.parametrize("spec", ["distance:N", "distaware:N", "distpreserving:N", "solver:N+ff", "henard:N+ff"])
def test_smaller_samples_begin_larger_ones(spec: str) -> None:
    """The first configurations of a larger sample are those of a smaller one."""
    large = sample(mixed(), spec.replace("N", "9")).indices
    small = sample(mixed(), spec.replace("N", "4")).indices
    assert small.tolist() == large[: len(small)].tolist()


def distance(model: VariabilityModel, one: Array, other: Array, weight: int) -> int:
    """Return the distance of two configurations in ten-thousandths, from its definition."""
    total = 0
    for option, here, there in zip(model.options, one.tolist(), other.tolist(), strict=True):
        if isinstance(option, BinaryOption):
            total += UNIT * (here != there) * (weight if option.optional else 1)
        elif len(option.values) in (here, there):
            total += UNIT * (here != there)
        else:
            first, last = option.values[0], option.values[-1]
            scaled = [round((option.values[index] - first) / (last - first or 1) * UNIT) for index in (here, there)]
            total += abs(scaled[0] - scaled[1])
    return total


OPTIONAL = NumericOption("n", (0.0, 1.0, 2.0, 3.0), deselected_flag=-99.0)


@given(models(binary=5, numeric=2), st.sampled_from([1, 4]))
@examples(20)
# The weight counts for optional binary options only.
@example(stated([BinaryOption("b", optional=False), OPTIONAL, NumericOption("m", (0.0, 1.0))]), 4)
@example(stated([BinaryOption("a"), *(NumericOption(name, (0.0, 1.0)) for name in "nm")], "2 * a + n + m <= 2"), 4)
def test_distance_maximises_the_sum_of_distances(model: VariabilityModel, weight: int) -> None:
    """The first configuration has the least distance to the origin; others the largest sum of those to all before."""
    space = Space(model)
    assume(1 < space.count <= 200)
    rows = space.enumerate().indices
    n = min(6, len(rows))
    found = sample(model, f"distance:{n},weight={weight}", space=space).indices
    assert distances_of(model, found[:1])[0] == distances_of(model, rows).min()
    apart = np.array([[distance(model, one, other, weight) for other in found] for one in rows])
    listed = rows.tolist()
    at = [listed.index(row) for row in found.tolist()]
    for number in range(1, n):
        gained = apart[:, :number].sum(axis=1)
        assert gained[at[number]] == max(g for place, g in enumerate(gained) if place not in at[:number])


@pytest.mark.real_data
@pytest.mark.parametrize("selection", ["random", "solver"])
def test_draws_within_a_distance_are_uniform(selection: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """All configurations with a distance are equally often drawn; the first ones are with selection=solver."""
    model = real_model("LLVM")
    space = Space(model)
    spec = f"distaware:40,selection={selection}"
    drawn = np.concatenate([sample(model, spec, seed=seed, space=space).indices for seed in range(60)])
    rows, counts = np.unique(drawn, axis=0, return_counts=True)
    values = []
    for size in (3, 4, 5):
        own = counts[rows.sum(axis=1) == size + 1]
        every = np.zeros(math.comb(10, size))
        every[: len(own)] = own
        values.append(stats.chisquare(every).pvalue)
    assert all(value > 1e-4 for value in values) == (selection == "random")


@pytest.mark.real_data
def test_sizes_and_notes_of_real_systems(real_model: Callable[[str], VariabilityModel]) -> None:
    """As many configurations are sampled as published runs learned from; sizes of other designs, and notes."""

    def run(name: str, log: str, spec: str) -> tuple[str, int, int]:
        text = real("splc_logs", f"{name}_{log}.log").read_text(encoding="utf-8-sig")
        asked = re.search(r"command: .*numConfigs:(\d+)", text)
        learned = present(re.search(r"NumberOfConfigurationsLearning:(\d+)", text))
        spec = spec if asked is None else spec.replace("N", asked[1])
        return spec, len(sample(real_model(name), spec, seed=3)), int(learned[1])

    def sizes(name: str, *specs: str) -> list[int]:
        return [len(sample(real_model(name), spec)) for spec in specs]

    def notes(name: str, spec: str) -> tuple[str, ...]:
        many = (NumericOption(f"n{i}", tuple(float(v) ** (1.5 + i / 10) for v in range(271))) for i in range(4))
        system = VariabilityModel("many", tuple(many)) if name == "many" else real_model(name)
        return draw_sample(system, spec).notes

    check_calls("distances-of-real-systems", run, sizes, notes)


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
        design = present(parse_spec(f"{spec}+ff").binary)
        return parts.known.astype(int), design.design(parts, 1).rows
    whole = present(parse_spec(spec).whole)
    return before.indices, whole.configurations(parts, 1, None)[0].indices


@pytest.mark.parametrize(("kind", "spec"), [*(("whole", s) for s in WHOLE), *(("binary", s) for s in BINARY)])
def test_an_existing_sample_is_extended(kind: str, spec: str) -> None:
    """As many others as stated are selected, and all others if that is how many there are."""
    existing = "random:300,seed=5" if kind == "whole" else "solver:6+lhs:1"
    model = mixed()
    left = Space(model).count - 300 if kind == "whole" else Parts(Space(model)).binary.count - 6
    for text in ("3", str(left)):
        before, new = extended(spec.replace("N", text), kind, existing)
        assert len(new) == int(text)
        assert len({*map(tuple, before.tolist()), *map(tuple, new.tolist())}) == len(before) + len(new)
    with pytest.raises(SpaceError, match=r"only .* more valid"):
        extended(spec.replace("N", str(left + 1)), kind, existing)


def test_diversity_counts_the_existing_sample() -> None:
    """The configuration that is added has the least used options of those with its distance."""
    before, new = extended("distaware:1,optimization=global,selection=solver", "binary", "solver:6+lhs:1")
    rows = Parts(Space(mixed())).binary.enumerate(100)
    known = set(map(tuple, before.tolist()))
    others = np.array([row for row in rows if tuple(row.tolist()) not in known and row.sum() == new[0].sum()])
    assert (before @ new[0]).sum() == (others @ before.T).sum(axis=1).min()


def scope_of(model: VariabilityModel) -> Scope:
    """Return the scope of a system."""
    return Scope.of(Parts(Space(model)), "whole")


def distances_of(model: VariabilityModel, rows: Array) -> Array:
    """Return the distances of whole configurations to the origin."""
    weights = scope_of(model).weights()
    parts = np.stack([weights[column][rows[:, column]] for column in range(rows.shape[1])])
    return np.asarray(parts.sum(axis=0) / UNIT)


@given(models(binary=5, numeric=2))
@examples(20)
def test_distances_are_those_of_the_enumeration(model: VariabilityModel) -> None:
    """Counts per distance are those of the listed configurations; other sums of the options' own values are empty."""
    space = Space(model)
    assume(not space.solutions.empty)
    rows = space.enumerate().indices
    found = Distances.of(scope_of(model))
    counts = Counter(np.rint(distances_of(model, rows) * UNIT).astype(int).tolist())
    stated = {round(total * found.unit * UNIT): count for total, count in zip(found.sums, found.counts, strict=True)}
    assert {total: count for total, count in stated.items() if count} == counts
    own = {0}
    for column, weights in enumerate(scope_of(model).weights()):
        own = {before + int(weights[value]) for before in own for value in set(rows[:, column].tolist())}
    assert set(stated) == own


@pytest.mark.real_data
@pytest.mark.parametrize("preserving", [False, True])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_distribution_of_distances(
    distribution: str, preserving: bool, real_model: Callable[[str], VariabilityModel]
) -> None:
    """On a space of 10^12, distances follow the asked distribution, renormalised over those that are not empty."""
    model = joined([real_model("x264")] * 4)
    name = "distpreserving" if preserving else "distaware"
    distances = Distances.of(scope_of(model))
    asked = probabilities(distribution, len(distances.sums))  # type: ignore[arg-type]
    assert 0 in distances.counts
    factors = distances.counts if preserving else [count > 0 for count in distances.counts]
    expected = np.array([float(weight * factor) for weight, factor in zip(asked, factors, strict=True)])
    spec = f"{name}:3000,distribution={distribution}"
    drawn = Counter((distances_of(model, sample(model, spec, seed=2).indices) / distances.unit).astype(int).tolist())
    assert all(expected[distances.sums.index(total)] > 0 for total in drawn)
    expected *= 3000 / expected.sum()
    frequent = expected >= 8
    observed = np.array([drawn[total] for total in distances.sums])
    shares = expected[frequent] * observed[frequent].sum() / expected[frequent].sum()
    assert frequent.sum() > 5
    assert stats.chisquare(observed[frequent], shares).pvalue > 1e-4


@pytest.mark.real_data
@pytest.mark.parametrize("optimization", ["local", "global"])
@pytest.mark.parametrize("weights", [(1, 1), (2, 2), (1, 2)])
def test_diversified_configurations_have_the_least_used_options(
    optimization: str, weights: tuple[int, int], real_model: Callable[[str], VariabilityModel]
) -> None:
    """Each configuration has the least number of earlier uses of its options among those with its distance."""
    model = real_model("x264")
    everything = Space(model).enumerate().indices.astype(int)
    spec = f"distaware:40,optimization={optimization},weights={weights[0]}-{weights[1]}"
    found = sample(model, spec, seed=1).indices.astype(int)

    def uses(rows: Array, earlier: Array) -> Array:
        common = rows @ earlier.T
        single, pairs = common.sum(axis=1), (common * (common - 1) // 2).sum(axis=1)
        return np.asarray({(1, 1): single, (2, 2): pairs, (1, 2): single + pairs}[weights])

    for number, row in enumerate(found):
        earlier = found[:number]
        counted = earlier if optimization == "global" else earlier[earlier.sum(axis=1) == row.sum()]
        candidates = everything[everything.sum(axis=1) == row.sum()]
        unused = np.array([row.tolist() not in earlier.tolist() for row in candidates])
        assert uses(row[None], counted)[0] == uses(candidates[unused], counted).min()
