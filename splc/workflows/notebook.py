"""The verbs on values in memory: what `splc.learn`, `splc.suggest`, `splc.optimize` and `splc.explain` do."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np

from sampling import Space
from sampling.space.ranking import Ranking, require_count
from sampling.space.space import LIMIT
from splc.data.configurations import fixed_indices, with_further_values
from splc.data.measurements import Failures, Measurements
from splc.data.table import table_columns
from splc.errors import SpecError, require_kind
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inferred_from
from splc.formats.measurements.constraints import failures_object, with_failures
from splc.formats.measurements.read import column_choice, read_parts
from splc.formats.measurements.rows import Policy
from splc.formats.models.stored_model import StoredModel
from splc.learning import suggest as suggest_configurations
from splc.learning.active.suggestion import ConfigurationSuggestions
from splc.learning.folds import Groups, options_of
from splc.learning.registry import learn as learn_measurements
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
from splc.types import Invalid
from splc.workflows.explain.full import model_overview
from splc.workflows.explain.importance import Overview
from splc.workflows.learn.contexts import LearnedContexts, learn_contexts
from splc.workflows.note import Notes, direction_notes, inference_notes, reading_notes, run_notes
from splc.workflows.optimize.objectives import Objective, of_result
from splc.workflows.optimize.optimize import best_of
from splc.workflows.subspace import UNKNOWN, WITHOUT_FAILURE, failure_notes, working_space

_ARGUMENTS = frozenset(inspect.signature(learn_measurements).parameters)


@overload
def learn(
    data: Any, nfp: str | None = None, preset: str | None = None, *, by: None = None, **settings: Any
) -> LearningResult: ...


@overload
def learn(
    data: Any, nfp: str | None = None, preset: str | None = None, *, by: str, share: bool = False, **settings: Any
) -> LearnedContexts: ...


def learn(
    data: Any,
    nfp: str | None = None,
    preset: str | None = None,
    *,
    by: str | None = None,
    share: bool = False,
    system: VariabilityModel | None = None,
    options: str | Collection[str] = (),
    contexts: str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    ignore: str | Collection[str] = (),
    invalid: Invalid = "error",
    **settings: Any,
) -> LearningResult | LearnedContexts:
    """Learn a model of a property from a table, or one of each value of a context.

    Args:
        data: a data frame (pandas, polars, …), a dict of columns, the path of a CSV or XML file, or `Measurements`;
            with `by` also value → `Measurements`.
        nfp: the property; None is the only one.
        preset: the settings to start from; 'splconqueror' is SPL Conqueror's algorithm.
        by: a context, such as the version: each of its values has a model.
        share: with `by`, whether all values are learned together.
        system: the system; None is the one of `Measurements`, or is inferred from the table (`splc.infer_system`).
        options: columns that are options, beside the inferred ones.
        contexts: columns of numbers that are contexts.
        where: context → its value in the rows to use.
        ignore: columns to leave out.
        invalid: 'drop' leaves out rows that the given system excludes, 'error' refuses them.
        settings: further arguments of `splc.learning.learn`: `groups` (of a table also a column, or a label of each
            row), `block` (of a table a column), `learner`, `seed`, …, and settings of the learner by name, as on the
            command line: `terms=3`.

    Returns:
        The result. Its `notes` have what was inferred from the table, too. With `by`: value → its result.

    Raises:
        SplcError: if the table cannot be read, or nothing can be learned from it.

    Examples:
        >>> splc.learn(table, "time").predict(table[:2]).round()
        array([105.,  55.])
    """
    extra = {name: settings.pop(name) for name in [*settings] if name not in _ARGUMENTS}
    if extra:
        settings["settings"] = {**(settings.get("settings") or {}), **extra}
    reading = _Reading(data, nfp, system, options, contexts, where, ignore, invalid)
    groups, block = settings.get("groups"), settings.get("block")
    if by is not None:
        if groups is not None or block is not None:
            raise SpecError("the rows of a value are different settings", hint="leave groups, block or by out")
        parts, nfp, notes = reading.by(by)
        return replace(learn_contexts(parts, by, nfp, preset, share=share, **settings), notes=notes.texts)
    if share:
        raise SpecError("what is learned together are the values of a context", hint="by='version'")
    if isinstance(data, Measurements) or (groups is None and block is None):
        measured, nfp, assumed = reading.table()
    elif groups is not None:
        (measured, nfp, assumed), settings["groups"] = reading.grouped(groups)
    else:
        measured, nfp, assumed = reading.blocked(settings["block"])
    failures = measured.failures
    if failures is not None:
        settings["provenance"] = {**(settings.get("provenance") or {}), "failures": failures_object(failures)}
    result = learn_measurements(measured, nfp, preset, **settings)
    texts = (*assumed, *Notes(failure_notes(failures, UNKNOWN)).texts)
    return replace(result, notes=(*texts, *result.notes)) if texts else result


@overload
def suggest(
    data: Space, measured: Measurements | None = None, nfp: str | None = None, count: int = 1, **settings: Any
) -> ConfigurationSuggestions: ...


@overload
def suggest(data: Any, nfp: str | None = None, count: int = 1, **settings: Any) -> ConfigurationSuggestions: ...


def suggest(data: Any, *arguments: Any, **settings: Any) -> ConfigurationSuggestions:
    """Return the configurations of a system to measure next.

    Args:
        data: what was measured, as for `learn`, followed by the property and the number of configurations; or the valid
            configurations, followed by what was measured (`Measurements`), the property and the number.
        arguments: these.
        settings: `goal`, `maximize`, `cost` and `seed` as for `splc.learning.suggest`; for tables also the arguments of
            `learn` that say what the columns are.

    Raises:
        SplcError: if the table cannot be read, or there is nothing to suggest.

    Examples:
        >>> splc.suggest(space, measured[:8], "time", 2).to_frame()["threads"].tolist()
        [1, 8]
    """
    if isinstance(data, Space):
        measured = arguments[0] if arguments else settings.get("measured")
        space = working_space(data, getattr(measured, "failures", None), {})
        found = suggest_configurations(space, *arguments, **settings)
        nfp = arguments[1] if arguments[1:] else settings.get("nfp")
        return replace(found, notes=(*found.notes, *_of_direction(measured, nfp, settings)))
    return _suggest_of_table(data, *arguments, **settings)


def _of_direction(measured: Measurements | None, nfp: str | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the note of `direction_notes` on suggestions, if it is about an optimum."""
    names = () if measured is None else measured.properties if nfp is None else (nfp,)
    if measured is None or len(names) != 1 or settings.get("goal") != "optimum":
        return ()
    return Notes(direction_notes([(names[0], measured.unit(names[0]), bool(settings.get("maximize")))])).texts


