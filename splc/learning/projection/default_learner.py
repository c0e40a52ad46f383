"""The default learner: a full model of all products of options, projected onto a short sum of terms.

Sources: Agrawal et al. 2019, "The Kernel Interaction Trick" (all products in one kernel); Piironen and Vehtari 2020,
projection predictive selection; SPL Conqueror's feature forward selection with stepwise regression.

In: a learning problem. Out: its result (`ProjectionLearner`), with statements about the full model: the expected
difference of unmeasured values (`expected`), the printed model of few rows (`of_few_rows`), and notes (`remarks`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

# Not numpy's, which imports the masked arrays.
from statistics import median
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import LearningError, listed, plural
from splc.io.numbers import percentage
from splc.learning.folds import FEWEST as FEWEST_GROUPS
from splc.learning.folds import CrossValidated, Groups, PrintedErrors
from splc.learning.learner import INTERRUPTED, LearningProblem, judged, one_thread
from splc.learning.projection import constants
from splc.learning.projection.basis import Variable, variables_of, varying
from splc.learning.projection.constants import MethodNote, ProjectionSettings
from splc.learning.projection.formula import Formula
from splc.learning.projection.full_model import ONE_ROW, FullModel, FullModelFit, fit_full_model
from splc.learning.projection.order import DRAWN, Constants, option_constants, space_of, unmeasured
from splc.learning.projection.posterior import needs_scipy
from splc.learning.projection.predictor import Stacked, on_scale, raised
from splc.learning.projection.printed_model import PrintedModel, printed_model
from splc.learning.projection.scales import PrintedIntervals
from splc.learning.projection.submodels import Target
from splc.learning.result import Expected, InfluenceEstimate, LearnedTerm, LearningResult, Stage
from splc.models.influence import InfluenceModel
from splc.system.groups import text_groups
from splc.types import Array, Link

# From so many rows on errors outside of folds are near those elsewhere, also with few rows per option: in 20 samples of
# 24 and 40 rows of five systems of 14 to 60 options the latter were 0.28 to 1.9 times as large; with 14 rows up to 9.6
# times.
ENOUGH = 24
# Fewer rows than the first constant never suffice; fewer than the second one only with enough rows per option.
NEVER, FEWEST = 3, 8
# How a full model combines the effects of options, by its scale.
FORMS = {"ln y": "multiplies the effects of options", "y": "adds up the effects of options"}


def _enough_to_judge(full: FullModel, given: bool) -> int:
    """Return the number of groups of rows that a stated error needs; `given`: whether the user stated the groups."""
    several = max(constants.ROWS_OF_VALIDATION, constants.ROWS_PER_OPTION * len(full.basis.variables))
    return FEWEST_GROUPS if given else several


def expected(full: FullModel, target: Target, valid: int | None, given: bool = False) -> Expected:
    """Return how far unmeasured values are expected to be off, at least by held-out errors; `valid`: None is many."""
    rows, needed = full.data.independent, min(_enough_to_judge(full, given), ENOUGH)
    grouped = full.data.groups is not None
    unknown = f"{rows} {'groups ' * grouped}measured, {needed} needed" if rows < needed else ""
    if unknown and not grouped and valid is not None and valid < needed:
        unknown = f"{rows} of {valid} valid configurations measured, too few to judge by"
    if full.scale.positive:
        errors = full.run_residuals if full.blocks is None else full.in_new_blocks(full.residuals)
        width = max(math.hypot(full.predictor.quantile * target.spread, full.runs), _most(abs(errors)))
        factor = float(np.exp(min(width, 600.0))) if math.isfinite(width) else None
        of_runs = CrossValidated.of(full.run_residuals).mean if (full.runs or full.blocks) and not unknown else None
        crossed = None if unknown else full.cross_validated.mean
        if full.blocks is not None:
            return Expected(factor, crossed, unknown=unknown, known=of_runs)
        return Expected(factor, crossed, unknown=unknown, run=of_runs, known=full.known_error)
    unmeasured = target.configurations[len(full.rows) :]
    low, high = full.interval(unmeasured if len(unmeasured) else target.configurations)
    errors = abs(full.held_out - full.data.y / full.scale.unit) * full.scale.unit
    width = max(median(((high - low) / 2).tolist()), _most(errors))
    difference = None if unknown else float(errors.mean())
    return Expected(width if math.isfinite(width) else None, difference=difference, unknown=unknown)


def _most(differences: Array) -> float:
    """Return what 9 of 10 differences are not above."""
    return float(np.sort(differences)[math.ceil(constants.LEVEL * len(differences)) - 1])


def rows_needed(full: FullModel) -> int:
    """Return the number of rows that a model of the options that vary needs."""
    return max(NEVER + 1, constants.ROWS_PER_OPTION * len(full.basis.variables))


def is_too_few(full: FullModel) -> bool:
    """Return whether there are too few rows for a model with options.

    From 8 rows on, a full model whose influences can be distinguished from noise is printed, even with few rows per
    option. (For such designs of 8 to 12 rows of SMG2000 and BoomerAMG a constant has 1.6 to 20 times its error.)
    """
    return full.refits is not None and len(full.rows) < min(rows_needed(full), FEWEST)


def of_few_rows(
    target: Target,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    space: Configurations,
    complete: bool = False,
) -> PrintedModel:
    """Return a printed model of one clear effect, or a constant; an exact one if all configurations were measured."""
    if complete:
        all_terms = replace(settings, terms=settings.terms or target.learned)
        exact = printed_model(target, variables, all_terms, space, complete=True)
        if exact.exact:
            return exact
    for terms in (2, 1):
        if terms <= (settings.terms or 2):
            printed = printed_model(target, variables, replace(settings, terms=terms), space)
            effects = [estimate for estimate in printed.selected if estimate.term.options]
            supported = all((estimate.folds or 0) >= constants.SUPPORT * printed.folds for estimate in effects)
            if len(effects) == 1 and effects[0].sign_probability >= constants.SETTLED and supported:
                return printed
    return printed_model(target, (), settings, space)


def few_rows(full: FullModel, valid: int | None) -> list[str]:
    """Return a note that there are too few rows for a model with options, if so; `valid` as for `expected`."""
    rows, needed = len(full.rows), rows_needed(full)
    if not full.basis.variables or rows >= needed:
        return []
    purpose = "a model with options" if is_too_few(full) else "the number of options"
    if valid is None or valid >= needed:
        return [f"too few measurements for {purpose}: measure at least {needed} configurations"]
    cure = f"measure {'all' if valid > 2 else 'both'} of them" if rows < valid else "rely on the measured values"
    return [f"{plural(valid, 'valid configuration is', 'valid configurations are')} too few for {purpose}: {cure}"]


def remarks(problem: LearningProblem, full: FullModel, printed: PrintedModel) -> list[str]:
    """Return notes about the full model and how it is printed."""
    rows = plural(len(full.rows), "configuration", "configurations")
    if full.constant:
        return [f"the model is a constant: {full.constant}" + (f" ({rows})" if full.constant != ONE_ROW else "")]
    notes: list[str] = []
    if printed.aliases:
        distinct_pairs = [pair for at, pair in enumerate(printed.aliases) if pair[::-1] not in printed.aliases[:at]]
        pairs = listed([f"{first} and {second}" for first, second in distinct_pairs], 5)
        notes.append(f"interchangeable in your sample, either explains it as well: {pairs}")
    if len(full.rows) < len(problem.rows):
        notes.append(MethodNote(f"learned from {rows}, drawn from all {len(problem.rows):,}: more change little"))
    form = f"the full model {FORMS.get(full.scale.words, f'adds up the effects of options on {full.scale.words}')}"
    if full.stacked is not None:
        share = percentage(100 * full.stacked.weight)
        blend = "are those" if share == "100 %" else f"blend it with {share}"
        form = f"{form}; predictions {blend} of the printed model, which is best on held-out rows"
    notes.append(MethodNote(form))
    return notes


WITHOUT_TERMS = "learning was interrupted before the terms were found: the full model predicts"
# The printed model is no part of predictions of known settings if their error is more than this multiple with it.
KNOWN_ERROR = 1.5
# With few rows, as of designs, held-out rows say little: of equal errors the full model has three quarters. (On 24
# samples of real systems predictions are 0.2 % better than those of the full model then, otherwise 1.3 % worse.)
FEW_ROWS_ODDS = 3.0
# A formula is used if held-out values differ by at most this multiple of what they differ by without it. (With 1 the
# inverse of the right formula has 1.24 times the error of learning alone on 49 rows of SMG2000 in 3-D.)
CLEARLY = 0.9
# The expected share of the work after the full model, and after its predictions.
FULL, PREDICTED = 0.6, 0.7
# The iterations that most full models take: two scales, two kinds of columns, and the folds of both scales.
ALL_ITERATIONS = 4 * constants.ITERATIONS + 2 * constants.FOLDS * constants.REFIT_ITERATIONS


@dataclass(frozen=True)
class ProjectionLearner:
    """A full model of all products of options, projected onto a short sum of terms."""

    chosen: ProjectionSettings = field(default_factory=ProjectionSettings)  # its settings
    # fits the full model, where it learns from other rows than those of the problem, too
    fit: FullModelFit | None = None
    # an analytical model that values are learned as multiples of, where that predicts held-out rows better
    formula: InfluenceModel | None = None
    # whether the printed model may be a part of what predicts; not of summands, whose sum has one
    stacks: bool = True
    name = "projection"
    preset = "default"
    draws = False
    suffix = ".log"

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings by name, without functions if there are none."""
        return {name: value for name, value in asdict(self.chosen).items() if name != "functions" or value}

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn a performance-influence model. Learning does not depend on the order of rows or options."""
        if len(problem.rows) == 0:
            raise LearningError("the learning set is empty", hint="sample at least one measured configuration")
        sizes = abs(problem.target[problem.target != 0])
        if len(sizes) and np.ptp(np.log10(sizes)) > constants.MAX_POWERS:
            # Squares, relative to the others, would not be numbers.
            message = f"the values of {problem.nfp} are between {sizes.min():.3g} and {sizes.max():.3g}"
            hint = f"check the measurements: a model is about values within {constants.MAX_POWERS} powers of ten"
            raise LearningError(message, hint=hint)
        started = time.monotonic()
        with one_thread(with_scipy=needs_scipy(len(problem.rows))):
            full, target, printed, valid, notes, interrupted = self._models(problem, started)
        seconds = time.monotonic() - started
        system = problem.measurements.system
        binary = [option.name for option in system.binary_options]
        found = printed.model
        ordered = InfluenceModel.from_terms(found.terms, system.term_order, found.link, found.derived)
        exact = ordered.reduced([*binary, *system.switches], system.mandatory)
        # Rounding errors of the CPU are in later digits.
        model = replace(exact, terms=tuple((term, rounded(influence, exact.link)) for term, influence in exact.terms))
        if self.stacks and self.fit is None and full.refits is not None and not interrupted:
            full, printed = _stacked(full, target, printed, model, problem.groups)
        # Few rows that are all valid configurations have exact effects: nothing tells how uncertain these are.
        saturated = printed.exact and is_too_few(full)
        given = problem.given_groups is not None
        is_stated = full.scale.positive and full.data.independent >= _enough_to_judge(full, given)
        crossed = printed.cross_validated if is_stated else None
        if crossed is not None and full.blocks is not None:
            crossed = CrossValidated.of(full.in_new_blocks(printed.errors))
        intervals = None
        if len(full.rows) > 1:
            intervals = PrintedIntervals(model, full.scale, math.hypot(printed.quantile, full.runs))
        return judged(
            problem,
            self,
            full.predictor,
            termination="constant" if full.constant else INTERRUPTED if interrupted else "projected",
            seconds=seconds,
            terms=tuple(LearnedTerm(term, influence) for term, influence in model.terms),
            notes=[
                *([WITHOUT_TERMS] if interrupted else []),
                *([] if saturated else few_rows(full, valid)),
                *notes,
                *remarks(problem, full, printed),
            ],
            cross_validated=None if crossed is None else full.cross_validated,
            expected=replace(expected(full, target, valid, given), printed=None if crossed is None else crossed.mean),
            estimates=() if len(full.rows) == 1 or saturated else _estimates(printed, model),
            path=printed.path,
            intervals=full.predictor,
            printed=model,
            printed_errors=PrintedErrors(
                cross_validated=crossed, distance=100 * printed.distance if full.scale.positive else None
            ),
            printed_intervals=intervals,
            forms=printed.forms,
            folds=printed.folds if full.refits is not None else 0,
        )

    def _models(
        self, problem: LearningProblem, started: float
    ) -> tuple[FullModel, Target, PrintedModel, int | None, list[str], bool]:
        """Return the models, the target, the number of valid configurations, notes, and whether it was interrupted."""
        configurations, chosen, notes = problem.configurations, self.chosen, list[str]()
        system, report, stops = configurations.system, problem.on_step, problem.should_stop
        variables = variables_of(system, problem.observed, problem.everything)
        different = varying(variables, configurations)
        own = option_constants(configurations, problem.target)
        full, remark = self._full(problem, different, own)
        # Other rows may tell about variables that have one value in the learning set.
        names = {variable.name for variable in (*different, *full.basis.variables)}
        # All members of a group are constant. What has texts as values may vary, but always has one.
        constant = [name for variable in variables if variable.name not in names for name in variable.members]
        fixed = [f"whether {name} has a value" if name in text_groups(system) else name for name in constant]
        if fixed and len(configurations) > 1:
            notes = [f"influence unknown, because the value is always the same in your sample: {listed(fixed)}"]
        notes += remark
        problem.on_share(FULL)
        report(Stage(1, f"full model of {full.scale.words}", time.monotonic() - started))
        interrupted = stops()
        watched = problem.observed or (self.formula is not None and self.formula.options & {*system.observed})
        space = space_of(problem, own, observed=bool(watched))
        target = full.target(unmeasured(problem, space, own))
        # Measured configurations are not counted, nor are very many.
        counted = space is not problem.everything and not watched and len(space) < DRAWN
        valid = len(space) if counted else None
        problem.on_share(PREDICTED)
        if not interrupted:
            report(Stage(2, "predictions of the full model", time.monotonic() - started))
            interrupted = stops()
        if interrupted:
            return full, target, printed_model(target, (), chosen, space), valid, notes, True
        options = full.basis.variables if full.refits or full.basis.formula else ()
        if is_too_few(full):
            printed = of_few_rows(target, options, chosen, space, complete=valid == len(full.rows))
        else:
            printed = printed_model(target, options, chosen, space)
        text = f"printed model of {plural(len(printed.selected), 'term', 'terms')}"
        report(Stage(3, text, time.monotonic() - started))
        return full, target, printed, valid, notes, False

    def _full(
        self, problem: LearningProblem, variables: tuple[Variable, ...], own: Constants
    ) -> tuple[FullModel, list[str]]:
        """Return the full model, and notes about a formula.

        `own`: the constants of options, which depend on those of observed variables.
        """
        counts, done = (~np.isnan(problem.repetitions)).sum(axis=1), 0
        known = None if any(variable.observed for variable in variables) else own
        groups = None if problem.groups is None else problem.groups.labels[problem.rows]

        def on_fit(iterations: int) -> None:
            nonlocal done
            done += iterations
            problem.on_share(FULL * min(done / ALL_ITERATIONS, 1.0))

        def alone(tested: bool = True, formula: Formula | None = None) -> FullModel:
            rows = problem.configurations, problem.target, variables, counts
            settings = self.chosen.scale, known, on_fit
            return fit_full_model(*rows, *settings, tested=tested, groups=groups, formula=formula)

        blocks = None if problem.blocks is None else problem.blocks[problem.rows]
        full = alone() if self.fit is None else self.fit(problem, alone, on_fit)
        notes = []
        if self.formula is not None:
            if problem.target.min() <= 0:
                raise LearningError(f"values of {problem.nfp} must be positive to be multiples of a formula")
            multiple = alone(formula=Formula.of(self.formula, problem.configurations, problem.target))
            off = [min(float(np.sqrt(np.mean(model.residuals**2))), 600.0) for model in (multiple, full)]
            is_used = off[0] <= CLEARLY * off[1]
            text = "predictions are multiples of the formula" if is_used else "the formula is not used"
            if len(multiple.rows) > 1:
                factors = [f"{math.exp(size):.3g}" for size in off]
                text += f": held-out values differ by a factor of {factors[0]} with it, of {factors[1]} without it"
            notes, full = [text], multiple if is_used else full
        return full.of_runs(problem.repetitions, blocks), notes


def _stacked(
    full: FullModel, target: Target, printed: PrintedModel, model: InfluenceModel, groups: Groups | None
) -> tuple[FullModel, PrintedModel]:
    """Return the full model with the printed one (`model`, in the property's unit) as a part, and the printed one."""
    scale, measured, errors = full.scale, target.measured, printed.errors
    held_out = measured * np.exp(errors) if scale.positive else measured + errors * target.divisor[: len(errors)]
    sizes = measured if scale.positive else 1.0
    own, other = (np.abs(predicted - measured) / sizes for predicted in (full.held_out, held_out))
    share = weight_of(own, other, len(model.terms), full.data.independent)
    weight = 1.0 if printed.exact else 0.0 if is_too_few(full) else round(share, 2)
    if not weight:
        return full, printed
    stacked = Stacked(model, weight, on_scale(held_out, scale, scale.forward(full.held_out)))
    error = replace(full, stacked=stacked).known_error
    if error is not None and groups is not None and error > KNOWN_ERROR * (full.known_error or 0.0):
        same = [each.members for each in full.basis.variables if {*groups.same}.issuperset(each.members)]
        if not same:
            return full, printed
        stacked = replace(stacked, same=tuple(name for names in same for name in names))
    means = scale.forward(target.predicted)
    predicted = scale.backward(stacked.blended(means, target.configurations, scale, full.configurations))
    rows = replace(target, predicted=predicted, divisor=scale.divisor(predicted))
    distance = float(rows.distances(model.predict(target.configurations) / target.unit))
    return replace(full, stacked=stacked), replace(printed, distance=distance)


def weight_of(full: Array, printed: Array, terms: int, rows: int) -> float:
    """Return the weight of the printed model for the absolute errors of both at held-out rows, shapes (n,).

    Weights are inverse powers of mean errors. The power is the number of rows (groups) in a fold: more rows tell better
    which model is nearer to others. The printed model's error is raised, since its number of terms suits these rows
    best. (Otherwise a real system is predicted 1.25 instead of 1.13 times as badly as by the better model.)
    """
    errors = [float(full.mean()), float(printed.mean())]
    if min(errors) <= 0:
        return float(errors[1] <= 0)
    odds = FEW_ROWS_ODDS if rows < constants.FEW_ROWS else 1.0
    exponent = rows / constants.FOLDS * math.log(raised(rows, terms) * errors[1] / errors[0])
    return 1 / (1 + odds * math.exp(min(max(exponent, -600.0), 600.0)))


def _estimates(printed: PrintedModel, model: InfluenceModel) -> tuple[InfluenceEstimate, ...]:
    """Return the estimates in the order of the model's terms, rounded as these."""
    by_term, estimates = {estimate.term: estimate for estimate in printed.selected}, []
    for term, influence in model.terms:
        if (found := by_term.get(term)) is not None:
            error, low, high = map(rounded, (found.standard_error, found.low, found.high))
            estimates.append(replace(found, influence=influence, standard_error=error, low=low, high=high))
    return tuple(estimates)


def rounded(value: float, link: Link = "identity") -> float:
    """Return an influence with 6 digits; of ln y, whose errors are relative ones, with 8, and 8 after the point."""
    if link == "identity":
        return float(f"{value:.6g}")
    return round(value, 8) if abs(value) >= 1 else float(f"{value:.8g}")
