"""What `splc compare` compares: models, the configurations where they are evaluated, weights and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from sampling import Space
    from splc.configurations import Array, Configurations
    from splc.formats.learned_log_reader import WhichRound
    from splc.formats.models import StoredModel
    from splc.influence import InfluenceModel
    from splc.measurements import Measurements
    from splc.parameters import Parameters
    from splc.project import Project
    from splc.terms import Term
    from splc.variability import VariabilityModel

TABLE_NAMES = ("measures", "terms", "classes", "ranges", "intervals", "correlations")


@dataclass(frozen=True)
class Subject:
    """A model that is compared.

    Attributes:
        name: its name in tables: the file, as it was given.
        model: the model.
        kind: 'log', 'json' or 'text'.
        nfp: the property that its file says it is about.
        file: the file.
        used: the parameters that it uses.
    """

    name: str
    model: InfluenceModel
    kind: str
    nfp: str | None
    file: str
    used: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Places:
    """Where predictions are compared.

    Attributes:
        configurations: n configurations, None for none: only terms are compared.
        measured: the measured values there, shape (n,), NaN where there is none; None: none at all.
        nfp: the property that was measured.
        text: what they are, for people.
        measurements: the project's measurements, None without.
    """

    configurations: Configurations | None = None
    measured: Array | None = None
    nfp: str | None = None
    text: str = "none"
    measurements: Measurements | None = None


def chosen_tables(names: Sequence[str], form: str, models: int) -> tuple[str, ...]:
    """Return the tables to print.

    Raises:
        typer.BadParameter: for an unknown table, and for several as CSV.
    """
    from splc.errors import unknown_name_hint

    for name in names:
        if name not in TABLE_NAMES:
            hint = unknown_name_hint(name, list(TABLE_NAMES))
            raise typer.BadParameter(f"unknown table {name!r}; {hint}", param_hint="--table")
    if form == "csv" and len(names) > 1:
        raise typer.BadParameter("CSV is one table; choose one", param_hint="--csv, --table")
    if names:
        return tuple(dict.fromkeys(names))
    return ("measures",) if form == "csv" or models > 2 else ("terms", "measures")


def which_round(text: str) -> WhichRound:
    """Return which round of a log is meant.

    Raises:
        typer.BadParameter: if the text is neither 'last' nor 'best' nor a whole number.
    """
    if text == "last":
        return "last"
    if text == "best":
        return "best"
    if text.isdecimal() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither 'last' nor 'best' nor a number", param_hint="--round")


def which_learning(text: str | None) -> int | None:
    """Return which learning of a log is meant: its number, 0 for all, None for the last.

    Raises:
        typer.BadParameter: if the text is neither 'all' nor a positive whole number.
    """
    if text is None or text == "all":
        return None if text is None else 0
    if text.isdecimal() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither 'all' nor a positive number", param_hint="--learning")


def subjects_of(
    paths: Sequence[str],
    system: VariabilityModel,
    parameters: Parameters,
    round: WhichRound,
    learning: int | None,
    scale: float | None,
) -> list[Subject]:
    """Read the models.

    Args:
        paths: the files.
        system: the system.
        parameters: the machine parameters.
        round: which round of logs.
        learning: which learning of logs; 0: all, each a model of its own.
        scale: what the analytical models are multiplied by.

    Raises:
        InputError: if a file cannot be read; the problems of all files at once.
        typer.BadParameter: if there is nothing to scale, or only one model.
    """
    from splc.errors import Problems, SplcError
    from splc.formats.files import STANDARD, read_source
    from splc.formats.models import parse_stored_models

    found: list[Subject] = []
    problems = Problems()
    for path in paths:
        try:
            stored: list[StoredModel] = parse_stored_models(
                read_source(path), system, parameters=parameters, round=round, learning=learning
            )
        except SplcError as error:
            problems.include(error)
            continue
        own = "standard input" if path == STANDARD else path
        for number, each in enumerate(stored, 1):
            name = own if len(stored) == 1 else f"{own} ({number})"
            model = each.model.scaled(scale) if scale is not None and each.kind == "text" else each.model
            found.append(Subject(name, model, each.kind, each.nfp, path, each.used))
    problems.raise_if_any()
    if scale is not None and all(subject.kind != "text" for subject in found):
        raise typer.BadParameter("none of the models is model text, which is what is scaled", param_hint="--scale")
    if len(found) < 2:
        raise typer.BadParameter("a comparison needs two models at least", param_hint="FIRST OTHER...")
    return _distinct(found)


def _distinct(subjects: list[Subject]) -> list[Subject]:
    """Return the models with names that differ."""
    seen: dict[str, int] = {}
    result = []
    for subject in subjects:
        seen[subject.name] = seen.get(subject.name, 0) + 1
        again = seen[subject.name]
        result.append(subject if again == 1 else replace(subject, name=f"{subject.name} [{again}]"))
    return result


def require_rows(at: Mapping[str, float], subjects: Sequence[Subject]) -> None:
    """Refuse `--at` that no table is over, or that has no row.

    Raises:
        InputError: naming what the tables are over, and their rows.
    """
    from splc.parameters import chosen_rows

    if at:
        chosen_rows([parameter for subject in subjects for parameter in subject.model.parameters], at)


def configurations_of(
    on: str | None,
    project: Project,
    space: Space,
    seed: int,
    policies: Mapping[str, Any],
    subjects: Sequence[Subject],
) -> Places:
    """Return where predictions are compared.

    Args:
        on: 'measured', 'all', a file, a sampling; None: the measured ones, if anything was measured.
        project: the project.
        space: the valid configurations.
        seed: of a sampling that draws.
        policies: what happens to problematic measurements.
        subjects: the models, which may say what they are about.

    Raises:
        SplcError: if what is asked for cannot be read, drawn or listed.
    """
    from pathlib import Path

    import numpy as np

    from sampling import draw_sample
    from splc.cli.terminal import note, report
    from splc.errors import plural
    from splc.formats.assembling import Policy
    from splc.formats.predicting import read_to_predict

    if on is not None and _is_file(on):
        policy = Policy(
            policies["invalid"], policies["duplicates"], policies["aggregate"], space.check, space.violations
        )
        expected = _stated_nfp(subjects) or project.nfp
        found = read_to_predict(on, space.model, policy, project.given.get("nfp"), expected)
        report(found.report)
        return Places(found.configurations, found.measured, found.nfp if found.measured is not None else None, on)
    if not project.has_measurements:
        if on is None:
            return Places()
        if on != "measured":
            sampled = draw_sample(space.model, on, seed, space=space)
            for text in sampled.notes:
                note(text)
            return Places(sampled.configurations, text=_named(on))
    measured = project.measurements(space.model, space, **policies)
    report(measured.report)
    own = None if "nfp" in project.given else _stated_nfp(subjects)
    # A log keeps one blank where a name has several.
    known = {" ".join(name.split()): name for name in measured.properties}
    name = known.get(own or "") or project.the_nfp(measured)
    there = measured.measured(name)
    if on is None or on == "measured":
        return Places(there.configurations, there[name], name, "measured", there)
    sampled = draw_sample(space.model, on, seed, there.configurations, space)
    for text in sampled.notes:
        note(text)
    rows = there.configurations.find(sampled.configurations)
    values = np.where(rows >= 0, there[name][rows], np.nan)
    if (rows < 0).all():
        note(f"none of the {plural(len(rows), 'configuration', 'configurations')} was measured")
        return Places(sampled.configurations, text=_named(on), measurements=there)
    if not Path(on).exists() and (rows < 0).any():
        note(f"{int((rows >= 0).sum()):,} of the {len(rows):,} configurations were measured")
    return Places(sampled.configurations, values, name, _named(on), there)


def _stated_nfp(subjects: Sequence[Subject]) -> str | None:
    """Return the property that all models are about that say one, None where none does or they differ."""
    stated = {" ".join(subject.nfp.split()) for subject in subjects if subject.nfp}
    return stated.pop() if len(stated) == 1 else None


def _named(spec: str) -> str:
    return "all valid" if spec == "all" else spec


def _is_file(text: str) -> bool:
    from pathlib import Path

    return text == "-" or Path(text).is_file() or text.removesuffix(".gz").lower().endswith((".csv", ".xml"))


def weights_of(
    text: str | None, places: Places, first: Subject, system: VariabilityModel
) -> tuple[Array | None, str | None]:
    """Return the weights of the configurations, shape (n,), and what they are for people.

    Args:
        text: 'measured', 'predicted', or terms as model text; None: no weights.
        places: where predictions are compared.
        first: the first model.
        system: the system.

    Raises:
        typer.BadParameter: if there are no such values.
        InputError: if the text is neither of these words nor model text.
    """
    import numpy as np

    from comparison.semantic import weights_from, weights_of_term
    from splc.errors import SplcError
    from splc.expression import expand_model

    if text is None:
        return None, None
    if places.configurations is None:
        raise typer.BadParameter("there are no configurations to weigh; add --on", param_hint="--weights")
    if text == "measured":
        if places.measured is None or np.isnan(places.measured).any():
            raise typer.BadParameter("not all of the configurations were measured", param_hint="--weights")
        return weights_from(places.measured), f"measured {places.nfp}"
    if text == "predicted":
        return weights_from(first.model.predict(places.configurations)), f"predictions of {first.name}"
    try:
        terms = frozenset(expand_model(text, system.term_names).expansion)
    except SplcError as error:
        raise error.at("--weights") from None
    own = {term: _without_parameters(term, first.model) for term, _ in first.model.terms}
    missing = [term.text(system.names) for term in terms - set(own.values())]
    if missing:
        known = ", ".join(dict.fromkeys(term.text(system.names) for term in own.values()))
        raise typer.BadParameter(f"{first.name} has no term {missing[0]}, but: {known}", param_hint="--weights")
    chosen = [term for term, plain in own.items() if plain in terms]
    return weights_of_term(first.model, chosen, places.configurations), f"share of {text} in {first.name}"


def _without_parameters(term: Term, model: InfluenceModel) -> Term:
    """Return a term as it is over the options, without the parameters that are factors of it."""
    names = {parameter.name for parameter in model.parameters}
    return type(term)(tuple(factor for factor in term.factors if factor.option not in names))


def interval_bounds(subjects: Sequence[Subject], places: Places, level: float) -> dict[int, Array]:
    """Return position of a model → bounds of its predictions, shape (2, n), of those models that have any.

    Learned models have them from the measurements, analytical ones from the intervals of their parameters.

    Raises:
        typer.BadParameter: if the level is none, or there are no configurations.
        SplcError: if they cannot be computed.
    """
    from comparison.confidence import influence_intervals, prediction_intervals
    from comparison.intervals import corner_intervals
    from splc.cli.terminal import note
    from splc.errors import SplcError

    if not 0 < level < 1:
        raise typer.BadParameter(f"{level:g} is not between 0 and 1", param_hint="--intervals")
    if places.configurations is None:
        raise typer.BadParameter("there are no configurations; add --on", param_hint="--intervals")
    configurations = places.configurations
    found: dict[int, Array] = {}
    for position, subject in enumerate(subjects):
        bounds = {parameter.name: (0.0, 1.0) for parameter in subject.model.parameters if parameter.has_interval}
        if bounds:
            model = subject.model

            def predicted(values: Mapping[str, float], model: InfluenceModel = model) -> Array:
                return at_corner(model, values).predict(configurations)

            found[position] = corner_intervals(predicted, bounds)
        elif subject.kind == "text":
            note(f"{subject.name} has no intervals: none of its parameters has one (see splc fit)")
        elif places.measurements is None or places.nfp is None:
            note(f"{subject.name} has no intervals: there are no measurements to tell them from")
        else:
            there = places.measurements
            try:
                own = influence_intervals(subject.model, there.configurations, there[places.nfp], level)
                found[position] = prediction_intervals(own, configurations)
            except SplcError as error:
                note(f"{subject.name} has no intervals: {error.problems[0].message}")
    return found


def at_corner(model: InfluenceModel, places: Mapping[str, float]) -> InfluenceModel:
    """Return a model at lower (0) or upper (1) ends of its parameters' intervals, for all rows of a table alike."""
    from splc.derived import Parameter

    changed = []
    for each in model.derived:
        if isinstance(each, Parameter) and each.name in places:
            each = replace(each, values_of=each.high if places[each.name] > 0.5 else each.low)
        changed.append(each)
    return replace(model, derived=tuple(changed))
