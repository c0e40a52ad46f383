"""Where `splc compare` compares predictions: configurations, their weights, intervals; and what it prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from sampling import Space
    from splc.cli.compared_models import Subject
    from splc.data.configurations import Configurations
    from splc.data.measurements import Measurements
    from splc.models.influence import InfluenceModel
    from splc.models.terms import Term
    from splc.project import Project
    from splc.system.variability import VariabilityModel
    from splc.types import Array

TABLE_NAMES = ("measures", "terms", "classes", "ranges", "intervals", "correlations")


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
    from splc.errors import MeasurementError, Problem, plural
    from splc.formats.measurements.prediction_inputs import read_prediction_inputs
    from splc.formats.measurements.rows import Policy

    if on is not None and _is_file(on):
        policy = Policy(
            policies["invalid"], policies["duplicates"], policies["aggregate"], space.check, space.violations
        )
        expected = _stated_nfp(subjects) or project.nfp
        found = read_prediction_inputs(on, space.model, policy, project.given.get("nfp"), expected)
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
    if not len(there) and on in (None, "measured"):
        hint = "name another property with --property, or other configurations with --on"
        raise MeasurementError(Problem(f"there is no value of {name}", measured.report.source or None, hint=hint))
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


def read_files(project: Project, places: Places) -> dict[str, Any]:
    """Return name and hash of what was read beside the models."""
    from splc.cli.learning_inputs import input_files
    from splc.io.files import STANDARD, read_source

    found = input_files(project, places.measurements)
    if (file := project.parameters_file) not in (None, STANDARD):
        found["parameters"] = {"path": file, "sha256": read_source(str(file)).sha256}
    return found


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
    from splc.models.text.reader import expand_model

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
