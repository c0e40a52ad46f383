"""The search of settings of `learn`: the values to try, from texts and files, and the best settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from splc.data.measurements import Measurements
from splc.errors import InputError, Problem, Problems, RequestError, SpecError
from splc.io.files import read_source
from splc.io.settings import setting_name
from splc.io.toml import parse_toml
from splc.learning.folds import Groups
from splc.learning.learner import Learner
from splc.learning.registry import learner_of
from splc.learning.settings_search import OnTrial, SettingsSearch, search_settings
from splc.types import Array
from splc.workflows.learn.learning_sets import Request

FORM = "write NAME=[VALUE,VALUE] or the name of a TOML file with such lines"


# File and line.
Place = tuple[str, int | None]


def search_values(texts: Sequence[str]) -> tuple[dict[str, list[Any]], dict[str, Place]]:
    """Return setting → values to try, of texts `NAME=[VALUE,VALUE]` and of TOML files with lists, and their origins.

    The places are those of the settings in files.

    Raises:
        RequestError: if a text is wrong, or a setting is given twice.
        InputError: if a file cannot be read, or holds something else than lists.
    """
    grid: dict[str, list[Any]] = {}
    origin: dict[str, Place] = {}
    for text in texts:
        name, equals, listing = (part.strip() for part in text.partition("="))
        if equals:
            # Lists in files, which are TOML, have texts in quotes.
            values = [value.strip(" \"'") for value in listing.removeprefix("[").removesuffix("]").split(",")]
            if not name or not all(values):
                raise RequestError(f"{text!r} is not NAME=[VALUE,VALUE]", "search", hint=FORM)
            entries: dict[str, list[Any]] = {name: values}
        else:
            entries, lines = _file_values(text)
            origin |= {key: (text, lines.get(key)) for key in entries}
        for key, values in entries.items():
            if key in grid:
                raise RequestError(f"{key} is given twice", "search")
            grid[key] = values
    return grid, origin


def _file_values(path: str) -> tuple[dict[str, list[Any]], Mapping[str, int]]:
    content, lines = parse_toml(read_source(path))
    wrong = [name for name, values in content.items() if not isinstance(values, list) or not values]
    if wrong or not content:
        problems = [Problem("not a list of values", path, lines.get(name), text=name, hint=FORM) for name in wrong]
        raise InputError(problems or [Problem("there are no values to try", path, hint=FORM)])
    return content, lines


def _locate(learner: Learner, settings: dict[str, Any], values: dict[str, list[Any]], origin: dict[str, Place]) -> None:
    """Raise SpecError with the file and line of each setting of a file that the learner does not have, or refuses."""
    problems = Problems()
    for name, (file, line) in origin.items():
        for value in values[name]:
            try:
                learner_of(learner.name, learner.preset, {**settings, name: value})
            except SpecError as error:
                problems.include(error.at(file, line))
                break
    problems.raise_if_any(SpecError)


def searched(
    request: Request,
    learner: Learner,
    settings: dict[str, Any],
    measured: Measurements,
    nfp: str,
    rows: Array,
    on_trial: OnTrial,
    should_stop: Callable[[], bool],
    groups: Groups | None = None,
) -> SettingsSearch:
    """Return the result of the search that a request asks for.

    `learner`: the learner with the settings that every trial shares. `settings`: those of them that differ from its
    preset. `rows`: the positions of the learning set. `groups`: those that folds keep together, if they are stated.

    Raises:
        SplcError: as `search_settings`.
    """
    values, origin = search_values(request.search)
    fixed = {setting_name(name) for name in request.settings}
    if twice := [name for name in values if setting_name(name) in fixed]:
        raise RequestError(f"{twice[0]} has a value already", "search", "settings")
    folds = {"folds": request.folds} if request.folds else {}
    try:
        return search_settings(
            measured,
            nfp,
            values,
            learner=learner.name,
            preset=learner.preset,
            settings=settings,
            learning_set=rows,
            observed=request.observed,
            samples=request.samples,
            seed=request.seed,
            jobs=request.jobs,
            on_trial=on_trial,
            should_stop=should_stop,
            groups=groups,
            **folds,
        )
    except SpecError:
        _locate(learner, settings, values, origin)
        raise


def provenance_of_search(found: SettingsSearch) -> dict[str, Any]:
    """Return what a model's file records of a search."""
    assert found.best.error is not None
    return {
        "settings": json.loads(json.dumps(found.best.settings, default=str)),
        "error": found.best.error.mean,
        "trials": len(found.trials),
        "combinations": found.combinations,
        "folds": found.folds,
    }
