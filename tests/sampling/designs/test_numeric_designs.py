"""Numeric designs: the thesis' tables and figures, and the properties that make them designs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sampling import draw_sample, sample
from splc.errors import SpecError
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.designs.test_level_designs import numeric, points
from tests.support.examples import examples

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


@pytest.mark.parametrize(("k", "scale"), [(2, 0.7071), (3, 0.5946), (4, 0.5), (5, 0.4204)])
def test_rotatable_scales_by_two_to_the_minus_k_over_4(k: int, scale: float) -> None:
    """`cci:rotatable` has the textbook's cube."""
    found = points(sample(numeric(*[tuple(map(float, range(-10_000, 10_001)))] * k), "cci:rotatable"))
    assert len(found) == 1 + 2 * k + 2**k
    cube = {abs(value) for point in found if 0.0 not in point for value in point}
    assert len(cube) == 1
    assert cube.pop() == pytest.approx(1e4 * scale, abs=1)


def test_compat_is_what_spl_conqueror_does(three: VariabilityModel) -> None:
    """`cci:compat` gives the verified example, with the last valid value instead of values beyond maxValue."""
    found = draw_sample(three, "cci:compat")
    rows = points(found.configurations)
    centre_and_axes = [(8, 5, 8), (1, 5, 8), (64, 5, 8), (8, 1, 8), (8, 20, 8), (8, 5, 0)]
    assert rows[:6] == centre_and_axes
    assert set(rows[6:]) == set(itertools.product((4.0, 16.0), (3.0, 9.0), (4.0, 8.0)))
    assert found.notes == ("2 of 16 rows coincide with others and are left out",)


def composite(options: Sequence[NumericOption], compat: bool) -> set[tuple[float, ...]]:
    """Return the points of a central composite design, value by value as the documentation defines them."""
    k = len(options)
    centres, sides = [], []
    for option in options:
        values = list(option.values)
        if compat and option.step is not None and option.maximum is not None:
            values.append(math.inf)
        centre = min(values[len(values) // 2], option.values[-1])
        low, high = centre - option.values[0], option.values[-1] - centre
        side = []
        for wanted in (centre - low / math.sqrt(k), centre + (low if compat else high) / math.sqrt(k)):
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
@given(st.lists(st.tuples(lists, st.booleans(), st.booleans()), min_size=1, max_size=5), st.booleans())
@example([([1.0, 2.0, 3.0, 4.0], False, False)] * 2, False)
@example([([1.0, 2.0, 3.0, 4.0], False, False)] * 2, True)
@example([([0.0, 1.0, 2.0, 3.0, 4.0], True, False)] * 4, True)
def test_central_composite_is_its_definition(given: list[tuple[list[float], bool, bool]], compat: bool) -> None:
    """For any values, in lists or by steps that meet maxValue or not, `cci` has the points of its definition."""
    options = tuple(
        NumericOption(f"x{at}", tuple(values), step="x + 1" if step else None, maximum=99.0 if beyond else None)
        for at, (values, step, beyond) in enumerate(given)
    )
    found = points(sample(VariabilityModel("any", options), "cci:compat" if compat else "cci"))
    assert len(found) == len(set(found))
    assert set(found) == composite(options, compat)


def test_too_many_corners_are_refused() -> None:
    """A cube over 17 options is an error, not a long wait; one over 16 is not, nor the smaller one of `compat`."""
    with pytest.raises(SpecError, match="131,072 corners, more than 65,536"):
        sample(numeric(*[(1.0, 2.0, 3.0)] * 17), "cci")
    with pytest.raises(SpecError, match="131,072 corners"):
        sample(numeric(*[(1.0, 2.0, 3.0)] * 17), "cci:rotatable")
    assert len(sample(numeric(*[tuple(map(float, range(99)))] * 16), "cci")) == 2**16 + 33
    assert len(sample(numeric(*[tuple(map(float, range(99)))] * 17), "cci:compat")) == 17**2 + 35
