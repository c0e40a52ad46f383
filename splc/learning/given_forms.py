"""The learners that fit functions of a given form: given terms, and scaling models of configurable systems.

`GivenTerms` fits the influences of given terms (`truemodel` in SPL Conqueror), also of options to predictions
(`linear_surrogate`). `PmnfLearner` fits functions of the performance model normal form, whose parameters are the
numeric options. Scaling models are imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, SpecError, listed, plural
from splc.io.numbers import power_of_two
from splc.learning.features import features_of
from splc.learning.learner import LearningProblem, influence_model, judged, only_step
from splc.learning.result import InfluenceEstimate, LearnedTerm, LearningResult, Predictor
from splc.models.basis.regression import RANK, Regression, independent
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.models.text.log_grammar import expand_product, is_sum
from splc.system.options import NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array


def parse_term(text: str, system: VariabilityModel) -> LearnedTerm:
    """Return a term of the log grammar without a number in front; options that are always selected are the constant."""
    names = system.term_table
    expansion = expand_product(text, names, system)
    if len(expansion) == 1:
        return LearnedTerm(next(iter(expansion)), 1.0)
    single_spaced = " ".join(text.split())
    factor = f"( {single_spaced} )" if is_sum(text, names) else single_spaced
    occurrences = sum(LearnedTerm(term, 1.0).occurrences for term in expansion)
    return LearnedTerm(CONSTANT, 1.0, (factor,), occurrences, tuple(expansion.items()))


@dataclass(frozen=True)
class GivenTerms:
    """Least squares of given terms; a constant is fitted only if it is one of them.

    Args:
        terms: the terms, distinct.

    Raises:
        LearningError: if there are none, or two are the same.
    """

    terms: tuple[LearnedTerm, ...]
    name = "given"
    preset = "default"
    suffix = ".log"
    draws = False

    def __post_init__(self) -> None:
        if not self.terms:
            raise LearningError(Problem("there are no terms to fit", hint="give one term per line"))
        expansions = [dict(term.weights) for term in self.terms]
        for at, term in enumerate(self.terms):
            if expansions[at] in expansions[:at]:
                raise LearningError(f"duplicate term {term.text()!r}")

    @classmethod
    def of(cls, texts: Sequence[str], system: VariabilityModel) -> GivenTerms:
        """Return the learner for terms in SPL Conqueror's log grammar."""
        return cls(tuple(parse_term(text, system) for text in texts))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The terms."""
        return {"terms": [term.text() for term in self.terms]}

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Fit the influences by ordinary least squares, with their standard errors."""
        if not len(problem.rows):
            raise LearningError("the learning set is empty", hint="sample at least one measured configuration")
        # Squares of huge values would overflow, those of tiny ones vanish.
        unit = power_of_two(problem.target)
        columns = _columns(self.terms, problem.configurations)
        fitting = partial(Regression.of, columns, problem.target / unit)
        fit, seconds = only_step("least squares", fitting, problem.on_step)
        influences = (unit * float(coefficient) for coefficient in fit.coefficients)
        terms = [replace(term, influence=each) for term, each in zip(self.terms, influences, strict=True)]
        notes = []
        if names := [term.text() for term in compress(terms, ~fit.determined)]:
            reason = "the influence of this term is the smallest that fits"
            if len(names) > 1:
                reason = "the influences of these terms are the smallest that fit"
            notes.append(f"your sample does not determine {listed(names)}: {reason}")
        if not fit.freedom:
            size = plural(len(problem.rows), "configuration", "configurations")
            notes.append(f"no standard errors: {size} for {plural(len(terms), 'term', 'terms')}")
        model, estimates = influence_model(terms, problem.measurements.system), []
        expansions = [dict(term.weights) for term in terms]
        for canonical, _ in model.terms if fit.freedom else ():
            weights = np.array([expansion.get(canonical, 0.0) for expansion in expansions])
            if fit.determined[weights != 0].all():
                influence, error = unit * float(weights @ fit.coefficients), unit * float(fit.errors_of(weights))
                estimates.append(InfluenceEstimate.of(canonical, influence, error, fit.freedom))
        return judged(
            problem,
            self,
            model,
            termination="fitted",
            seconds=seconds,
            terms=tuple(terms),
            notes=notes,
            estimates=tuple(estimates),
        )


def _columns(terms: Sequence[LearnedTerm], configurations: Configurations) -> Array:
    columns, problems = np.empty((len(configurations), len(terms))), []
    for at, term in enumerate(terms):
        columns[:, at] = sum(weight * each.evaluate(configurations.column) for each, weight in term.weights)
        if undefined := int((~np.isfinite(columns[:, at])).sum()):
            count = plural(undefined, "configuration", "configurations")
            problems.append(Problem(f"the term {term.text()!r} has no value in {count} of the learning set"))
    if problems:
        raise LearningError(problems)
    return columns


