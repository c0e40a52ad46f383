"""The contract of a learner, the problem that it gets, and the judgement of what it learns.

A problem is measurements, a property, the learning set and callbacks (`LearningProblem`). The result of every learner
is judged by the same errors (`judged`), also after every round, and at held-out folds of the learning set.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Protocol, TypeVar, get_args

import numpy as np

from splc._version import __version__
from splc.data.accuracy import error_distribution
from splc.data.configurations import Configurations, describe_configuration
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, SpecError, SplcError, plural
from splc.io.numbers import percentage
from splc.learning.blocks import Blocks
from splc.learning.features import FeatureTable, feature_table, observed_features, random_folds
from splc.learning.folds import MOST_JUDGED, CrossValidated, Groups, JudgedRows, Judgement, PrintedErrors, splits
from splc.learning.result import LearnedTerm, LearningResult, Predictor, Stage, Step
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link, Missing

_SAMPLED = "sampled configuration was", "sampled configurations were"
_FAILED = "sampled configuration failed", "sampled configurations failed"
# The beginnings of notes about omitted configurations, which are not repeated for the parts of a sum.
WITHOUT_VALUE = "left out, without a value of "
WHERE_ZERO = "left out of relative errors, where "
INTERRUPTED = "interrupted"
_LARGE_BLOCK = 31 * 2**20  # bytes of a block of memory; the limits of glibc follow freed blocks of up to 32 MiB
OnStep = Callable[[Step], None]


def match(
    measurements: Measurements, sampled: Configurations, missing: Missing = "error", instead: str = ""
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of sampled configurations among the measured ones, and notes.

    `missing`: the policy for sampled configurations that were not measured: 'error'; 'drop' leaves them out; 'nearest'
    takes the measured configuration with the same binary options whose numeric options are the fewest steps away (SPL
    Conqueror's rule), or leaves them out if there is none. Those of which every run failed are left out.
    """
    if missing not in (policies := get_args(Missing)):
        raise SpecError(f"unknown policy {missing!r} for missing configurations", hint=f"one of {', '.join(policies)}")
    notes: tuple[str, ...] = ()
    if measurements.failures is not None and (failed := measurements.failures.among(sampled)).any():
        sampled = sampled[~failed]
        notes = (f"{plural(int(failed.sum()), *_FAILED)} in every run and left out",)
    positions = measurements.configurations.find(sampled)
    absent = np.flatnonzero(positions < 0)
    if len(absent) and missing == "error":
        listed = [describe_configuration(sampled, int(row)) for row in absent[:10]]
        omitted = [f"… and {len(absent) - 10} more"] if len(absent) > 10 else []
        text = f"{len(absent):,} of {plural(len(sampled), 'sampled configuration', 'sampled configurations')} "
        text += f"{'was' if len(absent) == 1 else 'were'} not measured:\n    " + "\n    ".join(listed + omitted)
        hint = f"measure them, {instead}or choose --missing drop or nearest (in Python the argument missing)"
        raise LearningError(text, hint=hint)
    if len(absent) and missing == "nearest":
        positions[absent] = replaced = nearest(measurements.configurations, sampled[absent])
        if count := int((replaced >= 0).sum()):
            notes += (f"{plural(count, *_SAMPLED)} not measured and replaced by the nearest measured one",)
        absent = np.flatnonzero(positions < 0)
    if len(absent):
        notes += (f"{plural(len(absent), *_SAMPLED)} not measured and left out",)
    present = positions[positions >= 0]
    _, first = np.unique(present, return_index=True)
    if len(first) < len(present):
        duplicate_text = plural(len(present) - len(first), "sampled configuration has", "sampled configurations have")
        notes += (f"{duplicate_text} the same nearest measured one as another",)
    return present[np.sort(first)], notes


