"""Numeric designs: fixed levels by the thesis and SPL Conqueror's program, Latin hypercubes, Sobol', D-optimal ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import qmc

from sampling import draw_sample, sample
from sampling.designs.numeric import compat_levels
from sampling.designs.numeric_draws import Combinations, exchanged, log_determinant, polynomial
from sampling.draws import generator
from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import A, B
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls


def numeric(*values: tuple[float, ...]) -> VariabilityModel:
    """Return a system of numeric options x0, x1, … with these values."""
    return VariabilityModel("numeric", tuple(NumericOption(f"x{i}", v) for i, v in enumerate(values)))


def integers(*sizes: int) -> VariabilityModel:
    """Return a system of numeric options with the values 0, 1, …."""
    return numeric(*(tuple(map(float, range(size))) for size in sizes))


def points(configurations: Configurations) -> list[tuple[float, ...]]:
    """Return the values, one tuple per configuration."""
    return [tuple(configurations.assignment(row).values()) for row in range(len(configurations))]


# Numbers of measurements and levels of all Plackett-Burman designs.
SIZES = [(9, 3), (27, 3), (81, 3), (25, 5), (125, 5), (49, 7)]


def levels_matrix(measurements: int, levels: int, variant: str = "") -> Array:
    """Return the levels of a Plackett-Burman design of as many options as it has columns."""
    system = numeric(*[tuple(map(float, range(levels)))] * (measurements - 1))
    return sample(system, f"pb:{measurements},{levels}{variant}").indices.astype(int)


@pytest.mark.parametrize("pair", SIZES)
def test_every_row_is_the_row_above_shifted(pair: tuple[int, int]) -> None:
    """Rows shift to the right, to the left with `compat`; the last one has the lowest levels only."""
    right, left = levels_matrix(*pair), levels_matrix(*pair, ",compat")
    assert right.shape == left.shape == (pair[0], pair[0] - 1)
    assert (right[1:-1] == np.roll(right[:-2], 1, axis=1)).all()
    assert (left[1:-1] == np.roll(left[:-2], -1, axis=1)).all()
    assert not right[-1].any()
    assert not left[-1].any()
    assert left[0].tolist() == right[:-1, 0].tolist()


@pytest.mark.parametrize("pair", SIZES)
def test_plackett_burman_designs_are_balanced(pair: tuple[int, int]) -> None:
    """Each level occurs equally often in a column, each pair of levels in any two of the first (M-1)/(L-1) columns."""
    measurements, levels = pair
    matrix = levels_matrix(*pair)
    strength = (measurements - 1) // (levels - 1)
    for column in matrix.T:
        assert (np.bincount(column, minlength=levels) == measurements // levels).all()
    for one, other in itertools.combinations(range(strength), 2):
        pairs = np.bincount(matrix[:, one] * levels + matrix[:, other], minlength=levels**2)
        assert (pairs == measurements // levels**2).all()


def centre_of(option: NumericOption, compat: bool) -> float:
    """Return the middle value. The program's list goes on beyond maxValue; the last valid value is used instead."""
    goes_on = compat and option.step is not None and option.maximum is not None
    values = [*option.values, *([option.values[-1]] if goes_on else [])]
    return values[len(values) // 2]


def box_behnken(options: Sequence[NumericOption], compat: bool) -> set[tuple[float, ...]]:
    """Return the centre, and for each pair of options the four combinations of their ends."""
    centres = [centre_of(option, compat) for option in options]
    found = {tuple(centres)}
    for pair in itertools.combinations(range(len(options)), 2):
        for ends in itertools.product(*((options[at].values[0], options[at].values[-1]) for at in pair)):
            point = dict(enumerate(centres)) | dict(zip(pair, ends, strict=True))
            found.add(tuple(point.values()))
    return found


def composite(options: Sequence[NumericOption], variant: str) -> set[tuple[float, ...]]:
    """Return the points of a central composite design, value by value as the documentation defines them."""
    k, compat = len(options), variant == ":compat"
    scale = 2 ** (k / 4) if variant == ":rotatable" and k > 1 else math.sqrt(k)
    centres, sides = [], []
    for option in options:
        centre = centre_of(option, compat)
        low, high = centre - option.values[0], option.values[-1] - centre
        side = []
        for wanted in (centre - low / scale, centre + (low if compat else high) / scale):
            if compat and option.step is not None:
                side.append(min((v for v in option.values if v >= wanted), default=option.values[-1]))
            else:
                side.append(min(option.values, key=lambda v: (abs(v - wanted), v)))
        centres.append(centre)
        sides.append(side)
    found = {tuple(centres)}
    for at, option in enumerate(options):
        found |= {(*centres[:at], end, *centres[at + 1 :]) for end in (option.values[0], option.values[-1])}
    corners = [[int(bit) for bit in f"{number:0{k}b}"[::-1]] for number in range(k * k if compat else 2**k)]
    # The program's first corner has the larger values; with k > 4 its numbers have more bits than it uses.
    return found | {
        tuple(side[1 - corner[at] if compat else corner[at]] for at, side in enumerate(sides)) for corner in corners
    }


lists = st.lists(st.integers(-20, 40), min_size=1, max_size=9, unique=True).map(lambda found: sorted(map(float, found)))


@examples(30)
@given(
    st.lists(st.tuples(lists, st.booleans(), st.booleans()), min_size=1, max_size=5),
    st.sampled_from(["cci", "cci:compat", "cci:rotatable", "bbd", "bbd:compat"]),
)
@example([([1.0, 2.0, 3.0, 4.0], False, False)] * 2, "cci")
@example([([1.0, 2.0, 3.0, 4.0], False, False)] * 2, "cci:compat")
@example([([0.0, 1.0, 2.0, 3.0, 4.0], True, False)] * 4, "cci:compat")
@example([(list(map(float, range(-99, 100))), False, False)] * 3, "cci:rotatable")
@example([([0.0, 1.0, 2.0, 3.0, 4.0], True, True)] * 3, "bbd:compat")
def test_designs_are_their_definitions(given: list[tuple[list[float], bool, bool]], spec: str) -> None:
    """For any values, in lists or by steps that meet maxValue or not, `cci` and `bbd` have the points defined."""
    options = tuple(
        NumericOption(f"x{at}", tuple(values), step="x + 1" if step else None, maximum=99.0 if beyond else None)
        for at, (values, step, beyond) in enumerate(given)
    )
    drawn = draw_sample(VariabilityModel("any", options), spec)
    found, variant = points(drawn.configurations), spec[3:]
    assert len(found) == len(set(found))
    assert set(found) == (composite(options, variant) if "cci" in spec else box_behnken(options, variant != ""))
    assert any("no pair of options" in note for note in drawn.notes) == ("bbd" in spec and len(options) == 1)


# The program's verified example; the values of z do not meet maxValue.
THREE = VariabilityModel(
    "three",
    (
        NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0), step="x * 2"),
        NumericOption("y", (1.0, 3.0, 5.0, 9.0, 20.0)),
        NumericOption("z", (0.0, 4.0, 8.0), step="z + 4", maximum=10.0),
    ),
)
PLANE = VariabilityModel("plane", (A, B))


