"""The table of settings that a search tried."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from splc.cli.show.blocks import Column, columns, show_rows
from splc.cli.terminal import say
from splc.io.json_object import JsonObject, at
from splc.io.numbers import percentage
from splc.learning.settings_search import SettingsSearch, Trial

MAX_ROWS = 20


class SearchObject(JsonObject):
    """The settings that were tried, and the best ones."""

    folds: int
    seed: int
    combinations: int
    best: dict[str, Any] = at("best.settings")
    trials: list[Trial]


def _setting(name: str, trial: Trial) -> str:
    return str(trial.settings[name])


def show_search(found: SettingsSearch) -> None:
    """Print the settings that were tried with their errors on held-out folds, the best first."""
    ranked = sorted(found.trials, key=lambda trial: math.inf if trial.error is None else trial.error.mean)
    names = found.best.settings
    shown = (
        *(Column(name, partial(_setting, name)) for name in names),
        *columns("error = error.mean, median = error.median", percentage),
        Column("remark", lambda trial: trial.reason or ("chosen" if trial is found.best else "")),
    )
    say()
    show_rows(ranked, shown, MAX_ROWS)
    tried = f"{len(ranked):,} of {found.combinations:,} combinations"
    say(f"error: mean relative error on {found.folds} held-out folds of the learning set, {tried}")
