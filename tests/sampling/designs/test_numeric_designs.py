"""Numeric designs of fixed levels: the thesis' tables and figures, SPL Conqueror's program, and laws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydoe import bbdesign, fullfact

from sampling import draw_sample, sample
from sampling.designs.numeric import compat_levels, compat_spread, spread
from splc.data.configurations import Configurations
from splc.errors import SpecError, SplcError
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples

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
    """`bbd` has pydoe's rows for every number of options, with one centre, the last row."""
    found = [tuple(point) for point in (sample(integers(*[3] * k), "bbd").indices.astype(int) - 1).tolist()]
    assert set(found) == {tuple(map(int, row)) for row in bbdesign(k, center=1)}
    assert len(found) == 2 * k * (k - 1) + 1
    assert found[-1] == (0,) * k


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
        # The first numbers of System.Random(n), n = 1 … 6: .249, .771, .294, .816, .338, .861.
        (1, 3, [0, 0, 0]),
        (2, 3, [0, 1, 1]),
        (2, 5, [0, 1, 1, 0, 1]),
        (4, 5, [0, 1, 2, 3, 3]),
        (6, 7, [0, 1, 2, 3, 4, 5, 5]),
    ],
)
def test_levels_of_the_program(n: int, levels: int, expected: list[int]) -> None:
    """The program rounds the step once and multiplies it; of n values, level n and later ones are drawn from them."""
    assert compat_levels(n, levels) == expected
    measurements = {3: 9, 5: 25, 7: 49}[levels]
    found = sample(integers(n), f"pb:{measurements},{levels},compat")
    assert sorted(found.value("x0")) == sorted(set(expected))


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


# Table 2.2 of the thesis.
TABLE = """
0 1 1 2 0 2 2 1
1 0 1 1 2 0 2 2
2 1 0 1 1 2 0 2
2 2 1 0 1 1 2 0
0 2 2 1 0 1 1 2
2 0 2 2 1 0 1 1
1 2 0 2 2 1 0 1
1 1 2 0 2 2 1 0
0 0 0 0 0 0 0 0
"""


# Numbers of measurements and levels of all Plackett-Burman designs.
SIZES = [(9, 3), (27, 3), (81, 3), (25, 5), (125, 5), (49, 7)]


def levels_matrix(measurements: int, levels: int, variant: str = "") -> Array:
    """Return the levels of a Plackett-Burman design of as many options as it has columns."""
    system = numeric(*[tuple(map(float, range(levels)))] * (measurements - 1))
    return sample(system, f"pb:{measurements},{levels}{variant}").indices.astype(int)


def test_table_2_2_of_the_thesis() -> None:
    """`pb:9,3` over eight options is table 2.2, row by row."""
    found = sample(numeric(*[(0.0, 1.0, 2.0)] * 8), "pb:9,3")
    assert points(found) == [tuple(map(float, line.split())) for line in TABLE.split("\n") if line]


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


def test_levels_are_spread_evenly_over_the_values() -> None:
    """Level l of L is the value with index round-half-even(l(N-1)/(L-1)), also where N < L."""
    seven = set(points(sample(numeric(tuple(map(float, range(7)))), "pb:25,5")))
    assert seven == {(0.0,), (2.0,), (3.0,), (4.0,), (6.0,)}
    two = sample(numeric((1.0, 9.0), (1.0, 9.0)), "pb:9,3")
    assert len(two) == len(two.unique()) == 4


def test_rows_that_coincide_are_dropped_and_counted() -> None:
    """Few values make rows coincide; the sample says how many."""
    found = draw_sample(numeric((1.0, 2.0)), "pb:9,3")
    assert len(found.configurations) == 2
    assert found.notes == ("7 of 9 rows coincide with others and are left out",)


def test_aliased_columns_give_a_note() -> None:
    """More options than (M-1)/(L-1) give a note, more than columns an error."""
    assert not draw_sample(numeric(*[(1.0, 2.0, 3.0)] * 4), "pb:9,3").notes
    (note,) = draw_sample(numeric(*[(1.0, 2.0, 3.0)] * 5), "pb:9,3").notes
    assert "at most 4 numeric options" in note
    with pytest.raises(SpecError, match="at most 8 numeric options, not 9"):
        sample(numeric(*[(1.0, 2.0, 3.0)] * 9), "pb:9,3")


def test_figure_2_2_of_the_thesis(plane: VariabilityModel) -> None:
    """The full factorial design takes all 25 points, the last option fastest."""
    assert points(sample(plane, "ff")) == [(float(a), float(b)) for a in range(1, 6) for b in range(2, 11, 2)]


def test_figure_2_4_of_the_thesis(plane: VariabilityModel) -> None:
    """The inscribed central composite design takes the nine points of figure 2.4."""
    expected = {(3, 6), (1, 6), (5, 6), (3, 2), (3, 10), *itertools.product((2, 4), (4, 8))}
    found = points(sample(plane, "cci"))
    assert len(found) == 9
    assert set(found) == expected
    assert found[0] == (3, 6)


def test_compat_is_what_spl_conqueror_does(three: VariabilityModel) -> None:
    """`cci:compat` gives the verified example, with the last valid value instead of values beyond maxValue."""
    found = draw_sample(three, "cci:compat")
    rows = points(found.configurations)
    centre_and_axes = [(8, 5, 8), (1, 5, 8), (64, 5, 8), (8, 1, 8), (8, 20, 8), (8, 5, 0)]
    assert rows[:6] == centre_and_axes
    assert set(rows[6:]) == set(itertools.product((4.0, 16.0), (3.0, 9.0), (4.0, 8.0)))
    assert found.notes == ("2 of 16 rows coincide with others and are left out",)


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


def test_too_many_corners_are_refused() -> None:
    """A cube over 17 options is an error, not a long wait; one over 16 is not, nor the smaller one of `compat`."""
    with pytest.raises(SpecError, match="131,072 corners, more than 65,536"):
        sample(numeric(*[(1.0, 2.0, 3.0)] * 17), "cci")
    with pytest.raises(SpecError, match="131,072 corners"):
        sample(numeric(*[(1.0, 2.0, 3.0)] * 17), "cci:rotatable")
    assert len(sample(numeric(*[tuple(map(float, range(99)))] * 16), "cci")) == 2**16 + 33
    assert len(sample(numeric(*[tuple(map(float, range(99)))] * 17), "cci:compat")) == 17**2 + 35
