"""Distance-maximising and distance-based designs."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from sampling import Space, draw_sample, parse_spec, sample
from sampling.designs.distance import UNIT
from sampling.space.parts import Parts
from splc.errors import SpaceError, SpecError
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.real_data import real
from tests.support.strategies import models

# Every design of the family, with its arguments: hash of its rows for the system `mixed`.
GOLDEN = {
    "distance:20": "1c14fe0bedb8",
    "distance:20,weight=3": "1c14fe0bedb8",
    "distaware:20": "b61da9e47a68",
    "distaware:20,distribution=binomial,seed=5": "8166b2e85111",
    "distaware:20,distribution=geometric": "88a85bc5a83a",
    "distaware:20,distribution=normal,selection=solver": "a11792ec9b8e",
    "distaware:20,optimization=local": "cfe2be477342",
    "distaware:20,optimization=global,weights=2": "01e9b383faff",
    "distaware:20,optimization=local,weights=1-2,selection=solver": "8b83fcaf12df",
    "distpreserving:20": "b5f9edcb8108",
    "distpreserving:20,distribution=normal": "d8e46c0bdc5a",
    "distance:6+lhs:3": "72ffbc6125b0",
    "distaware:6+distaware:3": "3dc62beac6ee",
    "divdistance:6+lhs:3": "281ffead516f",
    "distpreserving:6+distpreserving:3": "a17a21b32ad4",
    "solver:6+lhs:3": "906bd054a098",
    "solver:6,seed=2+lhs:3": "afec65f7e372",
    "henard:6+lhs:3": "2466d7687dd9",
}


def mixed() -> VariabilityModel:
    """Return a system with a group, optional options, and numeric options, one of which can be deselected."""
    group = ("fast", "safe", "tiny")
    options: list[Option] = [BinaryOption("base", optional=False), BinaryOption("engine", optional=False)]
    for name in group:
        others = tuple((other,) for other in group if other != name)
        options.append(BinaryOption(name, parent="engine", optional=False, excluded=others))
    options += [BinaryOption("cache"), BinaryOption("lru", parent="cache"), BinaryOption("log", excluded=(("tiny",),))]
    options += [
        NumericOption("size", (1.0, 2.0, 4.0, 8.0, 16.0)),
        NumericOption("threads", (1.0, 2.0, 3.0, 4.0), deselected_flag=-1.0),
    ]
    return VariabilityModel("mixed", tuple(options))


def digest(rows: Array) -> str:
    """Return the first digits of the hash of rows."""
    return hashlib.sha256(str(rows.tolist()).encode()).hexdigest()[:12]


@pytest.mark.parametrize("spec", GOLDEN)
def test_samples_are_reproducible(spec: str) -> None:
    """The configurations are the same on every machine."""
    assert digest(sample(mixed(), spec, seed=3).indices) == GOLDEN[spec]


@given(models(binary=5, numeric=2), st.sampled_from(list(GOLDEN)), st.integers(1, 12), st.integers(0, 3))
@examples(30)
def test_samples_have_the_stated_size(model: VariabilityModel, spec: str, n: int, seed: int) -> None:
    """Configurations are valid, distinct and as many as stated, or a message says how many there are."""
    spec = re.sub(r":20", f":{n}", spec)
    space = Space(model)
    assume(not space.solutions.empty)
    if "+" not in spec and n > space.count:
        with pytest.raises(SpaceError, match=f"only {space.count} valid configurations, not {n}"):
            sample(model, spec, seed, space=space)
        return
    try:
        found = draw_sample(model, spec, seed, space=space).configurations
    except (SpaceError, SpecError):
        assert "+" in spec
        return
    assert len(found) == len(found.unique()) > 0
    assert "+" in spec or len(found) == n
    assert space.check(found).all()


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


@given(models(binary=5, numeric=2), st.sampled_from([1, 4]))
@examples(20)
def test_distance_maximises_the_sum_of_distances(model: VariabilityModel, weight: int) -> None:
    """Each configuration has the largest sum of distances to those before it, of all that are not in the sample."""
    assume(1 < Space(model).count <= 200)
    check_distances(model, weight)


def test_the_weight_does_not_count_for_numeric_options() -> None:
    """The values of an optional numeric option have the distances of any other one."""
    options = (
        BinaryOption("b", optional=False),
        NumericOption("n", (0.0, 1.0, 2.0, 3.0), deselected_flag=-99.0),
        NumericOption("m", (0.0, 1.0)),
    )
    check_distances(VariabilityModel("system", options), 4)


def check_distances(model: VariabilityModel, weight: int) -> None:
    """Compare each configuration of a sample with all others."""
    space = Space(model)
    rows = space.enumerate().indices
    n = min(6, len(rows))
    found = sample(model, f"distance:{n},weight={weight}", space=space).indices
    apart = np.array([[distance(model, one, other, weight) for other in found] for one in rows])
    listed = rows.tolist()
    at = [listed.index(row) for row in found.tolist()]
    for number in range(1, n):
        gained = apart[:, :number].sum(axis=1)
        assert gained[at[number]] == max(g for place, g in enumerate(gained) if place not in at[:number])


def test_distance_starts_with_the_smallest_configuration() -> None:
    """The first configuration selects as few options as possible, with the least values."""
    first = sample(mixed(), "distance:1").indices[0].tolist()
    assert sum(first[:8]) == 3
    assert first[8:] == [0, 4]


@pytest.mark.real_data
def test_distances_run_out(real_model: Callable[[str], VariabilityModel]) -> None:
    """A distance whose configurations are all in the sample is left out; the next ones take its place."""
    found = sample(real_model("LLVM"), "distaware:150,distribution=geometric", seed=1)
    drawn = Counter(found.indices.sum(axis=1).tolist())
    assert [drawn[size] for size in (1, 2, 3)] == [1, 10, 45]
    assert sum(drawn.values()) == 150


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


def test_preserving_uniform_is_a_uniform_draw() -> None:
    """With the uniform distribution, every configuration is equally probable if the counts are preserved."""
    model = mixed()
    space = Space(model)
    drawn = np.concatenate([sample(model, "distpreserving:30", seed=seed, space=space).indices for seed in range(80)])
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == space.count
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "log", "design"),
    [
        ("Dune", "Dune_divDistBased_t2", "divdistance"),
        ("Dune", "Dune_solvBased_t1", "solver"),
        ("LLVM", "LLVM_distBased_t3", "distaware"),
        ("x264", "x264_henard_t1", "henard"),
    ],
)
def test_sizes_of_published_runs(
    system: str, log: str, design: str, real_model: Callable[[str], VariabilityModel]
) -> None:
    """As many configurations are sampled as SPL Conqueror's program learned from."""
    text = real("splc_logs", f"{log}.log").read_text(encoding="utf-8-sig")
    asked = re.search(r"numConfigs:(\d+)", text)
    learned = re.search(r"NumberOfConfigurationsLearning:(\d+)", text)
    assert asked is not None
    assert learned is not None
    assert len(sample(real_model(system), f"{design}:{asked[1]},seed=3")) == int(learned[1])


