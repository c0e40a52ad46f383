"""Warnings about models that cannot be right, for every learner, and about settings without an effect.

Predictions are checked at configurations that were drawn from all valid ones and at the measured ones: a model that is
exact on its learning set may be absurd elsewhere. A measured value that all other rows contradict, such as the 99,999
of a failed run, is an outlier (`outlier_of`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations, describe_configuration
from splc.data.measurements import Measurements
from splc.errors import SpaceError, listed, plural
from splc.io.numbers import percentage, rounded_text
from splc.learning.learner import one_thread, predictions
from splc.learning.projection import Ensemble, Full, fit_full_model, varying
from splc.learning.result import LearningResult, Predictor
from splc.models.influence import InfluenceModel
from splc.system.options import NumericOption
from splc.types import Array

DRAWN = 1000  # the number of valid configurations that are drawn
_ROUNDING = 1e-9  # negative predictions above this share of the largest value are rounding errors of 0
RANGE = 10  # a prediction is implausible if it is larger than the largest measured value by this factor
# The error outside of the learning set is much larger than the learning error: by this factor and this difference.
FACTOR, DIFFERENCE = 3, 10
# An error is larger than another one that says what to expect: by this factor and this difference, in percent. Errors
# outside of the learning set are those of at least so many configurations.
UNDERSTATED, LEAST, ENOUGH = 1.5, 1.0, 10
OUTLIER_ROWS = 12  # smaller learning sets are not checked for outliers
JUDGING_ROWS = 300  # of more rows, an even part judges the row, which bounds the time
MOSTLY = 0.9  # rows with the value of the candidate do not judge it if this share of the rows remains
# A value differs from its prediction by the other rows at least by this factor. The difference of logarithms is outside
# of the 90 % interval, at least this multiple of the largest one of another row that its fold was not learned with, and
# of the standard deviation of the others. Rare effects of options are as large as that of their values. From the last
# factor on the difference is only larger than that of another row.
OUTLYING, MULTIPLE, SPREADS, CERTAIN = 5.0, 2.0, 4.0, 20.0
LEAVE_OUT = " To leave it out: "  # the words before the command that leaves an outlier out


def model_warnings(result: LearningResult, measurements: Measurements, space: Space) -> tuple[str, ...]:
    """Return warnings about a learned model, one sentence each."""
    measured = measurements.measured(result.nfp)
    models = {result.nfp: result.predictor}
    if result.printed is not None:
        models[f"{result.nfp} by the printed model"] = result.printed
    configurations = measured.configurations if result.rows is None else result.rows.configurations
    contradicted: list[str] = []
    for at, (subject, predictor) in enumerate(models.items()):
        known = result.judgements[at].predicted if result.judgements else None
        predicted = valid_predictions(predictor, configurations, space, known)
        contradicted += implausible(predicted, measured.column(result.nfp), subject)
    options = [option for option in measurements.system.options if isinstance(option, NumericOption)]
    names = [option.name for option in options if min(option.values) <= 0]
    idle = ""
    if names and result.settings.get("learn_logFunction"):
        values = "its values are" if len(names) == 1 else "their values are"
        idle = f"learn_logFunction has no effect on {listed(names)}: {values} not all positive"
    texts = (
        _outlying(result, measurements),
        *contradicted,
        *_about_errors(result, len(measured) - result.learning_configurations),
        idle,
    )
    return tuple(filter(None, texts))


def valid_predictions(
    predictor: Predictor, measured: Configurations, space: Space, known: Array | None = None
) -> Array:
    """Return predictions at up to 1000 valid configurations and measured ones; with observed variables at these."""
    # Full models are slow; they were judged at all of these.
    step = len(measured) // DRAWN + 1 if isinstance(predictor, Full) else 1
    blocks = [predictions(predictor, measured[::step]) if known is None else known[::step]]
    options = frozenset(measured.system.observed)
    if isinstance(predictor, InfluenceModel | Full):
        options = predictor.options
    if options.isdisjoint(measured.system.observed):
        # No configurations are drawn if the constraints are too complex.
        with suppress(SpaceError):
            is_small = space.count <= DRAWN
            configurations = space.enumerate() if is_small else space.draw(DRAWN, np.random.default_rng(0))
            blocks.append(predictions(predictor, configurations[measured.find(configurations) < 0]))
    return np.concatenate(blocks)


def implausible(predicted: Array, measured: Array, nfp: str) -> tuple[str, ...]:
    """Return warnings about predictions, NaN where there is none, that contradict the measured values."""
    predicted, measured = predicted[~np.isnan(predicted)], measured[~np.isnan(measured)]
    messages = negative_predictions(predicted, measured, nfp)
    largest = float(np.abs(measured).max(initial=0.0))
    beyond = np.abs(predicted) > RANGE * largest
    if not beyond.any() or largest == 0:
        return messages
    count = plural(len(predicted), "valid configuration", "valid configurations")
    extreme = rounded_text(float(predicted[np.argmax(np.abs(predicted))]))
    bounds = f"{rounded_text(float(measured.min()))} to {rounded_text(float(measured.max()))}"
    bounds = f"ten times the measured range ({bounds})"
    text = f"predictions of {nfp} exceed {bounds} for {beyond.sum():,} of {count}: one is {extreme}"
    return (*messages, text if len(predicted) > 1 else f"the predicted value of {nfp} exceeds {bounds}: {extreme}")


def negative_predictions(predicted: Array, measured: Array, nfp: str) -> tuple[str, ...]:
    """Return a warning about predictions below 0, by more than rounding, if no measured value is negative."""
    predicted, measured = predicted[~np.isnan(predicted)], measured[~np.isnan(measured)]
    largest = max(np.abs(predicted).max(initial=0.0), np.abs(measured).max(initial=0.0))
    negative_count = int((predicted < -_ROUNDING * largest).sum())
    if not negative_count or (measured < 0).any():
        return ()
    minimum_text = rounded_text(float(predicted.min()))
    count = plural(len(predicted), "valid configuration", "valid configurations")
    text = f"predictions of {nfp} are negative for {negative_count:,} of {count}: the least is {minimum_text}"
    if len(predicted) == 1:
        text = f"the predicted value of {nfp} is negative: {minimum_text}"
    return (f"{text}, although no measured value is negative" if len(measured) else text,)


def _outlying(result: LearningResult, measurements: Measurements) -> str:
    """Return a warning about a row that the others contradict, with its line."""
    model = result.predictor
    # The rows of other contexts are not in these measurements; multiples of a formula are no values.
    if not isinstance(model, Ensemble) or model.places is not None or model.basis.formula is not None:
        return ""
    rows, column = measurements.configurations.find(model.configurations), measurements.column(result.nfp)
    if (rows < 0).any() or np.isnan(column[rows]).any():
        return ""
    repetitions = measurements.values[result.nfp][rows]
    outlier = outlier_of(model, column[rows], (~np.isnan(repetitions)).sum(axis=1))
    if outlier is None:
        return ""
    row_values = repetitions[outlier.row][~np.isnan(repetitions[outlier.row])]
    # The repetition with the largest difference is reported.
    at = int(np.abs(row_values - outlier.expected).argmax())
    report = measurements.report
    lines = report.lines[report.groups == rows[outlier.row]].tolist()
    lines = lines[at : at + 1] if len(lines) == len(row_values) else lines[:1]
    ratio = float(row_values[at]) / outlier.expected
    times = rounded_text(ratio if ratio >= 1 else 1 / ratio, 3)
    compared = f"{times} times what" if ratio >= 1 else f"{times} times less than"
    location = f"{report.source}:{lines[0]}" if lines and report.source else ""
    location = location or describe_configuration(model.configurations, outlier.row)
    expected = f"the other rows predict ({rounded_text(outlier.expected, 3)})"
    text = f"{location}: {result.nfp} is {rounded_text(float(row_values[at]))}, {compared} {expected}: an outlier?"
    if outlier.error is not None:
        text += f" Without it the cross-validated error of the full model is {percentage(outlier.error, 3)}"
        crossed = result.cross_validated
        if result.termination == "constant":
            text += "; with it the model is a constant."
        else:
            text += "." if crossed is None else f", with it {percentage(crossed.mean, 3)}."
    file = measurements.report.source or ""
    if lines and file.endswith((".csv", ".tsv", ".txt")) and Path(file).is_file():
        property_option = f" --property {shlex.quote(result.nfp)}" if len(measurements.properties) > 1 else ""
        text += f"{LEAVE_OUT}sed {lines[0]}d {shlex.quote(file)} | splc learn --measurements -{property_option}"
    return text


@dataclass(frozen=True)
class Outlier:
    """A row whose value the other rows contradict."""

    row: int  # its position
    expected: float  # the prediction of the full model that is learned from the other rows
    error: float | None = None  # the cross-validated error in percent; None for a constant, or if only of some rows


def outlier_of(model: Ensemble, y: Array, repetitions: Array) -> Outlier | None:
    """Return the row that the others contradict, None if there is none. Only positive values are judged.

    The row that the model predicts worst without it is a candidate. The model does not judge it: the value has changed
    the noise that the model assumes. A model that is learned from the other rows does.
    """
    if len(y) < OUTLIER_ROWS or y.min() <= 0:
        return None
    logarithms = np.log(y)
    expected = np.median(logarithms)
    if model.parts:
        with one_thread():
            left_out = np.mean([part.left_out for part in model.parts], axis=0)
        expected = np.log(model.scale.backward(left_out) * model.scale.unit)
    differences = np.abs(logarithms - expected)
    row = int(differences.argmax())
    if differences[row] < np.log(OUTLYING):
        return None
    # Several failed runs often have the same value.
    other_rows = np.flatnonzero(y != y[row])
    if len(other_rows) < MOSTLY * len(y):
        other_rows = np.delete(np.arange(len(y)), row)
    if len(varying(model.basis.variables, model.configurations[other_rows])) < len(model.basis.variables):
        # No other row shows the effect of an option of this row.
        return None
    step = -(-len(other_rows) // JUDGING_ROWS)
    other_rows = other_rows[::step]
    configurations = model.configurations[other_rows]
    variables = varying(model.basis.variables, configurations)
    with one_thread():
        judge = fit_full_model(configurations, y[other_rows], variables, repetitions[other_rows])
        predicted = float(judge.predict(model.configurations[[row]])[0])
        interval = np.array(judge.interval(model.configurations[[row]])).ravel()
        largest = float(np.abs(judge.residuals).max())
    difference = abs(float(logarithms[row]) - float(np.log(predicted)))
    spread = float(logarithms[other_rows].std())
    limit = min(max(np.log(OUTLYING), MULTIPLE * largest, SPREADS * spread), max(np.log(CERTAIN), largest))
    if difference <= limit or interval[0] <= y[row] <= interval[1]:
        return None
    error = None if step > 1 or judge.constant else judge.cross_validated.mean
    return Outlier(row, predicted, error)


def _exceeds(error: float, expected: float) -> bool:
    return error > max(UNDERSTATED * expected, expected + LEAST)


def _about_errors(result: LearningResult, unlearned_count: int) -> Iterator[str]:
    """Yield warnings about errors that are far above what to expect; `unlearned_count`: of other configurations."""
    crossed, error, printed, explained = result.cross_validated, result.error, result.printed_errors, result.of_printed
    learning, rest, kind = explained.learning_error, explained.error, "error on other configurations"
    if explained.cross_validated is not None:
        rest, kind = explained.cross_validated.mean, "cross-validated error"
    if crossed is not None and error is not None and unlearned_count >= ENOUGH and _exceeds(error, crossed.mean):
        yield (
            f"the error on configurations not learned from, {percentage(error, 3)}, is "
            f"{rounded_text(error / crossed.mean, 2)} times the cross-validated one: your sample does not show "
            "all that matters"
        )
    elif learning is not None and rest is not None and rest > max(FACTOR * learning, learning + DIFFERENCE):
        yield (
            f"the {kind} is {percentage(rest, 3)}, on the configurations learned from only {percentage(learning, 3)}: "
            "the model fits your sample much better than other configurations"
        )
    if printed is not None:
        own, full = printed.error, error
        if own is None or full is None:
            own, full = (None if each is None else each.mean for each in (printed.cross_validated, crossed))
        if own is not None and full is not None and _exceeds(own, full):
            yield (
                f"the printed terms explain only a part: their error is {percentage(own, 3)}, that of the full model, "
                f"which predicts, {percentage(full, 3)}"
            )