def rows(system: VariabilityModel, spec: str) -> Lines:
    """Return the number of the points of a design, its points, the lowest of each option fastest to read, and notes."""
    drawn = draw_sample(system, spec)
    found = drawn.configurations
    shown = found if len(found) <= 30 else found[[0, 1, 2, -1]]
    texts = [" ".join(f"{value:g}" for value in point) for point in points(shown)]
    texts[3:3] = ["…"] * (len(found) > 30)
    return Lines("\n".join([f"{len(found)}: {', '.join(texts)}", *drawn.notes]))


def values(system: VariabilityModel, spec: str) -> Lines:
    """Return the values of each option in a design, and its notes."""
    drawn = draw_sample(system, spec)
    columns = (sorted(set(drawn.configurations.value(name).tolist())) for name in system.names)
    lines = [
        f"{name}: {' '.join(f'{v:g}' for v in column)}" for name, column in zip(system.names, columns, strict=True)
    ]
    return Lines("\n".join([f"{len(drawn.configurations)} rows", *lines, *drawn.notes]))


def levels_of(n: int, levels: int) -> tuple[list[int], list[int]]:
    """Return the levels of the program of n values, and the values that its Plackett-Burman design uses."""
    spec = f"pb:{ {3: 9, 5: 25, 7: 49}[levels] },{levels},compat"
    return compat_levels(n, levels), sorted(sample(integers(n), spec).value("x0").astype(int).tolist())


