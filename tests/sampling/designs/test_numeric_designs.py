"""Numeric designs of fixed levels: the thesis' tables and figures, SPL Conqueror's program, and laws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sampling import draw_sample, sample
from sampling.designs.numeric import compat_levels
from splc.data.configurations import Configurations
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import A, B, three_options
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


THREE = three_options()
PLANE = VariabilityModel("plane", (A, B))


def rows(system: VariabilityModel, spec: str) -> Lines:
    """Return the number of the points of a design, its points, the lowest of each option fastest to read, and notes."""
    drawn = draw_sample(system, spec)
    found = [" ".join(f"{value:g}" for value in point) for point in points(drawn.configurations)]
    shown = found if len(found) <= 30 else [*found[:3], "…", found[-1]]
    return Lines("\n".join([f"{len(found)}: {', '.join(shown)}", *drawn.notes]))


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
