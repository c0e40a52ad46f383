"""Scaling models of a whole profile: one for every call path and metric of an experiment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from splc.data.measurements import Experiment, Key, same_width, title
from splc.errors import MeasurementError, Problem, SplcError, listed, plural
from splc.io.presentation import Presented
from splc.scaling.fit import fit_many
from splc.scaling.result import ScalingModel
from splc.types import Array

BATCH = 1000  # the number of series that are fitted together; more of them need more memory, and no less time
# A note on all series of a batch, which need not be true of each of them.
_OF_ALL = re.compile(r"[\d,]+ values? (is|are) missing and left out")


@dataclass(frozen=True, repr=False)
class Profile(Presented):
    """The scaling models of an experiment."""

    models: Mapping[Key, ScalingModel]  # (call path, metric) → model, in the order of the experiment
    failed: Mapping[Key, str] = field(default_factory=dict)  # (call path, metric) → the reason why it has no model

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", MappingProxyType(dict(self.models)))
        object.__setattr__(self, "failed", MappingProxyType(dict(self.failed)))

    def summary(self) -> str:
        """Return the number of models, and the reasons why there is none."""
        failed = (f"no model of {path}, {metric}: {reason}" for (path, metric), reason in self.failed.items())
        return "\n".join([f"scaling models of {plural(len(self.models), 'series', 'series')}", *failed])

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return one row per call path and metric: the model, its error, and the noise of a measurement."""
        return {
            "callpath": [path for path, _ in self.models],
            "metric": [metric for _, metric in self.models],
            "model": [model.text for model in self.models.values()],
            "smape": [model.smape for model in self.models.values()],
            "noise": [model.noise for model in self.models.values()],
        }


def fit_experiment(
    experiment: Experiment,
    series: Sequence[Key] | None = None,
    *,
    jobs: int = 1,
    on_progress: Callable[[int], None] | None = None,
    **settings: Any,
) -> Profile:
    """Find a scaling model for every series of an experiment; those measured at the same points together.

    A series need not be complete: its model is fitted to the points that it has values at. A parameter that is the
    same at all of these is left out. The notes of the model state both.

    Args:
        experiment: the measurements.
        series: (call path, metric) of each series to fit; None is all of them.
        jobs: number of processes, see `fit_many`.
        on_progress: called with the number of series done, after each batch.
        settings: `method` and the other settings of `fit_many`.

    Raises:
        MeasurementError: if a series is unknown, or no model can be fitted to any of them.
        SpecError: for an unknown or wrong setting.
    """
    keys = list(experiment.series) if series is None else list(dict.fromkeys(series))
    failed: dict[Key, str] = {}
    groups: dict[bytes, list[Key]] = {}
    for key in keys:
        known = ~np.isnan(experiment[key]).all(axis=1)
        if known.any():
            groups.setdefault(known.tobytes(), []).append(key)
        else:
            failed[key] = "it has no values"
    models: dict[Key, ScalingModel] = {}
    done = len(failed)
    for pattern, members in groups.items():
        known = np.frombuffer(pattern, dtype=bool)
        points, names, notes = _shared(experiment, known)
        for start in range(0, len(members), BATCH):
            batch = members[start : start + BATCH]
            found = _fitted({key: experiment[key][known] for key in batch}, points, names, {**settings, "jobs": jobs})
            for key, model in found.items():
                if isinstance(model, str):
                    failed[key] = model
                else:
                    models[key] = replace(model, notes=(*notes_of_series(model), *notes))
            done += len(batch)
            if on_progress is not None:
                on_progress(done)
    if not models:
        titles: dict[str, list[str]] = {reason: [] for reason in failed.values()}
        for key, reason in failed.items():
            titles[reason] += filter(None, [title(key)])
        all_titles = ((reason, listed(names or ["the measurements"], 3)) for reason, names in titles.items())
        problems = [Problem(f"no model of {names}: {reason}") for reason, names in all_titles]
        raise MeasurementError(problems or "no series is asked for")
    return Profile({key: models[key] for key in keys if key in models}, {k: failed[k] for k in keys if k in failed})


def _shared(experiment: Experiment, known: Array) -> tuple[Array, list[str], tuple[str, ...]]:
    """Return the points of a group of series by the parameters that vary, their names, and the notes on the series."""
    points = experiment.points[known]
    varies = (points != points[0]).any(axis=0)
    if not varies.any():
        # One point: the learner notes that nothing is known about the scaling.
        varies[0] = True
    notes = [] if known.all() else [f"measured at {int(known.sum())} of {plural(len(known), 'point', 'points')}"]
    for name, value, is_varying in zip(experiment.parameters, points[0].tolist(), varies, strict=True):
        if not is_varying:
            notes.append(f"{name} is {value:g} at all points: nothing is known about how this scales with it")
    names = [name for name, is_varying in zip(experiment.parameters, varies, strict=True) if is_varying]
    return points[:, varies], names, tuple(notes)


def _fitted(
    series: Mapping[Key, Array], points: Array, names: Sequence[str], settings: Mapping[str, Any]
) -> dict[Key, ScalingModel | str]:
    """Return the models of series at the same points, (n, repetitions) each, or the reasons why they have none."""
    try:
        values = np.array(same_width([*series.values()]))
        return dict(zip(series, fit_many(points, values, names=names, **settings), strict=True))
    except Exception as error:
        if isinstance(error, SplcError) and not isinstance(error, MeasurementError):
            raise
        if len(series) == 1:
            reason = f"an error of the program ({type(error).__name__}: {error}); please report it with these values"
            if isinstance(error, MeasurementError):
                reason = "\n    ".join(map(str, error.problems))
            return dict.fromkeys(series, reason)
    # One that cannot be fitted does not affect the others.
    keys, middle = list(series), len(series) // 2
    halves = ({key: series[key] for key in half} for half in (keys[:middle], keys[middle:]))
    return {key: found for half in halves for key, found in _fitted(half, points, names, settings).items()}


def notes_of_series(model: ScalingModel) -> tuple[str, ...]:
    """Return the notes of a model without that on missing values, which also counts unequal numbers of repetitions."""
    return tuple(note for note in model.notes if not _OF_ALL.fullmatch(note))