def test_known_designs() -> None:
    """Tables and figures of the thesis, the program's verified example, levels, notes and limits are golden rows."""
    check_calls("numeric-designs", rows, values, levels_of, integers, THREE=THREE, PLANE=PLANE)


POWERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@examples(30)
@given(st.lists(st.integers(2, 12), min_size=1, max_size=4), st.integers(1, 30), st.integers(0, 99))
def test_a_latin_hypercube_uses_each_value_equally_often(sizes: list[int], n: int, seed: int) -> None:
    """In a complete hypercube, how often values of an option are used differs by at most one."""
    n = min(n, math.prod(sizes))
    found = draw_sample(integers(*sizes), f"lhs:{n}", seed)
    if found.notes:
        assert len(found.configurations) < n
        return
    assert len(found.configurations.unique()) == n
    for column, size in zip(found.configurations.indices.T, sizes, strict=True):
        counts = np.bincount(column, minlength=size)
        assert counts.max() - counts.min() <= 1


def test_sobol_is_scipys_sequence() -> None:
    """`sobol:N` is scipy's scrambled sequence on values, without repeated rows; smaller designs are its beginning."""
    model = integers(16, 16, 16)
    points = qmc.Sobol(3, rng=generator(5, "numeric")).random_base2(8)
    rows = Combinations(model).valid((points * 16).astype(int))
    found = sample(model, "sobol:200,seed=5").indices
    assert found.tolist() == rows[:200].tolist()
    assert sample(model, "sobol:60,seed=5").indices.tolist() == found[:60].tolist()
    # Any 16 consecutive points from the start have one point in each sixteenth of each axis.
    first = sample(model, "sobol:16").indices
    assert all(sorted(column) == list(range(16)) for column in first.T)


def test_sobol_has_a_limit_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """More numeric options than scipy has dimensions are refused, with the limit."""
    monkeypatch.setattr(qmc.Sobol, "MAXDIM", 2)
    assert len(sample(integers(4, 4), "sobol:4")) == 4
    with pytest.raises(SplcError, match=r"sobol:4: 3 numeric options are too many \(the limit is 2\)"):
        sample(integers(4, 4, 4), "sobol:4")


@examples(25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(0, 6), st.integers(1, 8))
def test_no_exchange_of_one_row_increases_the_determinant(seed: int, terms: int, spare: int, k: int) -> None:
    """The result is distinct rows, none of which can be exchanged with gain: tried one by one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, terms))
    design = exchanged(X, terms + spare, k, rng)
    assert len(set(design.tolist())) == terms + spare
    best = log_determinant(X[design])
    for place, other in itertools.product(range(len(design)), set(range(20)) - set(design.tolist())):
        swapped = design.copy()
        swapped[place] = other
        assert log_determinant(X[swapped]) <= best + 1e-6


def terms(rows: Array) -> Array:
    """Return the independent terms of second order."""
    found = polynomial(rows.astype(float), 2, 1000)
    assert found is not None
    return found


def test_the_best_design_of_two_options() -> None:
    """Nine rows for a quadratic in two options are the 3² design, whatever their units; here by brute force for six."""
    assert {tuple(row) for row in sample(integers(5, 5), "dopt:9").indices.tolist()} == set(
        itertools.product((0, 2, 4), repeat=2)
    )
    X = terms(np.array(list(itertools.product(range(3), repeat=2))))
    best = max(log_determinant(X[list(rows)]) for rows in itertools.combinations(range(9), 6))
    found = sample(integers(3, 3), "dopt:6").indices
    assert log_determinant(X[found[:, 0].astype(int) * 3 + found[:, 1]]) == pytest.approx(best)


def test_known_draws() -> None:
    """Notes and limits, optimal designs of few values, and the variants of the program are golden rows."""
    tied = VariabilityModel.of({"a": range(10), "b": range(10)}, ["a + b <= 5"])
    check_calls("numeric-draws", rows, values, integers, numeric, POWERS=POWERS, tied=tied)
