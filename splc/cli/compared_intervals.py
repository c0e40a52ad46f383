"""The intervals that `splc compare --intervals` compares: where they come from, and at which level they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from splc.cli.compared_models import Subject
    from splc.cli.comparing import Places
    from splc.data.configurations import Configurations
    from splc.types import Array


def interval_bounds(
    subjects: Sequence[Subject], places: Places, level: float
) -> tuple[dict[int, Array | None], dict[int, Array]]:
    """Return confidence bands of the models' predictions, and prediction intervals of single measured values.

    Learned models have both from the measurements. Analytical ones have bands from the intervals of their parameters;
    these say nothing about how measured values scatter, so that they have no prediction intervals.

    Returns:
        Twice position of a model → bounds, shape (2, n); bands are None where they are not known, and missing where a
        model is exact.

    Raises:
        typer.BadParameter: if the level is none, or there are no configurations.
        SplcError: if they cannot be computed, or hold at another level.
    """
    from comparison.confidence import influence_intervals, prediction_intervals
    from splc.cli.terminal import note
    from splc.errors import SplcError

    if not 0 < level < 1:
        raise typer.BadParameter(f"{level:g} is not between 0 and 1", param_hint="--intervals")
    if places.configurations is None:
        raise typer.BadParameter("there are no configurations; add --on", param_hint="--intervals")
    bands: dict[int, Array | None] = {}
    single: dict[int, Array] = {}
    for position, subject in enumerate(subjects):
        if subject.kind == "text":
            _add_analytical(bands, position, subject, places.configurations, level)
            continue
        bands[position] = None
        if places.measurements is None or places.nfp is None:
            note(f"{subject.name} has no intervals: there are no measurements to tell them from")
            continue
        there = places.measurements
        try:
            own = influence_intervals(subject.model, there.configurations, there[places.nfp], level)
            bands[position] = prediction_intervals(own, places.configurations)
            single[position] = prediction_intervals(own, places.configurations, single=True)
        except SplcError as error:
            note(f"{subject.name} has no intervals: {error.problems[0].message}")
    return bands, single


def _add_analytical(
    bands: dict[int, Array | None], position: int, subject: Subject, configurations: Configurations, level: float
) -> None:
    """Add the band that follows from the intervals of a model's parameters, if it has any at this level.

    Raises:
        SpecError: if they hold at another level: without what they were estimated from they cannot be converted.
    """
    from comparison.intervals import parameter_intervals
    from splc.cli.terminal import note
    from splc.errors import Problem, SpecError, listed

    parameters = subject.model.parameters
    if unknown := [each.name for each in parameters if not each.determined]:
        bands[position] = None
        verb = "is" if len(unknown) == 1 else "are"
        note(f"{subject.name} has no intervals: {listed(unknown)} {verb} not determined (see splc fit)")
        return
    inexact = [each for each in parameters if each.has_interval]
    if not inexact:
        note(f"{subject.name} has no intervals: none of its parameters has one (see splc fit)")
        return
    for own in sorted({own for each in inexact for own in each.levels}):
        if not math.isclose(own, level, rel_tol=1e-9):
            names = listed([each.name for each in inexact if own in each.levels])
            what = f"the intervals of {names} hold at the level {own:g}, not {level:g}"
            hint = f"give --intervals {own:g}, or estimate them again: splc fit --level {level:g}"
            raise SpecError(Problem(what, subject.name, hint=hint))
    if unsaid := [each.name for each in inexact if not each.levels]:
        note(f"{subject.name}: the intervals of {listed(unsaid)} are taken as they are, their level is not said")
    bands[position] = parameter_intervals(subject.model, configurations)
