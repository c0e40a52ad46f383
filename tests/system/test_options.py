"""Options."""

from __future__ import annotations

import itertools
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc import BinaryOption, NumericOption, VariabilityModel
from splc.data.property_unit import unit_factor, unit_problem, unit_remark
from splc.errors import VariabilityError
from splc.formats.system.read import read_variability_model
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import MAX_VALUES, step_values
from tests.support.golden_messages import check_calls

value_lists = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12, unique=True).map(sorted).map(tuple)


class TestStepValues:
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

    def test_center(self) -> None:
        """The centre is the value with index N//2."""
        assert [NumericOption("x", tuple(map(float, range(n)))).center for n in (1, 2, 3, 4, 9)] == [0, 1, 1, 2, 4]

    def test_sizes(self) -> None:
        """The size of an optional numeric option includes "deselected"; that of a binary option is 2."""
        assert NumericOption("x", (1.0, 2.0)).size == 2
        assert NumericOption("x", (1.0, 2.0), deselected_flag=0.0).size == 3
        assert NumericOption("x", (1.0, 2.0), deselected_flag=0.0).optional
        assert BinaryOption("b").size == 2


@pytest.mark.parametrize("factor", [10, 100, 1e3, 1e4, 1e5, 1e6, 1e9, 2**10, 2**20, 2**30, 60, 3600])
def test_usual_factors(factor: float) -> None:
    """Powers of ten, units of memory, and units of time are found in both directions."""
    listed = (7.0, 11.0)
    assert unit_factor(listed, (7 * factor, 11 * factor)) == pytest.approx(factor, rel=1e-12)
    assert unit_factor((7 * factor, 11 * factor), listed) == pytest.approx(1 / factor, rel=1e-12)
    assert unit_factor(listed, (7 * factor, 12 * factor)) is None


def test_precision() -> None:
    """Values match to one part in 10^9."""
    assert unit_factor((7.0,), (7000 * (1 + 5e-10),)) == 1000
    assert unit_factor((7.0,), (7000 * (1 + 2e-9),)) is None


@given(st.lists(st.integers(1, 9), min_size=1, unique=True), st.sampled_from([1e3, 1e-3, 1024.0, 3600.0]))
def test_any_values(values: list[int], factor: float) -> None:
    """Scaled values are the listed ones times the factor that is found."""
    found = unit_factor(sorted(values), [factor * value for value in values])
    assert found is not None
    assert {round(factor * value / found, 6) for value in values} <= set(values)


def test_remarks() -> None:
    """A remark gives an example of the values."""
    assert unit_remark((0.064, 0.256), (64, 256)) == "256 is 1000 times 0.256: another unit?"
    assert unit_remark((64, 256), (0.064,)) == "0.064 is 1/1000 of 64: another unit?"
    assert unit_remark((64, 256), (65,)) is None


def test_problems() -> None:
    """A problem gives an example, and both ways to correct it."""
    assert unit_problem("m", (0.064, 0.256), (64, 256)) == (
        "m: values are 1000 times those of the description (256 instead of 0.256), as in another unit; "
        "divide the column by 1000, or multiply the values in the description"
    )
    assert unit_problem("m", (64, 256), (0.256, 0.064)) == (
        "m: values are 1/1000 of those of the description (0.064 instead of 64), as in another unit; "
        "multiply the column by 1000, or divide the values in the description"
    )
    assert unit_problem("m", (64, 256), (65,)) is None


@given(
    numbers=st.lists(st.integers(-20, 20), min_size=1, unique=True),
    others=st.lists(st.sampled_from(["zstd", "x/y", "x y", "ä"]), min_size=1, unique=True),
    most=st.integers(-20, 20),
)
def test_the_valid_configurations(numbers: list[int], others: list[str], most: int) -> None:
    """The valid configurations are the combinations of values that satisfy the constraints."""
    texts = ["lz4", *others]
    constraints = [f"n + 3 * fast <= {most}", "!fast | codec_lz4"]
    system = VariabilityModel.of({"n": numbers, "fast": bool, "codec": texts}, constraints)
    expected = [
        n + 3 * fast <= most and (not fast or text == "lz4") for n, fast, text in product(numbers, (0, 1), texts)
    ]
    assert Space(system).count == sum(expected)


def test_kinds_of_constraints() -> None:
    """Comparisons with binary options are mixed constraints, those of numeric options only are not."""
    system = VariabilityModel.of({"n": [1, 2], "m": [1, 2], "fast": bool}, ["n <= m", "n * fast <= m"])
    found = [(each.kind, each.requires) for each in system.constraints if isinstance(each, ArithmeticConstraint)]
    assert found == [("non-boolean", "all"), ("mixed", "none")]


def test_kinds_of_values() -> None:
    """Values become binary options, numeric options in ascending order, alternative groups; options are taken."""
    system = VariabilityModel.of(
        {"n": np.array([4, 1, 2, 2]), "b": bool, "c": [False, True], "m": range(1, 4), "o": BinaryOption("o", "b")},
        name="small",
    )
    assert system.name == "small"
    assert system.options == (
        *(BinaryOption("b"), BinaryOption("c"), BinaryOption("o", "b")),
        *(NumericOption("n", (1.0, 2.0, 4.0)), NumericOption("m", (1.0, 2.0, 3.0))),
    )


def test_names_of_texts() -> None:
    """The option of a text has the name of the group and the text; texts that would have the same name get a number."""
    system = VariabilityModel.of({"c": ["a b", "a/b", "-"], "c_": bool})
    assert system.names == ("c", "c_a_b", "c_a_b_2", "c__2", "c_")
    assert system.alternative_groups == (("c_a_b", "c_a_b_2", "c__2"),)
    assert [option.presentation.output_string for option in system.binary_options[1:4]] == ["a b", "a/b", "-"]


def test_the_description_can_be_written(tmp_path: Path) -> None:
    """A system that was defined in Python reads back from XML as the same system."""
    system = VariabilityModel.of({"n": [1, 2, 3], "fast": bool, "c": ["a", "b"]}, ["!fast | c_a", "n + fast <= 3"])
    write_variability_model(system, tmp_path / "system.xml")
    assert read_variability_model(tmp_path / "system.xml") == system


def test_all_problems_at_once() -> None:
    """Every wrong option, and every wrong constraint, is named."""
    with pytest.raises(VariabilityError) as options:
        VariabilityModel.of({"a": [], "b": 3, "c": [1]})
    assert len(options.value.problems) == 2
    with pytest.raises(VariabilityError) as constraints:
        VariabilityModel.of({"a": bool}, ["a | c", "a", "d < 1"])
    assert len(constraints.value.problems) == 2


def test_quoted_names_may_contain_comparisons() -> None:
    """A sign of a comparison inside backticks is a part of a name."""
    system = VariabilityModel.of({"a<b": bool, "c": bool}, ["!`a<b` | c"])
    assert Space(system).count == 3


def levels(count: int, number: int) -> list[int]:
    """Return the indices of all levels of an option of so many values."""
    option = NumericOption("x", tuple(map(float, range(count))))
    return [option.level(level, number) for level in range(number)]


def test_calls() -> None:
    """Values of options, and definitions that are refused, are those of the golden file."""
    functions = (step_values, levels, unit_factor, VariabilityModel.of, NumericOption)
    check_calls("option-values", *functions)
