"""Scaling models of configurable systems: the numeric options are the parameters, a property is the quantity."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from splc._version import __version__
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, listed, plural
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.models.text.log_grammar import term_text
from splc.scaling.fit import fit
from splc.scaling.result import ScalingModel
from splc.system.options import NumericOption
from splc.types import Array


@dataclass(frozen=True)
class PlainTerm:
    """A term of a scaling model, for the writers of learned models.

    Attributes:
        term: the term.
        mirrors: none; only stepwise learning knows them.
    """

    term: Term
    mirrors: tuple[tuple[str, float, str | None], ...] = ()

    @property
    def occurrences(self) -> int:
        """Its number of option occurrences; a fraction of one counts as one."""
        return sum(int(np.ceil(abs(float(f.power)))) + int(np.ceil(abs(float(f.log)))) for f in self.term.factors)

    def text(self, order: Sequence[str] = (), base: str = "1") -> str:
        """Return it in the log grammar.

        Raises:
            OutputError: if an exponent is not whole, which that grammar cannot say.
        """
        return term_text(self.term, order, base)


@dataclass(frozen=True)
class ScalingResult:
    """What learning a scaling model from the measurements of a system gives; it can be written like every other.

    Attributes:
        model: the model (of segmented behaviour that of the upper segment), factors in the system's option order.
        scaling: the same as a scaling model, with intervals.
        nfp: the property.
        learning_configurations: size of the learning set.
        learning_error: mean relative error on the learning set in percent; None where it is undefined.
        error: the same on all other measured configurations, or those given to judge it by.
        error_all: the same on all measured configurations.
        left_out: number of configurations whose value is 0, which are left out of errors.
        base: the option that stands for the constant in logs.
        seconds: time of learning.
        settings: the method and its settings.
        provenance: where everything comes from.
        notes: what the user should know.
        seed: of nothing: no draw is made; recorded with what was sampled.
        rounds: none.
        termination: why learning ended: all hypotheses were tried.
        preset: the learner.
    """

    model: InfluenceModel
    scaling: ScalingModel
    nfp: str
    learning_configurations: int
    learning_error: float | None
    error: float | None
    error_all: float | None
    left_out: int
    base: str
    seconds: float
    settings: Mapping[str, Any] = field(hash=False)
    provenance: Mapping[str, Any] = field(hash=False)
    notes: tuple[str, ...] = ()
    seed: int = 0
    rounds: tuple[Any, ...] = ()
    termination: str = "noCandidate"
    preset: str = "pmnf"

    @property
    def terms(self) -> tuple[tuple[PlainTerm, float], ...]:
        """The model's terms with their influences."""
        return tuple((PlainTerm(term), influence) for term, influence in self.model.terms)


