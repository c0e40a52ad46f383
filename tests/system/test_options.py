from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import VariabilityError
from splc.system.options import MAX_VALUES, BinaryOption, NumericOption, step_values

value_lists = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12, unique=True).map(sorted).map(tuple)


class TestStepValues:
    @pytest.mark.parametrize(
        ("minimum", "maximum", "step", "values"),
        [
            (0, 10, "x + 4", (0, 4, 8)),
            (0, 8, "x + 4", (0, 4, 8)),
            (1, 64, "x * 2", (1, 2, 4, 8, 16, 32, 64)),
            (1, 100, "n * 3", (1, 3, 9, 27, 81)),
            (1, 30, "2 * n + x", (1, 3, 9, 27)),
            (0, 1, "n + 0.25", (0, 0.25, 0.5, 0.75, 1)),
            (0, 1, "n + 0.1", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
            (-6, 0, "x + 3", (-6, -3, 0)),
            (5, 5, "x + 1", (5,)),
            (5, 5.5, "x + 1", (5,)),
            (1, 2, "x * 1.1", (1, 1.1, 1.21, 1.331, 1.464, 1.61, 1.771, 1.948)),
            (1, 1.001, "x * 1.0004", (1, 1.0004, 1.00080016)),
            (10, 9999, "x * 10 ^ log10(x)", (10, 100)),
            (10, 10000, "x * 10 ^ log10(x)", (10, 100, 10000)),
            (0.5, 0.75, "x + 0.0625", (0.5, 0.5625, 0.625, 0.6875, 0.75)),
            (1, 1000, "x + 10 ^ log10(x)", (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)),
            (0, 20, "x / 0 + x + 7", (0, 7, 14)),
            (0, 9, "log10(0) + x + 3", (0, 3, 6, 9)),
            (1e-6, 1e-5, "x * 2", (1e-6, 2e-6, 4e-6, 8e-6)),
            (0.001, 0.01, "x * 1.5", (0.001, 0.0015, 0.00225, 0.003375, 0.0050625, 0.00759375)),
        ],
    )
    def test_values(self, minimum: float, maximum: float, step: str, values: tuple[float, ...]) -> None:
        """Step functions give ascending values from the minimum up to the maximum, rounded to 3 decimals."""
        assert step_values("x", minimum, maximum, step) == values

    @given(st.integers(1, 500), st.integers(0, 6), st.integers(1, 300), st.integers(-1000, 1000))
    def test_additive_steps_are_exact(self, step: int, decimals: int, count: int, start: int) -> None:
        """Adding a decimal step gives its exact multiples up to the maximum."""
        scale = 10**decimals
        expected = tuple((start + i * step) / scale for i in range(count + 1))
        maximum = expected[-1] + 0.5 * step / scale
        found = step_values("x", start / scale, maximum, f"x + {step / scale!r}")
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)

    @given(st.floats(0.001, 100), st.floats(1, 1000), st.floats(1.01, 9), st.floats(0, 5))
    def test_never_beyond_the_maximum(self, minimum: float, ratio: float, factor: float, step: float) -> None:
        """For any step, values ascend, begin with the minimum and do not exceed the maximum."""
        maximum = minimum * ratio
        values = step_values("x", minimum, maximum, f"x * {factor!r} + {step!r}")
        assert values[0] == minimum
        assert values[-1] <= maximum
        assert all(a < b for a, b in itertools.pairwise(values))

    @pytest.mark.parametrize("name", ["tile-size", "x y", "2x", "n2", "log", "a+b", "größe", "n"])
    def test_names_of_any_characters(self, name: str) -> None:
        """A step function refers to the option by its full name or by n."""
        for spelling in (name, f"`{name}`", "n"):
            assert step_values(name, 0, 20, f"{spelling} + 8") == (0, 8, 16)

    def test_spl_conquerors_spelling(self) -> None:
        """A step function may also use the name without special characters."""
        assert step_values("tile-size", 0, 20, "tilesize + 8") == (0, 8, 16)

    def test_a_step_may_end_at_the_maximum(self) -> None:
        """A step function may stop increasing at the maximum."""
        assert step_values("x", 1, 10, "10 - (10 - x) / 2 * (10 / 10) ^ x * 0 + 0") == (1, 10)

    def test_a_step_beyond_all_numbers(self) -> None:
        """A step to infinity ends the values."""
        assert step_values("x", 2, 1e300, "x ^ 1000") == (2,)

    @given(st.floats(1e-4, 10), st.floats(1.0001, 3), st.integers(1, 12))
    def test_rounding(self, minimum: float, factor: float, count: int) -> None:
        """Values have 3 decimals where that changes them by at most 1/1000 and a twentieth of the step."""
        expected = [minimum]
        for _ in range(count):
            exact = expected[-1] * factor
            short = round(exact, 3)
            change, step = abs(short - exact), exact - expected[-1]
            expected.append(short if change <= exact / 1000 and change <= step / 20 else exact)
        maximum = (expected[-1] + expected[-1] * factor) / 2
        found = step_values("x", minimum, maximum, f"x * {factor!r}")
        assert found[: count + 1] == pytest.approx(expected, rel=1e-12)

    def test_tiny_and_huge_values(self) -> None:
        """Values have 14 digits, and above 10^14 no decimals."""
        assert step_values("x", 1e-20, 5e-20, "x + 1e-20") == pytest.approx([n * 1e-20 for n in range(1, 6)], rel=1e-12)
        assert step_values("x", 1e14, 1e14 + 2000, "x + 1000.3") == (1e14, 1e14 + 1000, 1e14 + 2000)

    @pytest.mark.parametrize("maximum", [1e6, 1e9, 1e300])
    def test_too_many_values(self, maximum: float) -> None:
        """More than a million values of an additive step are refused before they are listed."""
        with pytest.raises(VariabilityError, match="more than 1,000,000 values"):
            step_values("x", -5, maximum, "x + 1")

    def test_too_many_values_of_any_step(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Other steps are refused as soon as there are too many values; the largest allowed number is listed."""
        monkeypatch.setattr("splc.system.options.MAX_VALUES", 100)
        assert len(step_values("x", 1, 100, "x + 1")) == 100
        with pytest.raises(VariabilityError, match="more than 100 values"):
            step_values("x", 1, 1e9, "x + log10(x + 9)")


class TestNumericOption:
    @given(value_lists, st.one_of(st.floats(-60, 60), st.integers(-120, 120).map(lambda n: n / 2)))
    def test_nearest_is_the_nearest(self, values: tuple[float, ...], value: float) -> None:
        """No value is nearer than the nearest one, and of two equally near ones it is the smaller."""
        distances = [abs(own - value) for own in values]
        assert NumericOption("x", values).nearest(value) == distances.index(min(distances))

    def test_nearest_to_infinity(self) -> None:
        """The value nearest to an infinity is the end of the range."""
        option = NumericOption("x", (1.0, 2.0, 3.0))
        assert (option.nearest(-math.inf), option.nearest(math.inf)) == (0, 2)

    def test_nearest_of_a_million(self) -> None:
        """The nearest of a million values is found quickly."""
        option = NumericOption("x", tuple(float(i) for i in range(MAX_VALUES)))
        assert [option.nearest(i * 100.4) for i in range(2000)] == [round(i * 100.4) for i in range(2000)]

    @pytest.mark.parametrize(
        ("count", "levels", "expected"),
        [
            (9, 3, [0, 4, 8]),
            (4, 3, [0, 2, 3]),
            (6, 3, [0, 2, 5]),
            (2, 3, [0, 0, 1]),
            (1, 5, [0, 0, 0, 0, 0]),
            (7, 5, [0, 2, 3, 4, 6]),
            (20, 7, [0, 3, 6, 10, 13, 16, 19]),
        ],
    )
    def test_levels(self, count: int, levels: int, expected: list[int]) -> None:
        """Level l of L is the value with index round-half-even(l (N-1) / (L-1))."""
        option = NumericOption("x", tuple(map(float, range(count))))
        assert [option.level(level, levels) for level in range(levels)] == expected

    def test_center(self) -> None:
        """The centre is the value with index N//2."""
        assert [NumericOption("x", tuple(map(float, range(n)))).center for n in (1, 2, 3, 4, 9)] == [0, 1, 1, 2, 4]

    def test_sizes(self) -> None:
        """The size of an optional numeric option includes "deselected"; that of a binary option is 2."""
        assert NumericOption("x", (1.0, 2.0)).size == 2
        assert NumericOption("x", (1.0, 2.0), deselected_flag=0.0).size == 3
        assert NumericOption("x", (1.0, 2.0), deselected_flag=0.0).optional
        assert BinaryOption("b").size == 2
