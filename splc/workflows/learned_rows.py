"""The configurations that stored models were learned from, among those that judge them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, listed, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.numbers import percentage
from splc.learning.folds import Groups
from splc.learning.full_predictor import FullPredictor
from splc.learning.projection import Ensemble
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.learn.expected_error import DIGITS, ExpectedError
from splc.workflows.note import Note


def learned_configurations(stored: StoredModel, system: VariabilityModel) -> Configurations | None:
    """Return the configurations of a system that a model was learned from, None if its file does not have them."""
    if not isinstance(stored.full, FullPredictor):
        return None
    learned = stored.full.configurations
    learned = learned[stored.full.own] if isinstance(stored.full, Ensemble) else learned
    with suppress(ConfigurationError):
        return learned.within(system)[0]
    return None


def learned_from_notes(
    judged: Configurations, measured: Array, learned: Mapping[str, Configurations | None]
) -> tuple[Note, ...]:
    """Return a note if models were learned from configurations that judge them, none if not."""
    judging = judged[~np.isnan(measured)]
    parts = []
    for name, configurations in learned.items():
        count = 0 if configurations is None else int((configurations.find(judging) >= 0).sum())
        if count:
            some = "all" if count == len(judging) else f"{count:,}"
            parts.append(f"{name} was learned from {some}")
    if not parts:
        return ()
    rows = plural(len(judging), "measured configuration", "measured configurations")
    return (Note(f"of {rows}, {listed(parts)}: expect larger errors on new ones"),)


def known_settings_notes(
    predicted: Configurations, learned: Configurations | None, expected: ExpectedError, beyond: Array | None
) -> tuple[Note, ...]:
    """Return a note with the error that applies where settings were learned from with other values of the rest."""
    if learned is None or expected.known_percent is None or not set(expected.known_by) <= set(predicted.system.names):
        return ()
    is_new = learned.find(predicted) < 0
    judged = is_new if beyond is None else is_new & ~beyond
    known = judged & Groups(np.zeros(0), expected.known_by).known(learned, predicted)
    if not known.any():
        return ()
    some = f"{known.sum():,} of {plural(len(predicted), 'configuration', 'configurations')}"
    text = f"{some} {'is' if known.sum() == 1 else 'are'} of {expected.known}: "
    text += f"the typical error there is {percentage(expected.known_percent, DIGITS)}"
    if expected.percent is not None:
        text += f", not the {percentage(expected.percent, DIGITS)} on {expected.about}"
    return (Note(text),)
