"""The verbs on values in memory: what `splc.learn`, `splc.optimize` and `splc.explain` do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sampling import Space
from sampling.space.ranking import Ranking, require_count
from sampling.space.space import LIMIT
from splc.data.measurements import Measurements
from splc.errors import SpecError
from splc.formats.measurements.read import column_choice, read_measurements, read_parts
from splc.formats.measurements.rows import Policy
from splc.formats.measurements.table_inference import inferred_from
from splc.learning.learn import learn as learn_measurements
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
from splc.workflows.explain.full import overview_of_result
from splc.workflows.explain.overview import Overview, overview
from splc.workflows.note import Notes
from splc.workflows.optimize.best import best_of
from splc.workflows.optimize.objectives import Objective


def learn(
    data: Any,
    nfp: str | None = None,
    preset: str | None = None,
    *,
    system: VariabilityModel | None = None,
    options: str | Collection[str] = (),
    contexts: str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    ignore: str | Collection[str] = (),
    **settings: Any,
) -> LearningResult:
    """Learn a model of a property from a table.

    Args:
        data: a data frame (pandas, polars, …), a dict of columns, the path of a CSV or XML file, or `Measurements`.
        nfp: the property; None is the only one.
        preset: the settings to start from; 'splconqueror' is SPL Conqueror's algorithm.
        system: the system; None is the one of `Measurements`, or is inferred from the table (`splc.infer_system`).
        options: columns that are options, beside the inferred ones.
        contexts: columns of numbers that are contexts.
        where: context → its value in the rows to use.
        ignore: columns to leave out.
        settings: further arguments of `splc.learning.learn`: `learner`, `learning_set`, `settings`, `seed`, …

    Raises:
        SplcError: if the table cannot be read, or nothing can be learned from it.
    """
    if isinstance(data, Measurements):
        return learn_measurements(data, nfp, preset, **settings)
    columns: dict[str, Any] = {"contexts": contexts, "ignore": ignore}
    if system is not None:
        read: Callable[..., Measurements]
        read = read_measurements if isinstance(data, str | Path) else _from_frame
        return learn_measurements(read(data, system, where=where, **columns), nfp, preset, **settings)
    choice = column_choice(contexts, where, ignore, options)
    found = inferred_from(data, nfp, choice)
    policy = Policy(columns=found.completed(choice))
    (measured,) = read_parts(found.source, found.system, policy, nfp=nfp)
    main = found.main if found.main in measured.properties else None
    return learn_measurements(measured, nfp or main, preset, **settings)


def optimize(
    models: InfluenceModel | LearningResult | Sequence[InfluenceModel | LearningResult],
    space: Space | None = None,
    count: int = 1,
    *,
    maximize: bool | Sequence[bool] = False,
    fixed: Mapping[str, Any] | None = None,
    limit: int = LIMIT,
) -> Ranking:
    """Return the best valid configurations of a model, or the Pareto front of several.

    Full models of results predict: all valid configurations up to 100,000, otherwise those of a local search from the
    best 1,000 of the printed models. Other models have an exact optimum, unless it is too complex; `engine` of the
    result says what found it.

    Args:
        models: the model, or one per property.
        space: the valid configurations; None are those of the system of the first result.
        count: the number of configurations of a single model.
        maximize: whether the greatest values are wanted, of all models or of each.
        fixed: option → value that the configurations must have, see `Space.with_values`.
        limit: the greatest number of combinations to examine for a model with an exact optimum.

    Raises:
        ConfigurationError: if a model uses unknown options, or an option has no such value.
        SpaceError: if neither the best configurations nor any to start a local search from can be found.
        SpecError: if the count is less than 1, or there is no space.
        VariabilityError: if there is no valid configuration.
    """
    given = (models,) if isinstance(models, InfluenceModel | LearningResult) else tuple(models)
    signs = (maximize,) * len(given) if isinstance(maximize, bool) else tuple(maximize)
    if len(signs) != len(given):
        raise SpecError(f"{len(given)} models, but {len(signs)} values of maximize")
    whole = _space(space, given)
    chosen = whole if not fixed else whole.with_values(fixed)
    chosen.require_valid()
    require_count(count)
    objectives = [
        Objective(each.nfp, whole.system, each.model, None if each.printed is None else each.predictor, sign)
        if isinstance(each, LearningResult)
        else Objective(each.text, whole.system, each, None, sign)
        for each, sign in zip(given, signs, strict=True)
    ]
    return best_of(objectives, chosen, count, limit, Notes())[0]


def explain(model: InfluenceModel | LearningResult, space: Space | None = None) -> Overview:
    """Return the importance of the options of a model, their interactions, and the effect of each value.

    Args:
        model: the model, or a result, whose full model is explained.
        space: the valid configurations; None are those of the system of the result.

    Raises:
        SpaceError: if the constraints are too complex, for a model without a full one.
        SpecError: if there is no space.
    """
    chosen = _space(space, (model,))
    return overview_of_result(model, chosen) if isinstance(model, LearningResult) else overview(model, chosen)


def _from_frame(data: Any, system: VariabilityModel, **columns: Any) -> Measurements:
    return Measurements.from_frame(system, data, **columns)


def _space(space: Space | None, models: Sequence[InfluenceModel | LearningResult]) -> Space:
    """Return the space that was given, or that of the first result."""
    if space is not None:
        return space
    systems = (each.system for each in models if isinstance(each, LearningResult))
    system = next((each for each in systems if each is not None), None)
    if system is None:
        raise SpecError("a model without a result needs a space", hint="splc.Space(system)")
    return Space(system)