def rows_of(
    measurements: Measurements, learning_set: Configurations | Array | None, missing: Missing
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of a learning set among the measured configurations, and notes; `missing`: see `match`."""
    if isinstance(learning_set, Configurations):
        return match(measurements, learning_set, missing)
    rows = np.arange(len(measurements))
    if learning_set is None:
        return rows, ()
    selected = np.asarray(learning_set)
    return rows[selected if selected.size else selected.astype(np.int64)], ()


def nearest(measured: Configurations, wanted: Configurations) -> Array:
    """Return the nearest measured configuration with the same binary options for each wanted one, or -1."""
    binary = np.array([isinstance(option, BinaryOption) for option in measured.system.options], dtype=bool)
    steps = measured.indices.astype(np.int64)
    result = np.full(len(wanted), -1)
    for i, indices in enumerate(wanted.indices):
        row = indices.astype(np.int64)
        candidates = np.flatnonzero((steps[:, binary] == row[binary]).all(axis=1))
        if len(candidates):
            result[i] = candidates[np.argmin(np.abs(steps[candidates][:, ~binary] - row[~binary]).sum(axis=1))]
    return result


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """A property to learn, and the measurements to learn it from."""

    measurements: Measurements  # the measured configurations that have a value of the property
    nfp: str  # the property
    rows: Array  # the positions of the learning set among these, distinct, shape (n,)
    everything: Configurations  # all measured configurations, whatever the property; they bound observed variables
    observed: tuple[str, ...] = ()  # the observed variables to learn from besides the options
    evaluation: Measurements | None = None  # to judge the model by; None: the measurements outside of the learning set
    validation: Array | None = None  # the positions that candidates are judged by; None: the learning set
    seed: int = 0  # the seed of whatever a learner draws
    on_step: OnStep = lambda step: None  # called after every step, a round or a stage
    # called with the expected share of the work that is done, by learners that can tell
    on_share: Callable[[float], None] = lambda share: None
    should_stop: Callable[[], bool] = lambda: False  # asked after every step; true keeps what is learned and ends
    provenance: Mapping[str, Any] = field(default_factory=dict)  # recorded in the result
    notes: tuple[str, ...] = ()  # what the user should know about the learning set
    # the groups of the measured configurations that folds keep together, where they were stated
    given_groups: Groups | None = None
    blocks: Blocks | None = None  # the blocks of the measured runs, by whose effects values are adjusted

    @cached_property
    def configurations(self) -> Configurations:
        """The configurations of the learning set."""
        return self.measurements.configurations[self.rows]

    @cached_property
    def target(self) -> Array:
        """The values of the learning set, shape (n,)."""
        return self.values[self.rows]

    @cached_property
    def repetitions(self) -> Array:
        """The repeated measurements of the learning set, shape (n, repetitions), NaN where one is missing."""
        return self.measurements.repetitions(self.nfp)[self.rows]

    @cached_property
    def groups(self) -> Groups | None:
        """The groups of the measured configurations that folds keep together; None if each one is a group."""
        return self.given_groups or Groups.repeated(self.measurements.configurations, self.rows)

    @cached_property
    def values(self) -> Array:
        """The values of all measured configurations."""
        return self.measurements.column(self.nfp)

    def features(self, numeric_disabled: bool, rows: Array | None = None) -> FeatureTable:
        """Return measured configurations as features; `rows`: their positions, None: the learning set."""
        rows = self.rows if rows is None else rows
        observed = observed_features(self.everything, self.observed)
        return feature_table(self.measurements.configurations[rows], self.values[rows], numeric_disabled, observed)


def usable_rows(
    measurements: Measurements, nfp: str, learning_set: Configurations | Array | None, missing: Missing
) -> tuple[Measurements, Array, tuple[str, ...]]:
    """Return the measured configurations that have a value, the positions to learn from among them, and notes."""
    usable = measurements.measured(nfp)
    notes: list[str] = []
    if len(usable) < len(measurements):
        count_text = plural(len(measurements) - len(usable), "configuration", "configurations")
        notes.append(f"{WITHOUT_VALUE}{nfp}: {count_text}")
    if len(usable) == 0:
        raise LearningError(f"no configuration has a value of {nfp}")
    if isinstance(learning_set, Configurations):
        rows, remarks = match(usable, learning_set, missing)
        notes += remarks
    else:
        selected, _ = rows_of(measurements, learning_set, missing)
        rows = np.flatnonzero(np.isin(np.flatnonzero(~np.isnan(measurements.column(nfp))), selected))
    if zeros := int((usable.column(nfp) == 0).sum()):
        notes.append(f"{WHERE_ZERO}{nfp} is 0: {plural(zeros, 'configuration', 'configurations')}")
    return usable, rows, tuple(notes)


T = TypeVar("T")


class Learner(Protocol):
    """A learner with its settings.

    To add one, write a class with these members in a module of this package, whose `learn` reports its steps to
    `problem.on_step`, asks `problem.should_stop` between them, and ends with `judged`, and add it
    to the table in `splc.learning.registry`.
    """

    @property
    def name(self) -> str:
        """Its name in the registry."""

    @property
    def preset(self) -> str:
        """The name of the settings that it started from."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All its settings by name, in JSON's types."""

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""

    @property
    def suffix(self) -> str:
        """The suffix of the file that its models are written to by default: `.log` or `.json`."""

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn from the learning set of a problem; an `SplcError` if nothing can be learned."""


def only_step(text: str, fit: Callable[[], T], on_step: OnStep) -> tuple[T, float]:
    """Return what the only step of a learner fits, and the seconds that it took."""
    started = time.monotonic()
    result = fit()
    seconds = time.monotonic() - started
    on_step(Stage(1, text, seconds))
    return result, seconds


def one_thread(*, with_scipy: bool = True) -> Any:
    """Return a context of one thread for linear algebra, whose memory is reused.

    With several threads last bits differ, and it takes longer.
    """
    if with_scipy:
        # Only libraries that are loaded have their threads limited.
        import scipy.linalg  # noqa: F401

    # The allocator keeps freed matrices for the next ones: otherwise half of the time goes into page faults. glibc
    # raises its limit for memory that is returned at once to the size of such a block when that is freed.
    np.empty(_LARGE_BLOCK, dtype=np.uint8)
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the libraries that are loaded; the look-up takes 3 ms. `modules`: another number of imported modules."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def judged(
    problem: LearningProblem,
    learner: Learner,
    predictor: Predictor,
    *,
    notes: Iterable[str] = (),
    printed: InfluenceModel | None = None,
    printed_errors: PrintedErrors | None = None,
    **found: Any,
) -> LearningResult:
    """Return the result of a learner with all errors; `found`: further fields, also `termination` and `seconds`."""
    # All rows, where a performance-influence model predicts: its terms are computed faster than rows are read.
    limit = None if isinstance(predictor, InfluenceModel) else MOST_JUDGED
    seen = problem.measurements, problem.nfp, problem.rows, problem.evaluation
    rows = JudgedRows.of(*seen, seed=problem.seed, limit=limit)
    if problem.blocks is not None:
        rows = replace(rows, deviations=problem.blocks.deviations)
    models = [predictor] if printed is None else [predictor, printed]
    judgement, *others = judgements = [rows.judge(partial(predictions, model)) for model in models]
    for other in others:
        printed_errors = replace(printed_errors or PrintedErrors(), **dict[str, Any](other.errors))
    system = problem.measurements.system
    facts: dict[str, Any] = {"splc": __version__, "learner": learner.name, "system": system.name}
    if problem.observed:
        facts["observed"] = list(problem.observed)
    return LearningResult(
        predictor=predictor,
        learner=learner.name,
        nfp=problem.nfp,
        learning_configurations=len(problem.rows),
        left_out=int((problem.values == 0).sum()),
        base=system.base_option,
        preset=learner.preset,
        settings=learner.settings,
        seed=problem.seed,
        provenance={**facts, **problem.provenance},
        notes=(*problem.notes, *notes, *judgement_notes(rows, judgement)),
        printed=printed,
        printed_errors=printed_errors,
        system=system,
        rows=rows,
        judgements=tuple(judgements),
        unit=problem.measurements.unit(problem.nfp),
        groups=problem.groups,
        blocks=problem.blocks,
        **{**found, **judgement.errors},
    )


def judgement_notes(rows: JudgedRows, judgement: Judgement) -> Iterator[str]:
    """Yield what the user should know about the errors of what predicts."""
    if undefined := int(np.isnan(judgement.predicted).sum()):
        count = plural(undefined, "configuration", "configurations")
        yield f"the model has no value at {count} {'of the sample' if rows.samples else 'measured'}"
    groups = {"learning_error": "configurations learned from", "error": "others"}
    if rows.evaluation is not None:
        groups = {**groups, "error": "of the evaluation set", "error_all": "measured"}
    texts = []
    for name, group in groups.items():
        if name in rows.samples:
            size, count_of_all = rows.samples[name]
            error = percentage(judgement.standard_errors[name], 2)
            texts.append(f"{size:,} of {count_of_all:,} {group}" + (f" (± {error})" if error else ""))
    if texts:
        yield f"errors are those of a sample: {' and '.join(texts)}"


def predictions(predictor: Predictor, configurations: Configurations) -> Array:
    """Return predictions, shape (n,), NaN where the model has no finite value."""
    if not isinstance(predictor, InfluenceModel):
        return predictor.predict(configurations)
    undefined = np.zeros(len(configurations), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        blocks = predictor.contribution_blocks(configurations, undefined)
        total = np.concatenate([contributions.sum(axis=1) for _, contributions in blocks])
        predicted = np.exp(total) if predictor.link == "log" else total
    return np.where(undefined | ~np.isfinite(predicted), np.nan, predicted)


def influence_model(
    terms: Iterable[LearnedTerm], system: VariabilityModel, link: Link = "identity", derived: Iterable[Derived] = ()
) -> InfluenceModel:
    """Return selected terms as a performance-influence model, expanded to canonical terms."""
    return InfluenceModel.of_system((pair for term in terms for pair in term.expanded), system, link, derived)


def round_errors(result: LearningResult) -> list[float | None]:
    """Return the mean relative error of the terms after each round on the rows that judge the result, in percent.

    These are the evaluation set, or else all measured configurations. Without rounds it is that of the model alone.
    None where no measured value is usable.
    """
    rows = result.rows
    name = "error_all" if rows is None or rows.evaluation is None else "error"
    last: float | None = getattr(result.of_printed, name)
    if rows is None or len(result.rounds) < 2:
        return [last]
    model = result.model
    earlier = [
        rows.judge(partial(predictions, influence_model(step.terms, rows.measured.system, model.link, model.derived)))
        for step in result.rounds[:-1]
    ]
    return [*(step.errors[name] for step in earlier), last]


def cross_validate(
    measurements: Measurements,
    nfp: str,
    rows: Array,
    number: int,
    seed: int,
    learn: Callable[[Array], Sequence[Predictor]],
    should_stop: Callable[[], bool] = lambda: False,
    groups: Groups | None = None,
    of_runs: bool = False,
) -> list[CrossValidated | None]:
    """Return the errors of the rows of a learning set, each predicted by models of the other folds.

    `rows`: the positions of the learning set; all have a value of the property. `number`: the number of folds, at least
    2; there are at most as many as rows. `should_stop`: asked after every fold; true ends the cross-validation without
    a result. `groups`: the groups of all measurements that folds keep together; None: those of settings that repeat.
    `of_runs`: whether errors are those of single runs.
    """
    if len(rows) < 2:
        return []
    values, configurations = measurements.column(nfp)[rows], measurements.configurations[rows]
    groups = groups or Groups.repeated(measurements.configurations, rows)
    table, kept = feature_table(configurations, values), None if groups is None else groups.labels[rows]
    folds = random_folds(table, number, seed, kept)
    predicted: Array = np.zeros((0, len(rows)))  # the predictions of each model, shape (models, n)
    for fold, (held_out, rest) in enumerate(splits(folds), 1):
        try:
            models = learn(rows[rest])
        except SplcError as error:
            fold_text = f"fold {fold} of {folds.max() + 1}"
            hint = "choose other folds or none, or a larger learning set"
            problems = (Problem(f"{fold_text}: {each.message}", hint=each.hint or hint) for each in error.problems)
            raise type(error)(problems) from None
        if not len(predicted):
            predicted = np.empty((len(models), len(rows)))
        predicted[:, held_out] = [predictions(model, configurations[held_out]) for model in models]
        if should_stop():
            return []
    if of_runs:
        runs = measurements.repetitions(nfp)[rows]
        known = ~np.isnan(runs)
        predicted, values = predicted[:, np.nonzero(known)[0]], runs[known]
    errors = [error_distribution(row, values) for row in predicted]
    return [None if each is None else CrossValidated(*each) for each in errors]