def linear_surrogate(predictor: Predictor, configurations: Configurations, nfp: str) -> LearningResult:
    """Return the linear model of the predictions of another model: a constant and the options.

    It shows which options a predictor without readable terms reacts to. Its errors are relative to the predictions, not
    to measured values. Options whose columns depend linearly on those of earlier options are left out, such as the last
    member of an alternative group.

    Args:
        predictor: the other model.
        configurations: the configurations that it predicts.
        nfp: the property.

    Examples:
        >>> splc.learning.linear_surrogate(result, measured.configurations, "time").model.order
        ('tls', 'cache', 'threads')
    """
    features = features_of(configurations.system, numeric_disabled=False)
    terms = tuple(LearnedTerm(term, 1.0) for term in (CONSTANT, *(option_term(feature.name) for feature in features)))
    selected = independent(_columns(terms, configurations), RANK)
    predicted = Measurements(configurations, {nfp: predictor.predict(configurations)})
    problem = LearningProblem(predicted, nfp, np.arange(len(predicted)), configurations)
    return GivenTerms(tuple(terms[at] for at in selected)).learn(problem)


@dataclass(frozen=True)
class PmnfLearner:
    """Functions of the performance model normal form, fitted with `splc.scaling.fit`."""

    # `method` and the other settings of `splc.scaling.fit`, as `splc.scaling.methods.parsed_settings` returns them
    chosen: Mapping[str, Any] = field(default_factory=dict, hash=False)
    name = preset = "pmnf"
    draws = False
    # A log can only define names for fractional exponents, which most scaling models have.
    suffix = ".json"

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the method by name."""
        from splc.scaling.methods import resolved_settings

        return resolved_settings(self.stated)

    @property
    def stated(self) -> Mapping[str, Any]:
        """The stated settings; models of systems, which predict between measured values, have `local=False`."""
        return {"local": False, **self.chosen} if self.chosen.get("method", "default") == "default" else self.chosen

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn how the property scales with the numeric options that vary in the learning set."""
        from splc.scaling.fit import fit

        if problem.observed:
            raise SpecError("pmnf does not learn from observed variables", hint="choose the learner stepwise")
        if len(problem.rows) == 0:
            raise LearningError(f"no configuration to learn from has a value of {problem.nfp}")
        learned = problem.configurations
        parameters, others = varying_options(learned)
        if others:
            cure = "configurations that differ in numeric options only, or choose stepwise (--learner stepwise)"
            message = f"pmnf models numeric options that are always selected, but these differ too: {listed(others)}"
            raise LearningError(message, hint=f"learn from {cure}")
        if not parameters:
            hint = "give a sampling that varies them, such as all+ff"
            raise LearningError("no numeric option varies between the configurations learned from", hint=hint)
        constant = (option.name for option in learned.system.options if _is_parameter(option, learned))
        notes = [
            f"{name} is {learned.column(name)[0]:g} in all configurations learned from: the model is about these"
            for name in constant
            if name not in parameters
        ]
        x = np.column_stack([learned.column(parameter) for parameter in parameters])
        fitting = partial(fit, x, problem.repetitions, names=parameters, **self.stated)
        scaling, seconds = only_step("scaling model", fitting, problem.on_step)
        model = InfluenceModel.from_terms(scaling.model.terms, problem.measurements.system.term_order)
        if scaling.below is not None:
            notes.append("files hold the model of the upper segment only, and errors are those of that model")
        return judged(
            problem,
            self,
            model,
            termination="noCandidate",
            seconds=seconds,
            terms=tuple(LearnedTerm(term, influence) for term, influence in model.terms),
            notes=(*scaling.notes, *notes, *_differing(problem)),
            scaling=scaling,
        )


def is_scalable(configurations: Configurations) -> bool:
    """Return whether configurations differ in numeric options only: always selected, and not too many for pmnf."""
    from splc.scaling.fit import MAX_PARAMETERS

    parameters, others = varying_options(configurations)
    return not others and 0 < len(parameters) <= MAX_PARAMETERS


def _is_parameter(option: Option, configurations: Configurations) -> bool:
    """Return whether an option is a numeric one that all configurations have."""
    return isinstance(option, NumericOption) and not np.isnan(configurations.value(option.name)).any()


def varying_options(configurations: Configurations) -> tuple[list[str], list[str]]:
    """Return the numeric options that vary and that all configurations have, and the other options that vary."""
    varying = (configurations.indices != configurations.indices[:1]).any(axis=0)
    parameters, others = list[str](), list[str]()
    for option in compress(configurations.system.options, varying):
        (parameters if _is_parameter(option, configurations) else others).append(option.name)
    return parameters, others


def _differing(problem: LearningProblem) -> list[str]:
    """Return a note about measured configurations whose binary options differ from the learning set."""
    measured, learned = problem.measurements.configurations, problem.configurations
    binary = [at for at, option in enumerate(measured.system.options) if not isinstance(option, NumericOption)]
    others = np.delete(measured.indices, problem.rows, axis=0)[:, binary]
    differing = int((others != learned.indices[0, binary]).any(axis=1).sum())
    if not differing:
        return []
    count = plural(len(others), "configuration", "configurations")
    return [f"{differing:,} of {count} not learned from have other binary options, which the model does not contain"]