def _suggest_of_table(data: Any, nfp: str | None = None, count: int = 1, **settings: Any) -> ConfigurationSuggestions:
    roles = {field.name: settings.pop(field.name) for field in fields(_Reading) if field.name in settings}
    measured, nfp, assumed = _Reading(data, nfp, **roles).table()
    space = working_space(Space(measured.system), measured.failures, {})
    found = suggest_configurations(space, measured, nfp, count, **settings)
    notes = (*Notes(failure_notes(measured.failures, "not suggested")).texts, *_of_direction(measured, nfp, settings))
    return replace(found, notes=(*assumed, *notes))


def optimize(
    models: Any,
    space: Space | str | None = None,
    count: int = 1,
    *,
    maximize: bool | Sequence[bool] = False,
    fixed: Mapping[str, Any] | None = None,
    limit: int = LIMIT,
    **settings: Any,
) -> Ranking:
    """Return the best valid configurations of a model, or the Pareto front of several.

    Full models of results predict: all valid configurations up to 100,000, otherwise those of a local search from the
    best 1,000 of the printed models. Other models have an exact optimum, unless it is too complex; `engine` of the
    result says what found it. Configurations that failed, as far as results know, are left out.

    Args:
        models: the model or result, or one per property; or a table as for `learn`, which is learned from.
        space: the valid configurations; None are those of the system of the first result. Of a table, the property.
        count: the number of configurations of a single model.
        maximize: whether the greatest values are wanted, of all models or of each.
        fixed: option → value that the configurations must have, see `Space.with_values`.
        limit: the greatest number of combinations to examine for a model with an exact optimum.
        settings: of a table, the further arguments of `learn`.

    Raises:
        ConfigurationError: if a model uses unknown options, or an option has no such value.
        SpaceError: if neither the best configurations nor any to start a local search from can be found.
        SpecError: if the count is less than 1, or there is no space.
        VariabilityError: if there is no valid configuration.
        SplcError: if the table cannot be read, or nothing can be learned from it.

    Examples:
        >>> splc.optimize(result, fixed={"tls": True}).configurations.assignment(0)
        {'tls': 1.0, 'cache': 1.0, 'threads': 8.0}
    """
    results, space, learned = _learned(models, space, settings)
    signs = (maximize,) * len(results) if isinstance(maximize, bool) else tuple(maximize)
    if len(signs) != len(results):
        raise SpecError(f"{len(results)} models, but {len(signs)} values of maximize")
    base = _space(space, results)
    base = Space(with_further_values(base.system, fixed or {}, warn=True))
    chosen = base if not fixed else base.with_values(fixed)
    chosen.require_valid()
    require_count(count)
    failures = _failures(results, base.system)
    chosen = working_space(chosen, failures, {} if not fixed else fixed_indices(base.system, fixed))
    objectives = []
    for result, sign in zip(results, signs, strict=True):
        if isinstance(result, InfluenceModel):
            objectives.append(Objective(result.text, base.system, StoredModel(result), sign))
        else:
            objectives.append(Objective(result.nfp, base.system, of_result(result), sign))
    notes = Notes(failure_notes(failures, "left out"))
    named = [goal for goal, result in zip(objectives, results, strict=True) if isinstance(result, LearningResult)]
    notes += direction_notes([(goal.name, goal.unit, goal.maximize) for goal in named])
    return replace(best_of(objectives, chosen, count, limit, notes, failures=failures), notes=(*learned, *notes.texts))


