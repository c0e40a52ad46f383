"""Calibration of analytical models, of made ones and of the case studies."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.calibration import Calibration, DeterminedCombination, Estimate, Residual, calibrate
from splc.calibration.free_parameters import Sensitivity, free_parameters, with_scale
from splc.data.accuracy import mean_relative_error
from splc.errors import ConfigurationError, LearningError, MeasurementError, SpecError
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.project import Project
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, SYSTEM, fitted, noisy, read, tabled
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.paths import SMG2000


def test_scale_is_a_factor_on_the_whole_model() -> None:
    """`scale` multiplies every term and is benchmarked to be 1; a parameter of that name is only what it is."""
    plain = read(LINEAR, BENCHMARKED)
    measured = noisy(500 * plain.predict(ALL), 0.1)
    found = fitted(LINEAR, BENCHMARKED, measured, ("scale",))
    shares = plain.predict(ALL) / measured
    assert found["scale"].value == pytest.approx(shares.sum() / (shares @ shares), rel=1e-12)
    assert found["scale"].ratio == found["scale"].value
    assert found.model.predict(ALL) == pytest.approx(found["scale"].value * plain.predict(ALL), rel=1e-12)
    own = fitted("scale * nx + 3", {"scale": 2.0}, read("scale * nx + 3", {"scale": 8.0}).predict(ALL), ("scale",))
    assert own["scale"].value == pytest.approx(8)
    assert own["scale"].benchmarked == 2.0


def test_scale_multiplies_predictions_under_a_link_too() -> None:
    """A model whose sum is the logarithm of the prediction is scaled by its predictions."""
    terms = read("0.5 + 0.1 * px", {}).terms
    model = InfluenceModel.from_terms(terms, SYSTEM.names, "log")
    found = calibrate(model, ALL, 7 * model.predict(ALL), ("scale",))
    assert found["scale"].value == pytest.approx(7)
    assert found.model.predict(ALL) == pytest.approx(7 * model.predict(ALL))


TRUE = {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}


def test_logarithms_of_a_factor_are_its_geometric_mean() -> None:
    """With logarithms the best factor is the geometric mean of measured / predicted, with the interval of a mean."""
    from scipy.stats import t

    plain = read(LINEAR, TRUE).predict(ALL)
    ratios = np.exp(np.random.default_rng(2).standard_normal(20))
    found = fitted(LINEAR, TRUE, plain * ratios, ("scale",), weights="log", level=0.9)
    mean, deviation = np.log(ratios).mean(), np.log(ratios).std(ddof=1)
    assert found["scale"].value == pytest.approx(math.exp(mean), rel=1e-9)
    assert found.deviation == pytest.approx(deviation, rel=1e-9)
    half = t.ppf(0.95, 19) * deviation / math.sqrt(20)
    assert found["scale"].high == pytest.approx(math.exp(mean) * (1 + half), rel=1e-6)


def test_logarithms_do_not_shrink_predictions() -> None:
    """If measurements scatter by factors, relative residuals predict far too little, logarithms the median."""
    plain = read("f * nx", {"f": 1.0}).predict(ALL)
    measured = plain * np.tile([0.02, 1.0, 1.0, 1.0, 50.0], 4)
    assert fitted("f * nx", {"f": 1.0}, measured, ("f",))["f"].value < 0.05
    assert fitted("f * nx", {"f": 1.0}, measured, ("f",), weights="log")["f"].value == pytest.approx(1)


@given(st.integers(0, 99), st.sampled_from(["relative", "absolute", "log"]), st.sampled_from([1e-12, 1.0, 1e9]))
@examples(10)
def test_no_step_makes_the_squares_less(seed: int, weights: Any, unit: float) -> None:
    """Small steps of any parameter within its bounds do not make the chosen squares smaller, whatever the unit is."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.3, seed) * unit
    measured = np.maximum(measured, 1e-3 * measured.max())
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, weights=weights)

    def cost(values: Any) -> float:
        predicted = read(LINEAR, values).predict(ALL)
        if weights == "log":
            return float((np.log(predicted / measured) ** 2).sum())
        return float((((predicted - measured) / (measured if weights == "relative" else measured.max())) ** 2).sum())

    best = {name: found[name].value for name in FREE}
    least = cost(best)
    for name in FREE:
        for factor in (0.99, 1.01):
            moved = {**best, name: best[name] * factor}
            assert cost(moved) >= least * (1 - 1e-9)
    assert found.converged


