"""The error to expect of predictions at new configurations, their intervals, and notes about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial

# Not numpy's, which imports the masked arrays.
from statistics import median
from typing import Any, Literal, Self

import numpy as np

from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.property_unit import quantity, span
from splc.errors import ConfigurationError, SplcError, listed, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.numbers import percentage, without_rounding
from splc.learning.effects import group_titles
from splc.learning.folds import Groups
from splc.learning.plausibility import negative_predictions
from splc.learning.projection import Ensemble
from splc.learning.result import LEVEL, FullPredictor, Intervals, LearningResult, Predictor
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.note import Note, Rank

ENOUGH = 10  # fewer configurations that were not learned from do not judge a model
# A model is rough if its error is at least so many percent, or if 9 of 10 values are within no smaller factor.
ROUGH_ERROR, ROUGH_FACTOR = 50.0, 3.0
POOR = 0.8  # a model is poor if its error is at least this part of the error of one value for all configurations
# The error of single runs is stated, too, if there are so many for each configuration, and it is at least this multiple
# of that of their means: with fewer, the values of configurations are those of single runs.
REPEATED, SCATTERED = 1.5, 1.2
EXACT = 0.001  # smaller errors in percent, such as rounding errors, are not distinguished
MOST_NAMED = 3  # the most options that vary within settings that are named
DIGITS = 2  # the digits of errors in texts
# The names of errors: of a model, and if there are no new configurations to be wrong about.
TYPICAL, HELD_OUT = "typical error on", "cross-validated error"
NEW, LEARNED = f"{TYPICAL} new configurations", f"{TYPICAL} these"
EVERY = "every configuration is measured: "

_percent = partial(percentage, digits=DIGITS)
Verdict = Literal["good", "rough", "poor", "unknown"]


@dataclass(frozen=True)
class ExpectedError:
    """The error to expect of what predicts, at configurations that were not learned from."""

    source: Literal["measured", "cross-validated", "unknown"]  # what it was computed on: others, or held-out folds
    configurations: int = 0  # the number of configurations that it was computed on
    # Percent and factor are of values that are all positive, difference and margin of others.
    percent: float | None = None  # the mean relative error in percent, None if it is unknown
    difference: float | None = None  # the mean absolute difference
    factor: float | None = None  # 9 of 10 runs are within this factor of the prediction
    margin: float | None = None  # 9 of 10 runs are within this difference of the prediction
    one_value: float | None = None  # `percent` or `difference` of one value for all configurations, their median
    reason: str = ""  # why it is unknown, empty if it is known
    printed: float | None = None  # `percent` of the printed model, where another one predicts
    run: float | None = None  # the same error of single runs; None without repetitions
    about: str = "new configurations"  # what it is about, in words; new settings where settings repeat
    known: str = ""  # what else rows can be of, in words: known settings; empty where groups are single
    known_percent: float | None = None  # the error at these
    known_by: tuple[str, ...] = ()  # the options whose values a known setting has

    @property
    def verdict(self) -> Verdict:
        """The quality of predictions with this error, in a word."""
        error = self.difference if self.percent is None else self.percent
        if error is None:
            return "unknown"
        # Exact predictions of equal values are not poor.
        if self.one_value is not None and error >= POOR * self.one_value > 0:
            return "poor"
        rough = (self.percent or 0.0) >= ROUGH_ERROR or (self.factor or 1.0) >= ROUGH_FACTOR
        return "rough" if rough else "good"

    def values(self) -> dict[str, Any]:
        """Return the error and its verdict by name, as in `splc learn --json`."""
        values = {name: value for name, value in vars(self).items() if name != "one_value"}
        return {**values, "known_by": list(self.known_by), "verdict": self.verdict}

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the error of `values`, as far as they are of its types; it does not know that of one value for all."""
        kinds: dict[str, Any] = {field.name: int | float for field in fields(cls) if field.name != "known_by"}
        kinds |= dict.fromkeys(("source", "reason", "about", "known"), str)
        known = {name: value for name, value in values.items() if name in kinds and isinstance(value, kinds[name])}
        known.setdefault("source", "unknown")
        if isinstance(names := values.get("known_by"), list):
            known["known_by"] = tuple(map(str, names))
        return cls(**known)

    def text(self, values: Array, unit: str | None, *, every: bool = False) -> str:
        """Return the error as text."""
        within = ""
        size = float(np.abs(values).max(initial=0.0))
        if self.factor is not None:
            within = f"9 in 10 within a factor of {factor_text(self.factor)}"
        elif self.margin is not None:
            within = f"9 in 10 within {quantity(without_rounding(self.margin, size), unit, DIGITS)}"
        if self.percent is not None:
            error = _percent(self.percent) + self._of_run(self.percent)
            within = "; ".join(filter(None, (_by_models(self.printed), within)))
        elif self.difference is not None:
            ends = span(float(values.min()), float(values.max()), unit, DIGITS) if len(values) else ""
            difference = quantity(without_rounding(self.difference, size), unit, DIGITS)
            error = difference + (f" for values from {ends}" if ends else "")
            error += self._of_run(self.difference, lambda run: quantity(run, unit, DIGITS))
        else:
            # From few measurements a learner cannot tell how close its predictions are, only that they are far off.
            far = self.factor is not None and self.factor >= ROUGH_FACTOR
            error = "unknown"
            within = f"{self.reason}; {within}" if far else self.reason
        of_every = every and self.source != "measured" and not self.known
        name = f"{EVERY}{HELD_OUT}" if of_every else f"{TYPICAL} {self.about}"
        known = "" if self.known_percent is None else f", on {self.known} {_percent(self.known_percent)}"
        return f"{name} {error}" + (f" ({within})" if within else "") + known

    def text_of(self, error: float | None, printed: float | None = None) -> str:
        """Return an error in percent, and that of the printed model if there are two, as text."""
        text = f"below {EXACT} %" if error is not None and error < EXACT else _percent(error) or "unknown"
        models = "" if error is None else _by_models(printed)
        return text + self._of_run(error) + (f" ({models})" if models else "")

    def of_learned(self, error: float | None, printed: float | None = None) -> str:
        """Return the errors in percent on what was learned from as text, where that is every configuration."""
        if error is not None and error < EXACT:
            return "the model is exact" + self._of_run(error)
        return f"{LEARNED} {self.text_of(error, printed)}"

    def _of_run(self, error: float | None, form: Callable[[float], str] = _percent) -> str:
        """Return the error of a single run as a part of a text, where it is far above that of means."""
        if error is None or self.run is None or not self.run >= max(SCATTERED * error, EXACT):
            return ""
        return f", {form(self.run)} for a single run"


