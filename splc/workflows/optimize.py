"""Find the valid configuration that a model predicts to be best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling import Space
from sampling.space.optimum import Optimum, optimum
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import SplcError, listed
from splc.learning.plausibility import implausible
from splc.learning.result import Intervals
from splc.project import Project
from splc.types import Duplicates, Invalid
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes


@dataclass(frozen=True, kw_only=True)
class Request(ModelInputs):
    """A request to optimize over the valid configurations.

    Attributes:
        model: the file of the model: a log, JSON or model text; `-` is standard input.
        maximize: whether the greatest predicted value is wanted, not the least.
        limit: the number of configurations to examine at most; None is two million.
        invalid: what happens to measurements whose configuration is not valid.
        duplicates: what happens to XML rows that measure a configuration again.
    """

    model: str
    maximize: bool = False
    limit: int | None = None
    invalid: Invalid = "drop"
    duplicates: Duplicates = "mean"


@dataclass(frozen=True)
class Interval:
    """The prediction interval of a configuration.

    Attributes:
        level: the probability that a measured value lies inside.
        low: the lower end.
        high: the upper end.
    """

    level: float
    low: float
    high: float


@dataclass(frozen=True)
class BestMeasured:
    """The measured configuration with the best value.

    Attributes:
        configuration: the configuration, one row.
        measured: its measured value.
        predicted: its predicted value.
    """

    configuration: Configurations
    measured: float
    predicted: float


@dataclass(frozen=True)
class Result:
    """The best configuration.

    Attributes:
        optimum: the configuration and its prediction.
        interval: its prediction interval, None if the file of the model has none.
        nfp: the measured property, None without measurements.
        measured: the measured value of the configuration, None if it was not measured.
        best: the best measured configuration, None without measurements.
        notes: what the user should know.
    """

    optimum: Optimum
    interval: Interval | None = None
    nfp: str | None = None
    measured: float | None = None
    best: BestMeasured | None = None
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Find the best configuration, exactly, and compare it with the best measured one.

    Raises:
        InputError: if a file cannot be found or read.
        RequestError: if a stated parameter is not used by the model.
        SpaceError: if more configurations than the limit would have to be examined.
    """
    project = request.project()
    space = Space(project.variability_model())
    with Notes() as notes:
        stored = request.read_model(request.model, project, space.system)
        found = optimum(stored.model, space, request.maximize, LIMIT if request.limit is None else request.limit)
        if found.unused:
            text = "the model does not use some options: their values are valid, but no better than other valid ones"
            notes.append(Note(text))
        interval = None if stored.intervals is None else interval_of(stored.intervals, found.configuration)
        measurements, nfp = _measured(request, project, space, stored.nfp, notes)
        if measurements is None or nfp is None:
            return Result(found, interval, notes=tuple(notes))
        values = measurements.column(nfp)
        warnings = implausible(np.array([found.predicted]), values, nfp)
        notes += (Note(text, warning=True) for text in warnings)
        place = int(measurements.configurations.find(found.configuration)[0])
        row = int(np.argmax(values) if request.maximize else np.argmin(values))
        known = measurements.configurations[[row]]
        best = BestMeasured(known, float(values[row]), float(stored.model.predict(known)[0]))
        own = None if place < 0 else float(values[place])
        return Result(found, interval, nfp, own, best, tuple(notes))


def interval_of(intervals: Intervals, configuration: Configurations) -> Interval:
    """Return the prediction interval of one configuration."""
    low, high = intervals.interval(configuration)
    return Interval(intervals.level, float(low[0]), float(high[0]))


def _measured(
    request: Request, project: Project, space: Space, own: str | None, notes: Notes
) -> tuple[Measurements | None, str | None]:
    """Return the measured configurations and the property; a note says why there are none.

    The model alone is enough to optimize, so measurements that are not asked for and cannot be used are no error.
    """
    if not project.has_measurements:
        return None, None
    try:
        found = request.read_measurements(project, space, notes)
        nfp = _property(found.properties, own) if request.nfp is None and own is not None else project.the_nfp(found)
    except SplcError as error:
        if request.measurements is not None or request.nfp is not None:
            raise
        problem = error.problems[0]
        text = "; ".join(filter(None, (problem.message, problem.hint)))
        notes.append(Note(f"measured values are not shown: {text}"))
        return None, None
    if nfp is None:
        text = f"the model is about {own!r}, of which there are no values, only of: {listed(found.properties)}"
        notes.append(Note(f"measured values are not shown: {text}"))
        return None, None
    if own is not None and own.split() != nfp.split():
        notes.append(Note(f"the model is about {own!r}, but is compared with values of {nfp!r}", warning=True))
    usable = found.measured(nfp)
    return (usable, nfp) if len(usable) else (None, None)


def _property(properties: Sequence[str], wanted: str) -> str | None:
    """Return the property with this name; logs hold names with single spaces."""
    return next((name for name in properties if name.split() == wanted.split()), None)
