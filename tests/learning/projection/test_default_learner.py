"""The default learner from end to end: known models, few rows, extreme values, notes, and settings."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.learning import LearningResult, learn
from splc.learning.projection.predictor import Ensemble
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present
from tests.support.real_data import real
from tests.support.systems import everything, group, switches

POWERS = (1.0, 2.0, 4.0, 8.0, 16.0)


def system(binary: int = 4) -> VariabilityModel:
    """Return a system with binary options, options with a zero and with negative values, and an optional option."""
    numeric = (
        NumericOption("n", POWERS),
        NumericOption("zero", (0.0, 1.0, 2.0, 5.0, 9.0)),
        NumericOption("negative", (-3.0, -1.0, 0.0, 2.0, 7.0)),
        NumericOption("optional", POWERS, deselected_flag=-1.0),
    )
    return VariabilityModel("made", (*switches(binary), *numeric))


def drawn(model: VariabilityModel, rows: int, seed: int = 0) -> Configurations:
    """Return random distinct configurations."""
    rng = np.random.default_rng(seed)
    indices = np.column_stack([rng.integers(0, option.size, rows) for option in model.options])
    return Configurations(model, np.unique(indices, axis=0))


def known(configurations: Configurations) -> Array:
    """Return values of a sum of five terms."""
    column = configurations.column
    optional = np.nan_to_num(column("optional"))
    found: Array = 5 + 3 * column("b0") + 2 * column("n") + column("zero") * column("b1") + optional
    return found


def learned(configurations: Configurations, y: Array, **settings: object) -> LearningResult:
    """Return the result of the default learner."""
    return learn(Measurements(configurations, {"time": y}), learner="projection", settings=settings)


def influences(result: LearningResult) -> dict[str, float]:
    """Return the printed model as term → influence."""
    return {term.text(result.model.order): influence for term, influence in result.model.terms}


@pytest.mark.parametrize("power", [300, *(pytest.param(power, marks=pytest.mark.slow) for power in (0, -300))])
def test_sum_without_noise_is_found_exactly(power: int) -> None:
    """A sum of five terms is found with its influences, in any unit, also among options that do not vary."""
    model = system()
    more = VariabilityModel("made", (BinaryOption("a"), *model.options, NumericOption("z", POWERS)))
    configurations = drawn(model, 30)
    fixed = np.ones((len(configurations), 1), dtype=int)
    wider = Configurations(more, np.hstack([fixed, configurations.indices, 2 * fixed]))
    for given in (configurations, wider):
        result = learned(given, known(configurations) * 10.0**power)
        found = {text: influence / 10.0**power for text, influence in influences(result).items()}
        assert found == pytest.approx({"1": 5, "b0": 3, "n": 2, "b1 * zero": 1, "optional": 1}, rel=1e-5)
    assert any("in your sample: a, z" in note for note in result.notes)


def test_product_without_noise_is_found_exactly() -> None:
    """A product of factors is printed as one."""
    configurations = drawn(VariabilityModel("factors", (*switches(5), NumericOption("n", POWERS))), 80)
    binary = np.column_stack([configurations.column(f"b{i}") for i in range(5)])
    result = learned(configurations, 3 * np.prod([2, 5, 0.5, 1.3, 0.7] ** binary, axis=1) * configurations.column("n"))
    assert result.model.link == "log"
    assert result.learning_error == pytest.approx(0, abs=1e-3)
    assert result.model.options == {"b0", "b1", "b2", "b3", "b4", "n"}


@pytest.mark.parametrize("readable", [False, True])
def test_costs_that_fall_with_options(readable: bool) -> None:
    """A product of 1/x and 1/y is found among noise, instead of many single values of x and y."""
    values = {"x": POWERS, "y": (16.0, 48.0, 100.0, 300.0), "z": (0.0, 1.0, 5.0, 9.0)}
    configurations = everything(*(NumericOption(name, own) for name, own in values.items()))
    x, y, z = (configurations.column(name) for name in values)
    noise = np.random.default_rng(0).normal(0, 0.02, len(x))
    found = influences(learned(configurations, (5 + 0.4 * z + 1000 / (x * y)) * np.exp(noise), readable=readable))
    assert found["x^-1 * y^-1"] == pytest.approx(1000, rel=0.1)
    assert len(found) <= 5


def falling(seed: int, rows: int) -> tuple[Configurations, Array, Array, Array]:
    """Return drawn configurations of a binary and two numeric options, and their columns."""
    options = BinaryOption("a"), BinaryOption("b"), NumericOption("x", POWERS), NumericOption("z", tuple(range(10)))
    configurations = drawn(VariabilityModel("falling", options), rows, seed)
    return configurations, configurations.column("a"), configurations.column("x"), configurations.column("z")


def noisy(rows: int, size: float, seed: int = 0) -> tuple[Configurations, Array]:
    """Return configurations of four options, and values with noise of a size."""
    configurations, a, x, z = falling(seed, rows)
    return configurations, (5 + 20 * a + 100 / x + 0.5 * z) * np.exp(np.random.default_rng(1).normal(0, size, len(a)))


@cache
def usual() -> LearningResult:
    """Return what is learned from 30 rows with noise of 10 %."""
    return learned(*noisy(30, 0.1))


@pytest.mark.parametrize("rows", [25, pytest.param(90, marks=pytest.mark.slow)])
def test_falling_costs_without_noise_are_found_exactly(rows: int) -> None:
    """A sum with 1/x that fits all values exactly is found, from few rows also."""
    configurations, a, x, z = falling(2, rows)
    found = influences(learned(configurations, 5 + 20 * a + 100 / x + 0.5 * z))
    assert found == {"1": 5, "a": 20, "x^-1": 100, "z": 0.5}


@pytest.mark.parametrize("rows", [1, 2, 8, 9, *(pytest.param(rows, marks=pytest.mark.slow) for rows in (3, 4, 5))])
def test_few_rows(rows: int) -> None:
    """Fewer configurations than options give a model with finite predictions."""
    model = VariabilityModel("many", tuple(BinaryOption(f"o{i:02}") for i in range(50)))
    configurations = drawn(model, rows)
    result = learned(configurations, 5 + 3 * configurations.column("o01") + 0.01 * np.arange(len(configurations)))
    assert np.isfinite(result.predictor.predict(drawn(model, 100, 1))).all()
    assert len(result.terms) <= rows
    assert result.cross_validated is None
    if rows == 1:
        # All options have the same value: there is no note about each, and no uncertainty.
        assert not any("influence unknown" in note for note in result.notes)
        assert result.estimates == ()


@pytest.mark.parametrize("value", [4.0, 0.0, -2.0])
def test_equal_values_are_a_constant(value: float) -> None:
    """Equal values give the constant, with a note."""
    configurations = drawn(system(), 30)
    result = learned(configurations, np.full(len(configurations), value))
    np.testing.assert_allclose(result.predictor.predict(configurations), value)
    assert result.termination == "constant"
    assert any("all values are equal" in note for note in result.notes)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_too_far_apart_are_refused(sign: float) -> None:
    """Values that differ by hundreds of powers of ten give a message."""
    configurations = drawn(system(), 40)
    with pytest.raises(LearningError, match="check the measurements"):
        learned(configurations, sign * 10.0 ** np.linspace(-300, 300, len(configurations)))


@pytest.mark.parametrize("value", [0.0, 4.0])
def test_optional_option_with_one_value(value: float) -> None:
    """Deselecting an option with one value has an influence, also if the value is 0."""
    configurations = everything(*switches(3), NumericOption("n", (value,), deselected_flag=9.0))
    y = 10 + 3 * configurations.column("b0") + 5 * ~np.isnan(configurations.value("n"))
    found = learned(configurations, y)
    np.testing.assert_allclose(found.model.predict(configurations), y, rtol=1e-6)
    assert not any("influence unknown" in note for note in found.notes)


@pytest.mark.parametrize(("rows", "noise", "low", "high"), [(60, 0.001, 1.0005, 1.01), (40, 1.0, 3, np.inf)])
def test_factors_of_intervals(rows: int, noise: float, low: float, high: float) -> None:
    """The factor of precise measurements, such as sizes, is not rounded to 1; of many rows it may be large."""
    expected = present(learned(*noisy(rows, noise)).expected)
    assert low < present(expected.within) < high


def test_unit_scales_influences() -> None:
    """With noise, too, a property in another unit has the same terms, errors and intervals in that unit."""
    (configurations, y), factor = noisy(30, 0.1), 7.3e9
    one, other = usual(), learned(configurations, y * factor)
    assert [term for term, _ in one.model.terms] == [term for term, _ in other.model.terms]
    np.testing.assert_allclose([w for _, w in other.model.terms], [w * factor for _, w in one.model.terms], rtol=1e-4)
    assert other.learning_error == pytest.approx(one.learning_error, rel=1e-3)
    for first, second in zip(one.estimates, other.estimates, strict=True):
        numbers = [first.standard_error * factor, first.low * factor]
        assert [second.standard_error, second.low] == pytest.approx(numbers, rel=1e-2)
        assert second.sign_probability == pytest.approx(first.sign_probability, abs=1e-3)
    assert one.notes == other.notes


def test_settings() -> None:
    """Settings change the model as they say."""
    configurations, y = noisy(30, 0.1)
    assert len(learned(configurations, y, terms=2).terms) <= 2 < len(usual().terms)
    assert learned(configurations, y, form="product").model.link == "log"
    assert any("adds up the effects" in note for note in learned(configurations, y, scale="raw").notes)
    singles = learned(configurations, y, order=1).model.terms
    assert max(len(term.options) for term, _ in singles) == 1


def test_cross_validated_errors_of_both_models() -> None:
    """Both errors are those at other configurations; with fewer terms that of the printed model grows.

    What predicts is hardly worse: the Gaussian processes are left.
    """
    measured, test = (
        Measurements(configurations, {"time": y}) for configurations, y in (noisy(60, 0.05), noisy(200, 0.05, 5))
    )
    full, printed = [], []
    for settings in ({}, {"terms": 2}):
        result = learn(measured, learner="projection", settings=settings, evaluation=test)
        assert result.printed_errors is not None
        for errors in (result, result.printed_errors):
            assert 0.6 < present(errors.error) / present(errors.cross_validated).mean < 1.5
        full.append(present(result.cross_validated).mean)
        printed.append(present(result.printed_errors.cross_validated).mean)
    assert full[0] <= full[1] < 0.9 * printed[1]
    assert printed[1] > 1.2 * printed[0]


def test_estimates_belong_to_the_terms() -> None:
    """There is an estimate for each term, whose interval contains the influence."""
    result = usual()
    assert [(each.term, each.influence) for each in result.estimates] == list(result.model.terms)
    assert all(each.low <= each.influence <= each.high for each in result.estimates)
    assert all(0.5 <= each.sign_probability <= 1 for each in result.estimates)
    # Numbers have at most six digits.
    ends = [number for each in result.estimates for number in (each.standard_error, each.low, each.high)]
    assert ends == [float(f"{number:.6g}") for number in ends]
    sizes = [point.terms for point in result.path]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_learning_ends_between_its_steps(steps: int) -> None:
    """Learning that is asked to end keeps the full model; its terms are found in the last step."""
    configurations, y = noisy(30, 0.1)
    measured = Measurements(configurations, {"t": y})
    asked = iter([False] * steps + [True] * 10)
    result = learn(measured, "t", should_stop=lambda: next(asked))
    assert bool(result.model.options) is (steps == 2)
    assert result.termination == ("projected" if steps == 2 else "interrupted")


@pytest.mark.parametrize(("rows", "scipy"), [(40, False), pytest.param(310, True, marks=pytest.mark.slow)])
def test_every_library_has_one_thread(rows: int, scipy: bool) -> None:
    """Learning and predictions have one thread in all libraries. Few rows do without scipy: its import takes long."""
    code = """