def _by_models(printed: float | None) -> str:
    """Return of which model a stated error is, and the error of the printed one in percent, if there are two."""
    return "" if printed is None else f"full model; printed {_percent(printed)}"


def factor_text(factor: float) -> str:
    """Return a factor of at least 1 as text; of a factor close to 1, with the first digit of what is above 1."""
    return f"{factor:.3g}" if factor >= 1.01 else f"{1 + float(f'{factor - 1:.1g}'):g}"


def expected_error(result: LearningResult, targets: Array, measured: int) -> ExpectedError:
    """Return the error to expect of a learned model."""
    rows, judgement, stated = result.rows, result.judgements[0], result.expected
    assert rows is not None
    in_blocks = result.blocks is not None
    values, predicted = rows.tested(judgement, unlearned=True, runs=in_blocks)
    has_full = result.printed is not None and result.termination != "constant"
    about: dict[str, Any] = {}
    kept = None
    if result.blocks is not None:
        percent, column = None if stated is None else stated.known, result.blocks.column
        if len(values) >= ENOUGH and rows.evaluation is None:
            percent = mean_relative_error(*reversed(rows.tested(judgement, unlearned=True)))
        about = {"about": f"a run in a new {column}", "known": f"a known {column}", "known_percent": percent}
    elif result.groups is not None:
        known, system = rows.known(result.groups), rows.measured.system
        percent = None if stated is None else stated.known
        if known.sum() >= ENOUGH:
            percent = mean_relative_error(predicted[known], values[known])
        values, predicted, kept = values[~known], predicted[~known], ~known
        known_by = tuple(name for name in result.groups.same if name not in system.mandatory)
        about = {**_in_words(result.groups, system), "known_percent": percent, "known_by": known_by}
    judged = len(values) >= ENOUGH
    positive = bool(np.min(targets, initial=np.inf) > 0 and not (judged and values.min() <= 0))
    error, count = mean_relative_error if positive else _mean_difference, len(values) if judged else len(targets)
    which = {"unlearned": True, "kept": kept} if judged else {"learned": True}
    runs, for_runs = rows.tested(judgement, runs=True, **which)
    run = None if stated is None or judged else stated.run
    if len(runs) >= REPEATED * count and not in_blocks:
        about["run"] = error(for_runs, runs) if run is None else run
    about["one_value"] = error(np.full(count, median(targets.tolist())), values if judged else targets)
    if judged:
        about["percent" if positive else "difference"] = error(predicted, values)
        if positive and has_full:
            of_printed = rows.tested(result.judgements[1], unlearned=True, kept=kept, runs=in_blocks)[1]
            about["printed"] = mean_relative_error(of_printed, values)
        misses = _factors(for_runs, runs) if positive else np.abs(for_runs - runs)
        about["factor" if positive else "margin"] = _largest_of_most(misses)
        return ExpectedError("measured", count, **about)
    if stated is not None:
        # A learner that knows its error states it, whatever folds are asked for besides.
        about |= {"percent": stated.percent, "difference": None if positive else stated.difference}
        about["factor" if positive else "margin"] = stated.within
    elif positive and result.cross_validated is not None:
        about["percent"] = result.cross_validated.mean
    if about.get("percent") is None and about.get("difference") is None:
        reason = f"only {len(values)} others measured"
        if count == measured:
            reason = "all that was measured was learned from; --folds 8 estimates it"
        return ExpectedError("unknown", reason=(stated and stated.unknown) or reason, **about)
    printed = None if stated is None else stated.printed
    if printed is None and result.printed_errors is not None and result.printed_errors.cross_validated is not None:
        printed = result.printed_errors.cross_validated.mean
    about["printed"] = printed if has_full else None
    return ExpectedError("cross-validated", count, **about)