def explain(model: Any, space: Space | str | None = None, **settings: Any) -> Overview:
    """Return the importance of the options of a model, their interactions, and the effect of each value.

    Args:
        model: the model; or a result, whose full model is explained; or a table as for `learn`, which is learned from.
        space: the valid configurations; None are those of the system of the result. Of a table, the property.
        settings: of a table, the further arguments of `learn`.

    Raises:
        SpaceError: if the constraints are too complex, for a model without a full one.
        SpecError: if there is no space.
        SplcError: if the table cannot be read, or nothing can be learned from it.

    Examples:
        >>> splc.explain(result).to_frame()["option"].tolist()
        ['threads', 'tls', 'cache']
    """
    models, space, learned = _learned(model, space, settings)
    if len(models) != 1:
        raise SpecError(f"one model is explained, not {len(models)}")
    (model,) = models
    chosen = _space(space, (model,))
    stored = of_result(model) if isinstance(model, LearningResult) else StoredModel(model)
    notes = Notes(failure_notes(_failures((model,), chosen.system), WITHOUT_FAILURE) if not learned else ())
    return replace(model_overview(stored, chosen, notes), notes=(*learned, *notes.texts))


_Model: TypeAlias = InfluenceModel | LearningResult


def _learned(
    models: Any, space: Space | str | None, settings: Mapping[str, Any]
) -> tuple[tuple[_Model, ...], Space | None, tuple[str, ...]]:
    """Return models and their space; of a table the model that is learned, without a space, and its notes."""
    every = tuple(models) if isinstance(models, list | tuple) else (models,)
    if not every:
        raise SpecError("no model is given")
    if not all(isinstance(each, InfluenceModel | LearningResult) for each in every):
        result = learn(models, *(() if space is None else (space,)), **settings)
        return (result,), None, result.notes
    if settings or isinstance(space, str):
        raise SpecError("only a table has a property and columns; a model is used as it is")
    return every, space, ()


# Measurements, their property if one is known, and the assumptions of reading them.
_Table: TypeAlias = tuple[Measurements, str | None, tuple[str, ...]]