def test_logarithms_need_positive_values() -> None:
    """Values that are not positive have no logarithm: they are left out and counted, and too few others refused."""
    measured = read("f * nx", {"f": 2.0}).predict(ALL)
    measured[[3, 7]] = 0.0, -5.0
    found = fitted("f * nx", {"f": 1.0}, measured, ("f",), weights="log")
    assert (found.configurations, found.zeros) == (18, 2)
    assert found["f"].value == pytest.approx(2)
    with pytest.raises(LearningError, match="no values of the free parameters give positive, finite predictions"):
        fitted("f * nx - 1000", {"f": 1.0}, np.ones(20), ("f",), weights="log", bounds={"f": (0.0, 1.0)})
    with pytest.raises(MeasurementError, match=r"0 measured values are positive, which are too few[\s\S]*no logarithm"):
        fitted("f * nx", {"f": 1.0}, -measured[[0] * 20], ("f",), weights="log")


def test_logarithms_keep_the_nearest_to_the_benchmarked_values() -> None:
    """Of equally good values of collinear parameters the nearest to the benchmarked ones are told, with all weights."""
    measured = noisy(read("alpha * px", {"alpha": 8.0}).predict(ALL), 0.1)
    ones = {"alpha": 1.0, "beta": 1.0}
    found = fitted("alpha * px + 4 * beta * px", ones, measured, ("alpha", "beta"), weights="log")
    assert found.undetermined == ("alpha", "beta")
    assert (found["beta"].value - 1) / (found["alpha"].value - 1) == pytest.approx(4)


def test_a_table_has_one_factor() -> None:
    """A table keeps the proportions of its rows, a row of 0 stays 0, and its interval goes with every row."""
    text = "alpha * log2(nx) + f * nx"
    measured = noisy(read(text, tabled(12)).predict(ALL), 0.02)
    found = fitted(text, tabled(1), measured, ("alpha", "f"))
    estimate = found["alpha"]
    assert (estimate.key, estimate.by, estimate.benchmarked) == (3.0, "px", 4e-6)
    assert estimate.factor == pytest.approx(12, rel=0.1)
    assert estimate.factor is not None
    assert estimate.factor == pytest.approx(estimate.ratio)
    assert estimate.low is not None
    table = next(parameter for parameter in found.model.parameters if parameter.name == "alpha")
    assert table.values_of == pytest.approx([0, 3e-6 * estimate.factor, estimate.value, 5e-6 * estimate.factor])
    assert table.low == pytest.approx([0, estimate.low * 3 / 4, estimate.low, estimate.low * 5 / 4])
    assert table.low[0] == table.values_of[0] == table.high[0] == 0
    assert fitted(text, tabled(1), read(text, tabled(12)).predict(ALL), ("alpha",))["alpha"].ratio == pytest.approx(12)


def test_the_row_that_stands_for_a_table_is_not_0() -> None:
    """If a table's middle row is 0, its nearest other row is used; a table of zeros has no effect."""
    rows = tuple((float(key), Quantity.exactly(value)) for key, value in ((1, 5.0), (2, 0.0), (3, 0.0), (4, 2.0)))
    parameters = Parameters({"alpha": ParameterTable("px", rows)})
    found = fitted("alpha * nx", parameters, read("alpha * nx", parameters).predict(ALL) * 3 + 1e-9, ("alpha",))
    assert (found["alpha"].key, found["alpha"].benchmarked) == (4.0, 2.0)
    zeros = Parameters({"alpha": ParameterTable("px", tuple((key, Quantity.exactly(0.0)) for key, _ in rows))})
    found = fitted("alpha * nx + 1", zeros, np.ones(20), ("alpha",))
    assert found.without_effect == ("alpha",)
    assert (found["alpha"].value, found["alpha"].ratio, found["alpha"].low) == (0.0, None, None)
    # Row 1 is nearer to row 2 than row 0 is.
    values = {50.0: 5.0, 100.0: 3.0, 200.0: 0.0, 400.0: 0.0, 800.0: 0.0}
    rows = tuple((key, Quantity.exactly(value)) for key, value in values.items())
    nearer = Parameters({"alpha": ParameterTable("nx", rows)})
    found = fitted("alpha * px", nearer, read("alpha * px", nearer).predict(ALL) * 3 + 1e-9, ("alpha",))
    assert (found["alpha"].key, found["alpha"].benchmarked) == (100.0, 3.0)