def learn_scaling(
    measurements: Measurements,
    nfp: str | None = None,
    *,
    learning_set: Array | None = None,
    evaluation: Measurements | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
    **settings: Any,
) -> ScalingResult:
    """Learn how a property of a system scales with its numeric options.

    Args:
        measurements: what was measured.
        nfp: the property; None is the only one.
        learning_set: positions of the measured configurations to learn from; None is all of them. The binary options
            must be the same in all of these.
        evaluation: measurements of their own to judge the model by; None is what was not learned from.
        seed: the seed that the learning set was drawn with, for the record.
        provenance: recorded in the result.
        settings: `method` and the other settings of `splc.scaling.fit`.

    Raises:
        MeasurementError: for an unknown property, or if no model can be fitted.
        LearningError: if the learning set is empty, no numeric option varies in it, or a binary one does.
        SpecError: for an unknown or wrong setting.
    """
    name = measurements.the_nfp(nfp)
    values = measurements.column(name)
    picked = np.zeros(len(measurements), dtype=bool)
    picked[slice(None) if learning_set is None else learning_set] = True
    rows = np.flatnonzero(picked & ~np.isnan(values))
    if len(rows) == 0:
        raise LearningError(f"no configuration to learn from has a value of {name}")
    learned = measurements.configurations[rows]
    parameters, notes = _parameters(learned)
    started = time.monotonic()
    x = np.column_stack([learned.column(each) for each in parameters])
    y = measurements.repetitions(name)[rows]
    scaling = fit(x[:, 0] if len(parameters) == 1 else x, y, names=parameters, **settings)
    seconds = time.monotonic() - started
    system = measurements.model
    model = InfluenceModel.from_terms(scaling.model.terms, system.term_order)
    if scaling.below is not None:
        notes.append("files hold the model of the upper segment only, and errors are those of that model")
    rest = ~picked & ~np.isnan(values)
    notes += _differing(measurements.configurations, learned, rest)
    predicted, unpredicted = _predicted(model, measurements.configurations)
    if unpredicted:
        notes.append(f"the model has no value at {plural(unpredicted, 'configuration', 'configurations')} measured")
    if evaluation is not None:
        judged = evaluation.measured(name)
        error = _mean_relative_error(_predicted(model, judged.configurations)[0], judged.column(name))
    else:
        error = _mean_relative_error(predicted[rest], values[rest])
    there = ~np.isnan(values)
    zeros = int((values[there] == 0).sum())
    if zeros:
        notes.append(
            f"left out of relative errors, where {name} is 0: {plural(zeros, 'configuration', 'configurations')}"
        )
    return ScalingResult(
        model=model,
        scaling=scaling,
        nfp=name,
        learning_configurations=len(rows),
        learning_error=_mean_relative_error(predicted[rows], values[rows]),
        error=error,
        error_all=_mean_relative_error(predicted[there], values[there]),
        left_out=zeros,
        base=system.base_option,
        seconds=seconds,
        settings={"method": scaling.method, **scaling.settings},
        provenance={"splc": __version__, "learner": "pmnf", "system": system.name, **(provenance or {})},
        notes=(*scaling.notes, *notes),
        seed=seed,
    )


def _parameters(learned: Configurations) -> tuple[list[str], list[str]]:
    """Return the numeric options that vary, and notes about those that do not.

    Raises:
        LearningError: if there are none, or something else varies.
    """
    varying: list[str] = []
    wrong: list[str] = []
    notes = []
    for at, option in enumerate(learned.model.options):
        same = bool((learned.indices[:, at] == learned.indices[0, at]).all())
        column = learned.column(option.name)
        if not same:
            numeric = isinstance(option, NumericOption) and not np.isnan(column).any()
            (varying if numeric else wrong).append(option.name)
        elif isinstance(option, NumericOption) and not np.isnan(column[0]):
            notes.append(f"{option.name} is {column[0]:g} in all configurations learned from: the model is about these")
    if wrong:
        hint = "learn from configurations that differ in numeric options only, or with --learner stepwise"
        message = f"pmnf models numeric options that are always selected, but these differ too: {listed(wrong)}"
        raise LearningError(Problem(message, hint=hint))
    if not varying:
        hint = "give a sampling that varies them, such as --numeric ff"
        raise LearningError(Problem("no numeric option varies between the configurations learned from", hint=hint))
    return varying, notes


def _differing(everything: Configurations, learned: Configurations, rest: Array) -> list[str]:
    """Return a note about configurations not learned from that differ in what the model does not know."""
    options = everything.model.options
    fixed = [at for at, option in enumerate(options) if not isinstance(option, NumericOption)]
    if not rest.any() or not fixed:
        return []
    other = (everything.indices[rest][:, fixed] != learned.indices[0, fixed]).any(axis=1)
    if not other.any():
        return []
    return [
        f"{int(other.sum()):,} of {plural(int(rest.sum()), 'configuration', 'configurations')} not learned from have "
        "other binary options, which the model does not know"
    ]


def _predicted(model: InfluenceModel, configurations: Configurations) -> tuple[Array, int]:
    """Return predictions, NaN where the model has no finite value, and how often that is so."""
    total = np.zeros(len(configurations))
    with np.errstate(over="ignore", invalid="ignore"):
        for term, influence in model.terms:
            total = total + influence * term.evaluate(configurations.column)
    finite = np.isfinite(total)
    return np.where(finite, total, np.nan), int((~finite).sum())


def _mean_relative_error(predicted: Array, measured: Array) -> float | None:
    """Return the mean relative error in percent where there is a prediction and the measured value is not 0."""
    used = (measured != 0) & ~np.isnan(predicted)
    if not used.any():
        return None
    return float(100 * np.abs(predicted[used] / measured[used] - 1).mean())