@pytest.mark.real_data
def test_sizes_of_other_designs(real_model: Callable[[str], VariabilityModel]) -> None:
    """`asOW`, `asTW2` and `asTW3` are sizes of these designs, as in the published runs."""
    for design in ("distance", "distaware", "distpreserving", "divdistance", "solver", "henard"):
        assert [len(sample(real_model("x264"), f"{design}:{size}")) for size in ("asOW", "asTW2")] == [12, 65]
    assert len(sample(real_model("LLVM"), "distaware:asTW3")) == 165


@pytest.mark.real_data
def test_notes_on_distances(real_model: Callable[[str], VariabilityModel]) -> None:
    """Empty distances, distances that ran out, and coarse rounding are stated."""
    notes = draw_sample(real_model("Dune"), "distaware:50").notes
    assert notes == ("26 of 27 possible distances have no valid configuration",)
    notes = draw_sample(real_model("LLVM"), "distaware:200").notes
    assert "all configurations with" in notes[0]
    many = VariabilityModel(
        "many", tuple(NumericOption(f"n{i}", tuple(float(v) ** (1.5 + i / 10) for v in range(271))) for i in range(4))
    )
    found = draw_sample(many, "distaware:100")
    assert "rounded to" in found.notes[-1]
    assert len(found.configurations) == 100


@pytest.mark.parametrize(("n", "notes"), [(1, 0), (4, 1)])
def test_note_on_distances_that_run_out(n: int, notes: int) -> None:
    """Of the distances 0, 1 and 2 of two options, all but the last one that is drawn run out."""
    found = draw_sample(VariabilityModel.of({"a": bool, "b": bool}), f"distaware:{n}").notes
    expected = (
        "all configurations with 2 of 3 distances are in the sample, which has more of the other distances instead",
    )
    assert found == expected[:notes]


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