@pytest.mark.parametrize(
    ("text", "weights"),
    [(LINEAR, "relative"), (LINEAR, "absolute"), (LINEAR, "log"), ("alpha * px^beta + f * nx", "relative")],
)
def test_leaving_one_out(text: str, weights: Any) -> None:
    """With as many folds as configurations, each is predicted by a calibration with all others."""
    rows = ALL[::3]
    true = TRUE if text == LINEAR else {"alpha": 3e-2, "beta": 0.7, "f": 5e-5}
    measured = noisy(read(text, true).predict(ALL), 0.1)[::3]
    found = calibrate(read(text, true, FREE), rows, measured, FREE, folds=99, weights=weights)
    predicted = np.empty(7)
    for row in range(7):
        others = np.arange(7) != row
        own = calibrate(read(text, true, FREE), rows[others], measured[others], FREE, weights=weights)
        predicted[row] = own.model.predict(rows[[row]])[0]
    assert found.folds == 7
    assert found.error_cross_validated == pytest.approx(mean_relative_error(predicted, measured), rel=1e-6)


def test_folds_do_not_depend_on_the_order_of_rows() -> None:
    """Folds follow from the seed, not from the order of the configurations; another seed gives others."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.1)
    model, rows = read(LINEAR, BENCHMARKED, FREE), np.random.default_rng(1).permutation(20)
    one = calibrate(model, ALL, measured, FREE, folds=4, seed=3)
    other = calibrate(model, ALL[rows], measured[rows], FREE, folds=4, seed=3)
    assert other.error_cross_validated == pytest.approx(one.error_cross_validated, rel=1e-9)
    third = calibrate(model, ALL, measured, FREE, folds=4, seed=4)
    assert third.error_cross_validated != pytest.approx(one.error_cross_validated, rel=1e-6)
    assert calibrate(model, ALL, measured, FREE).error_cross_validated is None
    for folds in (1, -1):
        with pytest.raises(SpecError, match="folds must be at least 2"):
            calibrate(model, ALL, measured, FREE, folds=folds)


@pytest.mark.parametrize("weights", ["relative", "absolute", "log"])
def test_the_worst_configurations(weights: Any) -> None:
    """The greatest residuals, in the sense of the weights, are told with their configurations, the worst first."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.2)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, weights=weights)
    predicted = found.model.predict(ALL)
    residuals = {
        "relative": np.abs(predicted / measured - 1),
        "absolute": np.abs(predicted - measured),
        "log": np.abs(np.log(predicted / measured)),
    }[weights]
    order = np.argsort(-residuals)[:3]
    assert [each.measured for each in found.worst] == measured[order].tolist()
    assert [each.predicted for each in found.worst] == predicted[order].tolist()
    assert [dict(each.configuration) for each in found.worst] == [ALL.assignment(row) for row in order.tolist()]
    assert [each.error for each in found.worst] == pytest.approx((100 * (predicted / measured - 1)[order]).tolist())


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_measurements_as_parameters_are_too_few(count: int) -> None:
    """With no degree of freedom left there is nothing to judge by; one more measurement is enough."""
    model, measured = read(LINEAR, BENCHMARKED, FREE), read(LINEAR, BENCHMARKED).predict(ALL)
    with pytest.raises(MeasurementError, match=r"too few for 3 free parameters[\s\S]*at least 4 are needed"):
        calibrate(model, ALL[:count], measured[:count], FREE)
    assert calibrate(model, ALL[4:8], measured[4:8], FREE).degrees >= 1
    with pytest.raises(MeasurementError, match=r"0 measured values are not 0[\s\S]*--weights absolute"):
        calibrate(model, ALL, np.zeros(20), FREE)
    with pytest.raises(ConfigurationError, match="20 configurations, but values of shape"):
        calibrate(model, ALL, np.ones(3), FREE)


@pytest.mark.parametrize(
    ("benchmarked", "measured", "message"),
    [
        (1e-20, 1e300, r"too large or too small beside what the model predicts\n *give benchmarked values"),
        (1e20, 1e-305, r"no values of the free parameters give finite predictions [^\n]*\n *give bounds within which"),
    ],
)
def test_values_that_no_number_can_hold_are_refused(benchmarked: float, measured: float, message: str) -> None:
    """Measurements that are more than all magnitudes away from the benchmarked values are refused without a warning."""
    with pytest.raises(LearningError, match=message):
        fitted("alpha * nx", {"alpha": benchmarked}, np.full(20, measured), ("alpha",))