def _in_words(groups: Groups, system: VariabilityModel) -> dict[str, Any]:
    """Return what errors are about where rows are of groups."""
    if groups.column:
        return {"about": f"a new {groups.column}", "known": f"a known {groups.column}"}
    titles = group_titles(system)
    constant = {*system.mandatory, *groups.same, *(system.option(name).parent for name in titles)}
    varied = dict.fromkeys(titles.get(name, name) for name in system.names if name not in constant)
    others = f"another {' or '.join(varied)}" if len(varied) <= MOST_NAMED else f"others of {len(varied)} options"
    return {"about": "new settings", "known": f"known settings with {others}"}


def _factors(predicted: Array, values: Array) -> Array:
    """Return by which factor values differ from predictions; infinite where the prediction is not positive."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        factors = np.exp(np.abs(np.log(predicted / values)))
    return np.where(predicted > 0, factors, np.where(np.isnan(predicted), np.nan, np.inf))


def _mean_difference(predicted: Array, values: Array) -> float | None:
    differences = np.abs(predicted - values)
    finite = differences[~np.isnan(differences)]
    return float(finite.mean()) if len(finite) else None


def _largest_of_most(differences: Array) -> float | None:
    """Return what 9 of 10 differences are not above, None if that is not finite."""
    finite = np.sort(differences[~np.isnan(differences)])
    bound = float(finite[int(np.ceil(LEVEL * len(finite))) - 1]) if len(finite) else np.inf
    return bound if np.isfinite(bound) else None


@dataclass(frozen=True)
class Interval:
    """The prediction interval of a configuration."""

    level: float  # the probability that a measured value lies inside
    low: float  # the lower end
    high: float  # the upper end

    def text(self, unit: str | None, like: Iterable[float] = ()) -> str:
        """Return the interval as text, with its level and a unit that is readable, or is so for the values `like`."""
        return f"{self.level * 100:g} % interval {span(self.low, self.high, unit, like=like)}"

    def excludes(self, value: float) -> bool:
        """Return whether a value is outside."""
        return not self.low <= value <= self.high


def intervals_of(intervals: Intervals, configurations: Configurations) -> list[Interval | None]:
    """Return the prediction interval of each configuration, None where it is unknown: one row has no scatter."""
    pairs = zip(*(ends.tolist() for ends in intervals.interval(configurations)), strict=True)
    return [None if math.isnan(low) else Interval(intervals.level, low, high) for low, high in pairs]


def outside_notes(outside: Sequence[bool] | Array) -> tuple[Note, ...]:
    """Return a note with the number of predictions outside of their intervals, none if there are none."""
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
    """Return a warning about negative predictions, unless a measured value, or one of `given`, is negative, too."""
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


# The name of a model → the configurations that it was learned from, None if its file does not have them.
Learned = Mapping[str, Configurations | None]


def learned_from_notes(judged: Configurations, measured: Array, learned: Learned) -> tuple[Note, ...]:
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


SHOWN = 3  # pairs that are shown
MAX_OPTIONS = 2000  # with more options pairs take far longer than the predictions, and 9 GB with 14,000 options
# Independence must predict so many measured configurations with a pair, unless a single configuration selects both.
EXPECTED = 1.0
_BLOCK = 1 << 12


def unmeasured_notes(
    found: Configurations, known: Configurations | None, full: Predictor | None, used: frozenset[str], what: str
) -> tuple[Note, ...]:
    """Return a note on pairs of values that configurations have and no measured one has, none if there are none."""
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
    details = ("any values of these options that are valid with the others give the same prediction",)
    return Note(f"not used by the model{'s' * (models > 1)}: {listed(free)}", details=details)