import sys
from threadpoolctl import threadpool_info
from splc.learning import learn, projection
from splc.data.measurements import Measurements
from tests.learning.projection.test_default_learner import drawn, known, system

found = []
def asked():
    found.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
    return True
configurations = drawn(system(), int(sys.argv[1]))
result = learn(Measurements(configurations, {"t": known(configurations)}), should_stop=asked)
projection.posterior.kernel_diagonal = lambda *given, of=projection.posterior.kernel_diagonal: asked() and of(*given)
result.predictor.interval(configurations[[0]])
print((found, "scipy" in sys.modules))
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-c", code, str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found, loaded = ast.literal_eval(done.stdout)
    assert (set(found), loaded) == ({1}, scipy)
    assert divmod(len(found), 1 + scipy) == (9, 0)


def test_constant_groups_are_named_by_all_members() -> None:
    """The note about options without variation has each member of a group, not only the first one."""
    system = VariabilityModel("system", (*group("lz4", "zstd", "gzip"), BinaryOption("fast")))
    columns = {"lz4": [1, 1], "zstd": [0, 0], "gzip": [0, 0], "fast": [0, 1], "time": [3.0, 5.0]}
    result = learn(read_measurements(columns, system), "time")
    (note,) = [note for note in map(str, result.notes) if "always the same" in note]
    assert {"lz4", "zstd", "gzip"} <= set(note.replace(",", "").split())


