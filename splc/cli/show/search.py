"""The table of settings that a search tried."""

from __future__ import annotations

import math
from typing import Any

from splc.cli.terminal import say, table
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


def show_search(found: SettingsSearch) -> None:
    """Print the settings that were tried with their errors on held-out folds, the best first."""
    names = list(found.best.settings)
    ranked = sorted(found.trials, key=_error)
    rows = [
        (
            *(str(trial.settings[name]) for name in names),
            *(
                ("", "", trial.reason or "")
                if trial.error is None
                else (
                    percentage(trial.error.mean),
                    percentage(trial.error.median),
                    "chosen" if trial is found.best else "",
                )
            ),
        )
        for trial in ranked[:MAX_ROWS]
    ]
    say()
    table((*names, "error", "median", "remark"), rows, right=("error", "median"))
    rest = len(ranked) - MAX_ROWS
    more = f"; {rest:,} more (--json)" if rest > 0 else ""
    tried = f"{len(ranked):,} of {found.combinations:,} combinations"
    say(f"error: mean relative error on {found.folds} held-out folds of the learning set, {tried}{more}")


def _error(trial: Trial) -> float:
    return math.inf if trial.error is None else trial.error.mean