def test_a_model_without_a_value_says_where() -> None:
    """A table without a row, or a logarithm without a value whatever the parameters are, is refused with its place."""
    table = Parameters({"alpha": ParameterTable("px", ((1.0, Quantity.exactly(1.0)), (2.0, Quantity.exactly(2.0))))})
    for text in ("alpha * nx", "nx / (1 + alpha)"):
        with pytest.raises(EvaluationError, match=r"alpha, a table over px .* has no value .*px = 3"):
            fitted(text, table, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("alpha * log(100 - nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("log(-1 - alpha * nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))


def test_messages() -> None:
    """Wrong names, bounds, levels, weights and too few measurements are refused with what to do."""

    def reject(text: str) -> None:
        asked = json.loads(text)
        free, measured = tuple(asked.pop("free")), np.array(asked.pop("measured", np.ones(len(ALL))))
        model = read(asked.pop("model", LINEAR), BENCHMARKED, FREE)
        calibrate(model, ALL[: len(measured)], measured, free, **asked)

    check_messages("calibration", reject)


KNOWN = Estimate("alpha", 3.0, 2.0, 7.0, 1.5)
UNKNOWN = Estimate("beta", 0.123456789, None, None, None, "low", determined=False)
NONE = InfluenceModel.from_terms((), (), "identity")
RESULT = Calibration(
    NONE, (KNOWN, UNKNOWN), (), (), "relative", 0.95, True, True, 7, 0, 0, 5, 0.1, error_before=None, error_after=2.5
)


def test_results() -> None:
    """Summaries have errors that are defined; ratios are those to benchmarked values; combinations have a text."""

    def summary(**errors: Any) -> Lines:
        return Lines(replace(RESULT, **errors).summary())

    def ratios(**fields: Any) -> list[Any]:
        changed = replace(KNOWN, **fields)
        return [changed.ratio, changed.ratio_interval]

    def text(kind: Any, **parts: float) -> str:
        return DeterminedCombination(kind, tuple(parts.items()), 1.0, 0.5, 2.0).text

    check_calls("calibration-results", summary, ratios, text, Residual, result=RESULT)


HYPRE = {
    "1d": ("px", "12 * nx * f + 4 * log2(px) * alpha + 4 * log2(px) * beta"),
    "2d": (
        "py",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\n4 * Ly * (Lx + 1) * alpha + 4 * nx * Ly * beta + 24 * nx^2 * f",
    ),
    "3d": (
        "pz",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\nLz = log2(nx * pz)\n"
        "4 * Lz * (1 + 2 * Ly * (Lx + 1)) * alpha + 4 * nx^2 * (Lz + 2 * Lx + 2 * Ly) * beta + 48 * nx^3 * f",
    ),
}


@pytest.mark.parametrize("variant", sorted(HYPRE))
def test_real_measurements(variant: str) -> None:
    """On SMG2000 the estimates are optimal: no feasible change of a parameter makes the squared residuals smaller."""
    folder = SMG2000 / variant
    project = Project.load(folder)
    system = project.variability_model()
    measured = project.measurements(system)
    target = measured.column(project.resolve_property(measured))
    model = read(HYPRE[variant][1], BENCHMARKED, FREE, system)
    found = calibrate(model, measured.configurations, target, FREE)
    assert found.linear
    assert found.error_before is not None
    assert found.error_after is not None
    assert found.error_after < found.error_before
    assert found.error_after == mean_relative_error(found.model.predict(measured.configurations), target)
    whole = with_scale(model, FREE)
    assert whole == model
    free = free_parameters(model, FREE, (), {})
    predicted, slopes = Sensitivity(model, measured.configurations, free)(
        np.array([found[one.name].value / one.unit for one in free])
    )
    pull = (slopes / target[:, np.newaxis]).T @ (1 - predicted / target)
    sizes = np.linalg.norm(slopes / target[:, np.newaxis], axis=0) * math.sqrt(len(target))
    group = {name for each in found.confounded for name in each.names}
    for one, force, size in zip(free, pull, sizes, strict=True):
        if found[one.name].at_bound == "low":
            assert force <= 1e-9 * size
        else:
            assert abs(force) <= 1e-9 * size
    assert group == ({"alpha", "beta"} if variant == "1d" else set())