ALL = everything(*switches(3), NumericOption("x", (1.0, 2.0, 4.0, 8.0)))
ROWS = np.random.default_rng(3).permutation(len(ALL))


def learned_of(rows: int, slope: float, configurations: Configurations = ALL[ROWS]) -> LearningResult:
    """Return what is learned from some rows of `20 + slope * b0 + x`, with noise of 1 %."""
    first, x = (configurations.column(name) for name in ("b0", "x"))
    noise = np.random.default_rng(0).normal(1, 0.01, len(configurations))
    measurements = Measurements(configurations, {"y": (20 + slope * first + x) * noise})
    return learn(measurements, "y", learning_set=np.arange(rows))


def needed(result: LearningResult) -> list[str]:
    """Return the notes that there are too few rows."""
    return [note for note in result.notes if note.startswith("too few measurements")]


@pytest.mark.parametrize("rows", [3, 5, 7])
@pytest.mark.parametrize("slope", [0.0, 3.0, 100.0])
def test_at_most_one_effect(rows: int, slope: float) -> None:
    """Below 8 rows and 3 per option, a model has at most one term with options, and the note has the number needed."""
    result = learned_of(rows, slope)
    assert sum(bool(term.options) for term, _ in result.model.terms) <= 1
    varying = sum(len(set(ALL[ROWS].column(name)[:rows])) > 1 for name in ALL.system.names)
    (note,) = needed(result)
    assert f"at least {max(4, 3 * varying)} " in note


