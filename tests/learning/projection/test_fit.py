"""The decisions by evidence against the stated rules, the constants of these, notes and cross-validated errors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.learning.projection import constants
from splc.learning.projection.basis import Variable, variables_of
from splc.learning.projection.fit import first_fit, penalty, refits
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.predictor import Ensemble
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.test_full_model import drawn, learned, system
from tests.support.objects import present
from tests.support.paths import ROOT
from tests.support.systems import group

PAGES = ("0009-default-learner.md", "0010-printed-model.md")
ROW = re.compile(r'^\| `(?:(\w+)\.)?([A-Z_]+)(?:\["(\w+)"\])?` \| ([^|]+) \| .*\w.* \|$', re.MULTILINE)


@cache
def stated() -> dict[tuple[str, str, str], tuple[float, ...]]:
    """Return file, name and key → the numbers in the tables of the decisions."""
    text = "".join((ROOT / "docs" / "decisions" / page).read_text(encoding="utf-8") for page in PAGES)
    rows = [match.groups(default="") for match in ROW.finditer(text)]
    assert len(rows) == len(re.findall(r"^\| `", text, re.MULTILINE))
    return {(file or "constants", name, key): tuple(map(_number, value.split(", "))) for file, name, key, value in rows}


def _number(text: str) -> float:
    return math.log(float(text[3:])) if text.startswith("ln ") else float(text)


def test_constants_are_those_of_the_decisions() -> None:
    """The constants are what the tables of the decisions state."""
    for (file, name, key), expected in stated().items():
        value: Any = getattr(import_module(f"splc.learning.projection.{file}"), name)
        assert np.atleast_1d(value[key] if key else value) == pytest.approx(expected, rel=1e-12), (file, name, key)


def test_every_constant_of_the_full_model_is_stated() -> None:
    """The tables have all constants of the full model, each once."""
    values = {name: value for name, value in vars(constants).items() if name.isupper()}
    names = {(name, key) for name, value in values.items() for key in (value if isinstance(value, Mapping) else [""])}
    assert names == {(name, key) for file, name, key in stated() if file == "constants"}


def test_prior_is_that_of_the_decision() -> None:
    """The negative logarithm of the prior is the formula of the decision."""
    x = np.random.default_rng(0).normal(-2, 2, 7)
    relevances, (rho, a, w, noise) = x[:3], x[3:]
    expected = sum(math.log1p(math.exp(each) / 0.3**2) + ((each - math.log(0.05)) / 4) ** 2 / 2 for each in relevances)
    expected += ((rho - math.log(0.5)) ** 2 + (a - math.log(0.1)) ** 2 + w**2) / 2
    expected += ((noise - math.log(0.01)) / 2) ** 2 / 2
    assert penalty(x)[0] == pytest.approx(expected, rel=1e-12)


def made(seed: int, rows: int) -> tuple[Configurations, Array]:
    """Return configurations and values of a sum, of a product, or of something between, with noise."""
    rng = np.random.default_rng(seed)
    configurations = drawn(system(4, 1), rows, seed)
    column = configurations.column
    parts = [3 * column("b0"), 0.2 * column("n0"), 2 * column("b1"), column("b2") * column("b3")]
    added, multiplied = 2 + sum(parts), np.exp(sum(part / 3 for part in parts))
    share = (0.0, 0.5, 0.9, 1.0)[seed % 4]
    return configurations, (share * added + (1 - share) * multiplied) * np.exp(rng.normal(0, 0.1, rows))


@pytest.mark.parametrize(
    ("seed", "rows", "larger"),
    [
        (7, 20, True),
        (11, 19, True),
        (3, 20, False),
        pytest.param(11, 30, True, marks=pytest.mark.slow),
        pytest.param(7, 30, False, marks=pytest.mark.slow),
    ],
)
def test_choice_of_scale(seed: int, rows: int, larger: bool) -> None:
    """The scale is y from 20 rows on if its evidence is larger by 2."""
    auto, log, raw = (learned(*made(seed, rows), scale=scale) for scale in ("auto", "log", "raw"))
    assert (present(raw.refits).first.evidence - present(log.refits).first.evidence > 2) is larger
    assert [log.scale, raw.scale] == [positive_scale("log", log.data.y), positive_scale("raw", log.data.y)]
    assert auto.scale == (raw if rows >= 20 and larger else log).scale


@pytest.mark.parametrize(
    ("values", "scales"),
    [([*[1.0] * 24, 10.0 ** (110 * 25 / 24)], {"log"}), ([-1.0, 0.0, *[1.0] * 22, 1e120], {"shifted_log", "asinh"})],
)
def test_squares_that_overflow_are_not_learned_on_y(values: list[float], scales: set[str]) -> None:
    """Values above 1e100 typical ones are learned on a scale that bounds them."""
    assert learned(drawn(system(), 25), np.array(values)).scale.name in scales


@pytest.mark.parametrize("kind", [*range(4), pytest.param(4, marks=pytest.mark.slow)])
def test_choice_of_scale_for_values_of_any_sign(kind: int) -> None:
    """The scale with the smallest absolute error outside of the folds is taken."""
    configurations, y = made(kind, 30)
    both = np.where(configurations.column("b3") > 0, y, -y)
    found = learned(configurations, (y - y.mean(), y * (y > 6), both, both, -np.exp(y))[kind])
    assert found.refits is not None
    assert kind != 3 or found.scale.name == "raw"
    data = found.data
    errors: dict[str, float] = {}
    fitted: Array | None = None
    for scale in general_scales(data.y):
        grown = fitted if scale.grows else None
        firsts = [first_fit(data, 5, scale, grown, design) for design in range(len(data.designs))]
        # Noise that grows does so with the predictions of the first scale.
        fitted = firsts[0].posterior.means(data.designs[0]) if fitted is None else fitted
        errors[scale.name] = float(abs(scale.backward(refits(data, firsts).means) * scale.unit - data.y).mean())
    assert list(errors) == ["raw_constant", "raw", "shifted_log", "asinh"]
    assert found.scale.name == min(errors, key=lambda name: errors[name])
    error = float(abs(found.held_out * found.scale.unit - data.y).mean())
    assert error == pytest.approx(errors[found.scale.name], rel=1e-9)


def test_divisors_of_errors() -> None:
    """Errors are relative ones of positive values; of others they are divided as the recipe states."""
    y = np.array([-4.0, 0.0, 2.0, 2.0, 10.0])
    scales: dict[str, Scale] = {scale.name: scale for scale in general_scales(y)}
    assert {scale.unit for scale in scales.values()} == {2.0}
    g, unit = np.array([-1.5, 0.0, 0.5, 3.0]), 2.0
    d = (-y.min() + 0.02 * (y.max() - y.min())) / unit
    for name, expected in {
        "raw_constant": np.ones(4),
        "raw": np.sqrt(g**2 + 0.1**2),
        "shifted_log": g + d,
        "asinh": np.sqrt(g**2 + 1),
    }.items():
        np.testing.assert_allclose(scales[name].divisor(g), expected, rtol=1e-12)
        np.testing.assert_allclose(scales[name].residual(g, g + 0.25), -0.25 / expected, rtol=1e-12)
        np.testing.assert_allclose(scales[name].noise(g), expected**2 if name == "raw" else 1.0, rtol=1e-12)
    assert {scale.lowest for scale in scales.values()} == {-math.inf}
    assert {scale.lowest for scale in general_scales(y + 4)} == {0.0}
    assert [scale.unit for scale in general_scales(np.array([0.0, 0.0, 0.0, 8.0]))] == [2.0] * 4
    assert [scale.unit for scale in general_scales(np.zeros(3))] == [1.0] * 4
    positive = positive_scale("raw", np.array([2.0, 8.0]))
    assert (positive.unit, positive.lowest) == pytest.approx((4.0, 2 / 4 / 3))
    np.testing.assert_allclose(positive.noise(np.array([0.5, 3.0])), [0.25, 9.0])
    np.testing.assert_allclose(positive.residual(np.array([2.0]), np.array([3.0])), math.log(2 / 3))
    np.testing.assert_allclose(positive.backward(np.array([-5.0, 1.5])), [2 / 4 / 3, 2.5])


def result_of(rows: int, variables: int, scatter: float, shift: float = 0.0) -> LearningResult:
    """Return the result for distinct configurations, of which the first option has an influence."""
    rng = np.random.default_rng(rows)
    values = (1.0, 2.0, 3.0, 4.0)
    few = [NumericOption(f"n{at}", values) for at in range(variables)]
    options = few if variables < 6 else [BinaryOption(f"b{at}") for at in range(variables)]
    system = VariabilityModel("made", tuple(options))
    drawn = rng.integers(0, [option.size for option in options], (4 * rows, variables))
    indices = np.unique(drawn, axis=0)
    indices = indices[rng.permutation(len(indices))[:rows]]
    y = np.exp(indices[:, 0] + rng.normal(0, scatter, rows)) - shift
    return learn(Measurements(Configurations(system, indices), {"time": y}), "time")


@pytest.mark.parametrize(
    ("rows", "variables", "positive", "known"),
    [
        (12, 4, True, True),
        (11, 3, True, False),
        (60, 20, True, True),
        (60, 21, True, False),
        (13, 4, False, False),
        pytest.param(12, 5, True, False, marks=pytest.mark.slow),
    ],
)
def test_cross_validated_errors(rows: int, variables: int, positive: bool, known: bool) -> None:
    """Cross-validated errors need 12 rows, 3 rows per option, and positive values."""
    result = result_of(rows, variables, 0.05, 0.0 if positive else 2.0)
    assert (result.cross_validated is not None) is known
    assert (present(result.printed_errors).cross_validated is not None) is known


@pytest.mark.parametrize(("rows", "scatter", "known"), [(11, 0.7, False), (12, 0.7, True), (11, 0.05, False)])
def test_expected_differences(rows: int, scatter: float, known: bool) -> None:
    """The factor that most values are within grows with the scatter; with few rows the error is unknown."""
    expected = present(result_of(rows, 4, scatter).expected)
    assert (present(expected.within) > 3) is (scatter > 0.5)
    assert expected.unknown == ("" if known else "11 measured, 12 needed")


@pytest.mark.parametrize("scatter", [0.5, pytest.param(0.05, marks=pytest.mark.slow)])
def test_expected_differences_of_any_sign(scatter: float) -> None:
    """Values that are not all positive have an expected difference, and most errors of folds are within it."""
    result = result_of(20, 4, scatter, 2.0)
    within, difference = present(result.expected).within, present(result.expected).difference
    assert 0 < present(difference) < present(within)


@pytest.mark.parametrize(("copies", "expected"), [(1, None), (2, "b0 and b1"), (3, "b2 and b0, b2 and b1")])
def test_notes_on_aliases(copies: int, expected: str | None) -> None:
    """A pair of terms that cannot be distinguished is named once."""
    one, other, n = np.unique(np.random.default_rng(0).integers(0, (2, 2, 64), (60, 3)), axis=0).T
    binary = [BinaryOption(f"b{at}") for at in range(copies + 1)]
    made = VariabilityModel("made", (*binary, NumericOption("n", tuple(range(64)))))
    configurations = Configurations(made, np.column_stack([*[one] * copies, other, n]))
    notes = learn(Measurements(configurations, {"time": 5 + 3 * one + 20 * other + n}), "time").notes
    found = [note.split(": ")[1] for note in notes if "interchangeable" in note]
    assert found == ([] if expected is None else [expected])


NUMBERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
NAMES = tuple(f"g_{number:g}" for number in NUMBERS)
PLAIN = VariabilityModel("plain", (*group(*NAMES), *(BinaryOption(f"b{at}") for at in range(4))))
OPTIONAL = VariabilityModel(
    "optional", (BinaryOption("p"), *(replace(each, parent="p") for each in group(*NAMES)), BinaryOption("b0"))
)
MEANING = np.log2(NUMBERS)
NONE = np.array([3.0, 1.0, 9.0, 4.0, 6.0, 0.0, 8.0, 2.0])


def values(configurations: Configurations, effects: Array) -> Array:
    """Return values that members multiply, with noise of 2 %."""
    selected = np.column_stack([configurations.column(name) for name in NAMES])
    noise = np.random.default_rng(0).normal(0, 0.02, len(configurations))
    return np.asarray((5 + selected @ effects) * (1 + 0.3 * configurations.column("b0")) * np.exp(noise))


def groups(variables: tuple[Variable, ...]) -> dict[str, dict[str, float]]:
    """Return the numbers of members of groups by name."""
    found = (variable for variable in variables if variable.kind == "group")
    return {each.name: dict(zip(each.members, each.values, strict=True)) if each.values else {} for each in found}


@pytest.mark.parametrize("system", [PLAIN, OPTIONAL])
@pytest.mark.parametrize(("effects", "used"), [(MEANING, True), (NONE, False)])
def test_numbers_are_used_where_the_evidence_is_for_them(system: VariabilityModel, effects: Array, used: bool) -> None:
    """Effects that follow the numbers are learned by them, others by members, as under names without numbers."""
    everything = Space(system).enumerate()
    rows = np.random.default_rng(1).permutation(len(everything))[:30]
    found = fit_full_model(everything[rows], values(everything[rows], effects), variables_of(system))
    numbers = dict(zip(NAMES, NUMBERS, strict=True)) if used else {}
    assert groups(found.basis.variables) == ({"g_1": numbers} if used or system is PLAIN else {})
    assert used or system is PLAIN or set(NAMES) < {variable.name for variable in found.basis.variables}
    again = Ensemble.from_json(found.ensemble.as_json() or {}, system)
    np.testing.assert_allclose(again.predict(everything), found.predict(everything), rtol=1e-9)
    # A property without influences is a constant, whether or not the members have numbers.
    noise = np.exp(np.random.default_rng(2).normal(size=30))
    assert system is OPTIONAL or fit_full_model(everything[rows], noise, variables_of(system)).constant
