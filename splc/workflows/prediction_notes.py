"""Notes on predictions: their intervals, their signs, and what was measured of the configurations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.property_unit import span
from splc.errors import ConfigurationError, SplcError, listed, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.numbers import percentage
from splc.learning.folds import Groups
from splc.learning.full_predictor import FullPredictor
from splc.learning.plausibility import negative_predictions
from splc.learning.projection import Ensemble
from splc.learning.result import Intervals, Predictor
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.learn.expected_error import DIGITS, ExpectedError
from splc.workflows.note import Note, Rank
from splc.workflows.views import interval_text


@dataclass(frozen=True)
class Interval:
    """The prediction interval of a configuration."""

    level: float  # the probability that a measured value lies inside
    low: float  # the lower end
    high: float  # the upper end

    @property
    def ends(self) -> str:
        """The ends as text."""
        return interval_text((self.low, self.high), "{:.6g}".format)

    def text(self, unit: str | None) -> str:
        """Return the interval as text, with its level and a readable unit."""
        return f"{self.level * 100:g} % interval {span(self.low, self.high, unit)}"

    def excludes(self, value: float) -> bool:
        """Return whether a value is outside."""
        return not self.low <= value <= self.high


def intervals_of(intervals: Intervals, configurations: Configurations) -> list[Interval | None]:
    """Return the prediction interval of each configuration, None where it is unknown: one row has no scatter."""
    pairs = zip(*(ends.tolist() for ends in intervals.interval(configurations)), strict=True)
    return [None if math.isnan(low) else Interval(intervals.level, low, high) for low, high in pairs]


def outside_notes(outside: Sequence[bool] | Array) -> tuple[Note, ...]:
    """Return a note with the number of predictions outside of their intervals, none if there are none.

    `outside`: for each prediction whether it is, shape (n,).
    """
    count, of = int(np.sum(outside)), len(outside)
    if not count:
        return ()
    text = f"{count:,} of {of:,} predictions {'is' if count == 1 else 'are'} outside of their intervals"
    text = "the prediction is outside of its interval" if of == 1 else text
    why = "the printed model is far from the full model there, and intervals are those of the full model"
    return (Note(f"{text}: {why}"),)


def negative_notes(
    predicted: Array,
    nfp: str | None,
    project: Project | None,
    space: Space,
    full: Predictor | None,
    given: Array | None = None,
) -> tuple[Note, ...]:
    """Return a warning about negative predictions, unless a measured value is negative, too.

    `predicted`: the predictions, shape (n,). `given`: further measured values, shape (m,).
    """
    if not (predicted < 0).any():
        return ()
    values = learned_values(full) if given is None else np.concatenate([learned_values(full), given])
    if project is not None and project.has_measurements:
        with suppress(SplcError):
            measured = project.measurements(space.system, space, invalid="drop", duplicates="mean", aggregate="mean")
            nfp = nfp or project.resolve_property(measured)
            # Logs hold names with single spaces.
            names = [name for name in measured.properties if name.split() == nfp.split()]
            values = np.concatenate([values, *(measured.column(name) for name in names)])
    return tuple(Note(text, warning=True) for text in negative_predictions(predicted, values, nfp or "the property"))


def learned_values(full: Predictor | None) -> Array:
    """Return the measured values that a full model was learned from, shape (m,); empty if it does not have them."""
    return full.measured if isinstance(full, Ensemble) else np.zeros(0)


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


# Pairs that are shown.
SHOWN = 3
# With more options, all pairs of them would take far longer than the predictions, and 9 GB with 14,000 options; few of
# the pairs that no row has are impossible then.
MAX_OPTIONS = 2000
# Independence must predict so many measured configurations with a pair, unless a single configuration selects both.
EXPECTED = 1.0
_BLOCK = 1 << 12


def unmeasured_notes(
    found: Configurations, known: Configurations | None, full: Predictor | None, used: frozenset[str], what: str
) -> tuple[Note, ...]:
    """Return a note on pairs of values that configurations have and no measured one has, none if there are none.

    Pairs are not examined where more than `MAX_OPTIONS` options make a difference.
    """
    system = found.system
    options = [item.name for item in system.binary_options if item.name in used and item.name not in system.mandatory]
    positions = [system.positions[name] for name in options]
    tables = (known, full.configurations if isinstance(full, FullPredictor) else None)
    # Those that have the options.
    own = [table for table in tables if table is not None and table.system.names == system.names]
    rows = sum(map(len, own))
    if not rows or not positions or len(positions) > MAX_OPTIONS:
        return ()
    literals = _literals(np.concatenate([table.indices[:, positions] for table in own]))
    together, single = literals.T @ literals, literals.sum(axis=0)
    expected = np.outer(single, single) / rows
    only_one = len(found) == 1
    selected = np.arange(len(single)) < len(options)
    together[(expected < EXPECTED) & ~(np.outer(selected, selected) & only_one)] = 1
    # Other notes are about values that were never measured.
    together[expected == 0] = 1
    pairs = np.zeros(together.shape, dtype=bool)
    having = np.zeros(len(found), dtype=bool)
    for start in range(0, len(found), _BLOCK):
        block = _literals(found.indices[start : start + _BLOCK, positions])
        new = (block.T @ block > 0) & (together == 0)
        pairs |= new
        having[start : start + _BLOCK] = ((block @ new) * block).any(axis=1)
    first, second = np.nonzero(np.triu(pairs, 1))
    if not len(first):
        return ()
    order = np.argsort(-expected[first, second], kind="stable")
    texts = [_pair(options, int(first[at]), int(second[at])) for at in order[:SHOWN].tolist()]
    more = f" and {len(first) - SHOWN:,} more" if len(first) > SHOWN else ""
    some = f"the {what}" if only_one else f"{int(having.sum()):,} of {plural(len(found), what, f'{what}s')}"
    text = f"{some} {'has' if only_one or having.sum() == 1 else 'have'} {', '.join(texts)}{more}"
    text += f": together in no {'configuration learned from' if known is None else 'measured configuration'}"
    cure = "if they cannot be combined, state a constraint in the description (splc init writes one)"
    return (Note(text, details=(cure,), about=Rank.LIMIT),)


def _literals(selected: Array) -> Array:
    """Return which options are selected, and which are not, as numbers, shape (n, 2 options)."""
    return np.concatenate([selected == 1, selected != 1], axis=1).astype(np.float32)


def _pair(names: list[str], first: int, second: int) -> str:
    """Return a pair of literals in words; those of options that are not selected come last."""
    name, other = names[first % len(names)], names[second % len(names)]
    if second < len(names):
        return f"{name} with {other}"
    return f"{name} without {other}" if first < len(names) else f"neither {name} nor {other}"


def unused_note(free: Sequence[str], models: int = 1) -> Note:
    """Return the note about options without influence on the predictions of a model, or of several models."""
    return Note(
        f"not used by the model{'s' * (models > 1)}: {listed(free)}",
        details=("any values of these options that are valid with the others give the same prediction",),
    )