def test_a_clear_effect_is_kept() -> None:
    """An effect that is much larger than all else is the one term of a model of few rows."""
    (term,) = (term for term, _ in learned_of(7, 100.0).model.terms if term.options)
    assert term.options == {"b0"}


@pytest.mark.parametrize(("rows", "number"), [(11, "at least 12 "), (14, "")])
def test_several_effects(rows: int, number: str) -> None:
    """From 8 rows on the model has terms of all clear options; below 3 rows per option a note has the number."""
    result = learned_of(rows, 20.0)
    assert {"b0", "x"} <= result.model.options
    assert [number in note for note in needed(result)] == ([True] if number else [])


def test_many_options_without_influence() -> None:
    """Fewer than 3 rows per option suffice if most options have no influence; a note remains."""
    rng = np.random.default_rng(1)
    indices = rng.integers(0, 2, (30, 60)).T
    y = (10 + indices[:, :2] @ [5, 3]) * rng.normal(1, 0.01, 60)
    configurations = Configurations(VariabilityModel("wide", switches(30)), indices)
    result = learn(Measurements(configurations, {"y": y}), "y")
    assert {"b0", "b1"} <= result.model.options
    assert "at least 90 " in needed(result)[0]


@pytest.mark.real_data
def test_new_and_known_settings() -> None:
    """The printed model is a part of predictions of new settings, and not of known ones in another version."""
    system = infer_system(real("reports/leak_train.csv"), options="version", nfp="seconds")
    files = [real(f"reports/leak_{part}.csv") for part in ("train", "test")]
    learned, others = (read_measurements(file, system) for file in files)
    full = learn(learned, "seconds").intervals
    assert isinstance(full, Ensemble)
    error = 100 * float(np.mean(abs(full.predict(learned.configurations) / learned["seconds"] - 1)))
    assert error < 2
    alone = replace(full, stacked=None)
    blended, unblended = (
        100 * float(np.mean(abs(model.predict(others.configurations) / others["seconds"] - 1)))
        for model in (full, alone)
    )
    assert blended < 0.7 * unblended
