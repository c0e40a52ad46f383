"""Levels of numeric options, and laws of numeric designs."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydoe import bbdesign, fullfact

from sampling import Sample, Space, draw_sample, sample
from sampling.designs.numeric import compat_levels, compat_spread, spread
from sampling.spec import NUMERIC
from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models

POWERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


def numeric(*values: tuple[float, ...]) -> VariabilityModel:
    """Return a system of numeric options x0, x1, … with these values."""
    return VariabilityModel("numeric", tuple(NumericOption(f"x{i}", v) for i, v in enumerate(values)))


def integers(*sizes: int) -> VariabilityModel:
    """Return a system of numeric options with the values 0, 1, …."""
    return numeric(*(tuple(map(float, range(size))) for size in sizes))


def points(configurations: Configurations) -> list[tuple[float, ...]]:
    """Return the values, one tuple per configuration."""
    return [tuple(configurations.assignment(row).values()) for row in range(len(configurations))]


@pytest.mark.parametrize("k", range(3, 9))
def test_box_behnken_is_pydoe(k: int) -> None:
    """`bbd` has pydoe's rows for every number of options, with one centre."""
    found = {tuple(point) for point in sample(integers(*[3] * k), "bbd").indices.astype(int) - 1}
    assert found == {tuple(map(int, row)) for row in bbdesign(k, center=1)}
    assert len(found) == 2 * k * (k - 1) + 1


def test_box_behnken_of_the_program(three: VariabilityModel) -> None:
    """For each pair the four ends, the others at their centres; `compat` has the program's centre of z (8, not 4)."""
    for spec, centre in (("bbd", (8.0, 5.0, 4.0)), ("bbd:compat", (8.0, 5.0, 8.0))):
        ends = ((1.0, 64.0), (1.0, 20.0), (0.0, 8.0))
        expected: set[tuple[float, ...]] = {centre}
        for one, other in itertools.combinations(range(3), 2):
            for a, b in itertools.product(ends[one], ends[other]):
                point = list(centre)
                point[one], point[other] = a, b
                expected.add((*point,))
        found = points(sample(three, spec))
        assert set(found) == expected
        assert len(found) == 13
        assert found[-1] == centre


def test_box_behnken_of_few_options() -> None:
    """Two options have four corners and a centre; a single one only its centre, with a note."""
    assert set(points(sample(integers(5, 5), "bbd"))) == {(2.0, 2.0), *itertools.product((0.0, 4.0), repeat=2)}
    assert not draw_sample(integers(5, 5), "bbd").notes
    one = draw_sample(integers(5), "bbd")
    assert points(one.configurations) == [(2.0,)]
    assert one.notes == ("bbd: with one numeric option there is no pair of options, only the centre",)