@dataclass(frozen=True)
class _Reading:
    """A table and the arguments of `learn` about the roles of its columns."""

    data: Any
    nfp: str | None
    system: VariabilityModel | None = None
    options: str | Collection[str] = ()
    contexts: str | Collection[str] = ()
    where: Mapping[str, Any] | None = None
    ignore: str | Collection[str] = ()
    invalid: Invalid = "error"

    @property
    def files(self) -> list[str]:
        """The file of the table, if it is one."""
        return [str(self.data)] if isinstance(self.data, str | Path) else []

    @property
    def choice(self) -> ColumnChoice:
        """The roles."""
        return column_choice(self.contexts, self.where, self.ignore, self.options)

    def read(self, *by: str) -> tuple[list[Measurements], str | None, Notes]:
        """Return the measurements of the table, apart for each value of `by`, their property, and notes."""
        data, nfp, system, notes = self.data, self.nfp, self.system, Notes()
        for name in (each for each in (nfp, *by) if each is not None):
            require_kind(name, str, "give the name of a column")
        choice, main = replace(self.choice, by=by), None
        if system is None:
            inference = inferred_from(data, nfp, choice)
            data, system, choice, main = inference.source, inference.system, inference.completed(choice), inference.main
            notes += inference_notes(inference)
        space = Space(system)
        policy = Policy(self.invalid, columns=choice, check=space.check, explain=space.violations, nfp=nfp)
        parts = read_parts(data, system, policy)
        nfp = nfp or (main if main in parts[0].properties else None)
        notes += (*reading_notes(*(part.report for part in parts)), *run_notes(parts, nfp))
        return [with_failures(part, self.files, space.check) for part in parts], nfp, notes

    def table(self) -> _Table:
        """Return the measurements of the table."""
        if isinstance(self.data, Measurements):
            return self.data, self.nfp, ()
        (measured,), nfp, notes = self.read()
        return measured, nfp, notes.texts

    def grouped(self, groups: str | Sequence[Any]) -> tuple[_Table, Groups]:
        """Return the measurements of the table, and the groups of a column, or of a label of each row."""
        reading, column = self, groups if isinstance(groups, str) else "group"
        if not isinstance(groups, str):
            if self.files:
                raise SpecError("the groups of a file are those of a column", hint="groups='dataset'")
            labels = np.array([f"group {label}" for label in groups])
            reading = replace(self, data={**table_columns(self.data), column: labels})
        system = self.system
        if system is None:
            system = inferred_from(reading.data, self.nfp, self.choice).system
        if options_of(system, column) is not None:
            table = reading.table()
            return table, Groups.stated(table[0].configurations, column)
        table, parts = reading._apart(column)
        return table, Groups.of_parts(table[0].configurations, (part.configurations for part in parts), column)

    def _apart(self, column: str) -> tuple[_Table, list[Measurements]]:
        """Return the measurements of the table without a column, and those of each of its values."""
        ignored = (self.ignore,) if isinstance(self.ignore, str) else tuple(self.ignore)
        table = replace(self, ignore=(*ignored, column)).table()
        parts, _, _ = replace(self, ignore=tuple(name for name in ignored if name != column)).by(column)
        return table, [*parts.values()]

    def blocked(self, column: str) -> _Table:
        """Return the measurements of the table with a property that numbers the values of a column."""
        (measured, nfp, notes), parts = self._apart(column)
        return measured.with_blocks(column, parts), measured.resolve_property(nfp), notes

    def by(self, by: str) -> tuple[dict[str, Measurements], str | None, Notes]:
        """Return the measurements of each value of a context, in natural order, their property, and notes."""
        data, nfp, notes = self.data, self.nfp, Notes()
        if isinstance(data, Mapping) and all(isinstance(table, Measurements) for table in data.values()):
            parts = dict(data)
        elif isinstance(data, Measurements):
            raise SpecError("these are measurements of one value", hint=f"give those of all: {{{by}: Measurements}}")
        else:
            read, nfp, notes = self.read(by)
            parts = {part.contexts[by]: part for part in read}
            for part in read:
                notes.add(failure_notes(part.failures, UNKNOWN))
        if not parts:
            raise SpecError("there are no measurements")
        return parts, nfp, notes


def _failures(models: Sequence[_Model], system: VariabilityModel) -> Failures | None:
    """Return the failures that the measurements of results have, among the configurations of a system."""
    for model in models:
        failures = None if isinstance(model, InfluenceModel) or model.rows is None else model.rows.measured.failures
        if failures is not None and {*failures.configurations.system.names} == {*system.names}:
            return failures.of_system(system)
    return None


def _space(space: Space | None, models: Sequence[_Model]) -> Space:
    """Return the space that was given, or that of the first result."""
    if space is not None:
        require_kind(space, Space, "splc.Space(system)")
        return space
    systems = (model.system for model in models if isinstance(model, LearningResult))
    system = next((entry for entry in systems if entry is not None), None)
    if system is None:
        raise SpecError("a model without a result needs a space", hint="splc.Space(system)")
    return Space(system)