def test_one_factor_of_the_program(three: VariabilityModel) -> None:
    """`ofat:3` has the ends and the centre of each option, `ofat:5` two values more; also as the program has them."""
    axes3 = {(1.0, 5.0, 4.0), (64.0, 5.0, 4.0), (8.0, 1.0, 4.0), (8.0, 20.0, 4.0), (8.0, 5.0, 0.0), (8.0, 5.0, 8.0)}
    axes5 = axes3 | {(4.0, 5.0, 4.0), (16.0, 5.0, 4.0), (8.0, 3.0, 4.0), (8.0, 9.0, 4.0)}
    for spec, axes in (("ofat:3", axes3), ("ofat:5", axes5)):
        found = points(sample(three, spec))
        assert found[0] == (8.0, 5.0, 4.0)
        assert set(found[1:]) == axes
        compat = points(sample(three, f"{spec},compat"))
        # Its centre of z is the last value.
        assert {point[:2] for point in compat} == {point[:2] for point in found}
        assert {point[2] for point in compat} == {0.0, 8.0} | ({4.0} if spec == "ofat:5" else set())


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 40])
@pytest.mark.parametrize("values", [3, 4, 5, 6, 7])
def test_one_factor_has_the_stated_number_of_values(n: int, values: int) -> None:
    """Each option has exactly K values (all, if there are fewer), with its centre and both ends."""
    found = sample(integers(n, 3), f"ofat:{values}")
    first = set(found.value("x0"))
    assert len(first) == min(n, values)
    assert {0.0, float(n // 2), n - 1.0} <= first
    assert len(found) == 1 + (len(first) - 1) + 2
    moved = (found.value("x0") != n // 2).astype(int) + (found.value("x1") != 1)
    assert moved.max() <= 1


def test_factorial_levels_are_at_equal_distances(three: VariabilityModel) -> None:
    """`factorial:K` is pydoe's full factorial on the values nearest to equal distances; `compat` rounds up."""
    assert sample(integers(9, 9), "factorial:3").indices.tolist() == [
        [4 * int(b), 4 * int(a)] for a, b in fullfact([3, 3])
    ]
    # The middle of 1 … 64 is 32.5, and 10.5 that of 1 … 20.
    found = sample(three, "factorial:3")
    assert [sorted(set(found.value(name))) for name in "xyz"] == [[1, 32, 64], [1, 9, 20], [0, 4, 8]]
    compat = draw_sample(three, "factorial:3,compat")
    assert set(compat.configurations.value("x")) == {1, 64}
    assert compat.notes == ("factorial:3,compat: several levels are the same value: x",)
    assert points(compat.configurations)[:2] == [(1, 1, 0), (64, 1, 0)]


@pytest.mark.parametrize(("percent", "x", "y", "z"), [(40, 3, 2, 2), (50, 4, 2, 2), (100, 7, 5, 3), (1, 2, 2, 2)])
def test_hypersampling_takes_a_share_of_the_values(
    three: VariabilityModel, percent: int, x: int, y: int, z: int
) -> None:
    """`hyper:40` and `hyper:50` have round-half-even(N·P/100) values of each option, but at least two."""
    for variant in ("", ",compat"):
        found = sample(three, f"hyper:{percent}{variant}")
        assert [len(set(found.value(name))) for name in "xyz"] == [x, y, z]
        assert len(found) == x * y * z
    if percent == 50:
        assert set(found.value("x")) == {1, 4, 16, 64}


def test_hypersampling_notes_where_the_program_stops() -> None:
    """`compat` notes that the program stops after about 1,000 rows, and a too large design is refused."""
    many = integers(20, 20, 20)
    assert "stops after about 1,000 of these 8,000 rows" in " ".join(draw_sample(many, "hyper:100,compat").notes)
    assert not draw_sample(many, "hyper:100").notes
    with pytest.raises(SplcError, match="3,200,000 combinations of numeric values are too many"):
        sample(integers(*[20] * 5), "hyper:100")


@pytest.mark.parametrize(
    ("n", "levels", "expected"),
    [
        (271, 5, [0, 68, 136, 204, 270]),
        (18, 7, [0, 3, 6, 9, 12, 15, 17]),
        (18, 5, [0, 4, 8, 12, 17]),
        (6, 5, [0, 1, 2, 3, 5]),
        (3, 3, [0, 1, 2]),
    ],
)
def test_levels_of_the_program(n: int, levels: int, expected: list[int]) -> None:
    """The program rounds the step once and multiplies it; `pb:M,L,compat` uses these levels."""
    assert compat_levels(n, levels) == expected
    measurements = {3: 9, 5: 25, 7: 49}[levels]
    found = sample(integers(n), f"pb:{measurements},{levels},compat")
    assert sorted(found.value("x0")) == expected


def test_few_values_are_padded_as_in_the_program() -> None:
    """With fewer values than levels, the level after n levels is one of them, drawn by `System.Random(n)`."""
    # The first numbers of System.Random(n), n = 1 … 6: .249, .771, .294, .816, .338, .861.
    assert compat_levels(1, 3) == [0, 0, 0]
    assert compat_levels(2, 3) == [0, 1, 1]
    assert compat_levels(2, 5) == [0, 1, 1, 0, 1]
    assert compat_levels(4, 5) == [0, 1, 2, 3, 3]
    assert compat_levels(6, 7) == [0, 1, 2, 3, 4, 5, 5]
    found = draw_sample(integers(2, 2), "pb:9,3,compat")
    assert len(found.configurations) == 4


@pytest.mark.parametrize("levels", [2, 3, 4, 5, 7, 12])
def test_levels_are_distinct_and_include_both_ends(levels: int) -> None:
    """Both kinds of levels ascend from the first to the last value; with the program's, some may coincide."""
    for n in range(2, 60):
        found = spread(n, levels)
        assert found == sorted(set(found))
        assert len(found) == min(n, levels)
        gaps = np.diff(found)
        assert gaps.max() - gaps.min() <= 1
        compat = compat_spread(n, levels)
        assert compat == sorted(compat)
        assert found[0] == compat[0] == 0
        assert found[-1] == compat[-1] == n - 1


# Every numeric design, with its arguments: hash of its rows for three options with 5, 7 and 12 values.
GOLDEN = {
    "ff": "289e3bdc2881",
    "random:9": "2e3fc09571ce",
    "random:9,compat": "e28cb98d1efe",
    "pb:25,5": "f2b27ab8e805",
    "pb:25,5,compat": "8b6488ae3115",
    "cci": "996950c8b782",
    "cci:compat": "9237c5360b87",
    "bbd": "46d64d011099",
    "bbd:compat": "46d64d011099",
    "ofat:4": "2f1af81f068f",
    "ofat:4,compat": "0cbfa36cce8c",
    "factorial:3": "e90062b6c07f",
    "factorial:3,compat": "a4ae92c9f5f8",
    "hyper:40": "5629729ecbcd",
    "hyper:40,compat": "0e28a68d6b36",
    "dopt:20,k=4": "0c1ce0daed63",
    "lhs:9": "364974f5e99a",
    "sobol:9": "5765d82c99e3",
    "distaware:9": "eba3a43ea13d",
    "distpreserving:9": "d86be1847b7c",
}
DESIGNS = list(GOLDEN)


def digest(text: str) -> str:
    """Return the first digits of the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def attempt(model: VariabilityModel, spec: str, seed: int, space: Space) -> Sample | str:
    """Return a sample, or the message why there is none."""
    try:
        return draw_sample(model, spec, seed, space=space)
    except SplcError as error:
        return str(error)


def test_every_design_is_in_the_catalogue() -> None:
    """A new numeric design joins these tests."""
    assert {spec.partition(":")[0] for spec in DESIGNS} == set(NUMERIC)


@pytest.mark.parametrize("spec", DESIGNS)
def test_rows_are_reproducible(spec: str) -> None:
    """The rows are the same on every machine."""
    assert digest(str(sample(integers(5, 7, 12), f"all+{spec}", seed=3).indices.tolist())) == GOLDEN[spec]


@examples(8)
@given(models(binary=2, numeric=3), st.integers(0, 5))
@pytest.mark.parametrize("spec", DESIGNS)
def test_samples_are_valid_and_distinct(spec: str, model: VariabilityModel, seed: int) -> None:
    """On any system, the configurations are valid, distinct and the same for the same seed, or there is a message."""
    space = Space(model)
    binary = "optionwise+" if model.binary_options else "all+"
    found = attempt(model, binary + spec, seed, space)
    again = attempt(model, binary + spec, seed, Space(model))
    if not isinstance(found, Sample) or not isinstance(again, Sample):
        assert found == again
        return
    configurations = found.configurations
    assert len(configurations) == len(configurations.unique()) > 0
    assert space.check(configurations).all()
    assert configurations == again.configurations


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["splc_examples", "exastencils"])
@pytest.mark.parametrize("spec", ["bbd", "ofat:3", "hyper:40", "dopt:40", "lhs:20", "sobol:20", "pb:49,7,compat"])
def test_real_systems(name: str, spec: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Designs of real systems are valid, distinct, and have the stated size or say why not."""
    model = real_model(name)
    space = Space(model)
    found = attempt(model, f"optionwise+{spec}", 0, space)
    if not isinstance(found, Sample):
        assert "only" in found or "more than" in found
        return
    assert len(found.configurations) == len(found.configurations.unique())
    assert space.check(found.configurations).all()
