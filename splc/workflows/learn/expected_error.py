"""The error to expect of predictions at configurations that were not learned from, and how good that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial

# Not numpy's, which imports the masked arrays.
from statistics import median
from typing import Any, Literal, Self

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.property_unit import quantity, span
from splc.io.numbers import percentage, without_rounding
from splc.learning.folds import Groups
from splc.learning.group_titles import group_titles
from splc.learning.result import LEVEL, LearningResult
from splc.system.variability import VariabilityModel
from splc.types import Array

# Fewer configurations that were not learned from do not judge a model.
ENOUGH = 10
# A model is rough if its error is at least so many percent, or if 9 of 10 values are within no smaller factor.
ROUGH_ERROR, ROUGH_FACTOR = 50.0, 3.0
# A model is poor if its error is at least this part of the error of one value for all configurations.
POOR = 0.8
# The error of single runs is stated, too, if there are so many for each configuration, and it is at least this multiple
# of that of their means: with fewer, the values of configurations are those of single runs.
REPEATED, SCATTERED = 1.5, 1.5
# Smaller errors in percent, such as rounding errors, are not distinguished.
EXACT = 0.001
# The most options that vary within settings that are named.
MOST_NAMED = 3
# The digits of errors in texts.
DIGITS = 2
# The names of errors: of a model, and if there are no new configurations to be wrong about.
TYPICAL, HELD_OUT = "typical error on", "cross-validated error"
NEW, LEARNED = f"{TYPICAL} new configurations", f"{TYPICAL} these"
EVERY = "every configuration is measured: "

_percent = partial(percentage, digits=DIGITS)
Verdict = Literal["good", "rough", "poor", "unknown"]


@dataclass(frozen=True)
class ExpectedError:
    """The error to expect of what predicts, at configurations that were not learned from."""

    # whether it was measured at configurations that were not learned from, or is that of held-out folds
    source: Literal["measured", "cross-validated", "unknown"]
    configurations: int = 0  # the number of configurations that it was computed on
    # the mean relative error in percent; None if not all values are positive, or if it is unknown
    percent: float | None = None
    difference: float | None = None  # the mean absolute difference, where not all values are positive
    # 9 of 10 runs are within this factor of the prediction; None where not all values are positive
    factor: float | None = None
    # 9 of 10 runs are within this difference of the prediction, where not all values are positive
    margin: float | None = None
    # the error of one value for all configurations: `percent` or `difference` of their median
    one_value: float | None = None
    reason: str = ""  # why it is unknown, empty if it is known
    printed: float | None = None  # `percent` of the printed model, where another one predicts
    # the same error of single runs, also where that of means is unknown; None without repetitions
    run: float | None = None
    # what it is about, in words: new configurations, or new settings where settings repeat
    about: str = "new configurations"
    # what else rows can be of, in words: known settings with another version; empty where groups are single
    known: str = ""
    known_percent: float | None = None  # the error at these
    # the options whose values a known setting has; empty where groups are single, or no option has them
    known_by: tuple[str, ...] = ()

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
    values, predicted = rows.tested(judgement, unlearned=True)
    has_full = result.printed is not None and result.termination != "constant"
    about: dict[str, Any] = {}
    kept = None
    if result.groups is not None:
        known, system = rows.known(result.groups), rows.measured.system
        percent = None if stated is None else stated.known
        if known.sum() >= ENOUGH:
            percent = mean_relative_error(predicted[known], values[known])
        values, predicted, kept = values[~known], predicted[~known], ~known
        known_by = tuple(name for name in result.groups.same if name not in system.mandatory)
        about = {**_in_words(result.groups, system), "known_percent": percent, "known_by": known_by}
    positive, middle = bool(np.min(targets, initial=np.inf) > 0), median(targets.tolist())
    if len(values) >= ENOUGH:
        positive = positive and bool(values.min() > 0)
        error = mean_relative_error if positive else _mean_difference
        runs, for_runs = rows.tested(judgement, unlearned=True, runs=True, kept=kept)
        about["one_value"] = error(np.full(len(values), middle), values)
        about["run"] = error(for_runs, runs) if len(runs) >= REPEATED * len(values) else None
        if not positive:
            margin = _largest_of_most(np.abs(for_runs - runs))
            return ExpectedError("measured", len(values), difference=error(predicted, values), margin=margin, **about)
        if has_full:
            of_printed = rows.tested(result.judgements[1], unlearned=True, kept=kept)[1]
            about["printed"] = mean_relative_error(of_printed, values)
        factor = _largest_of_most(_factors(for_runs, runs))
        return ExpectedError("measured", len(values), percent=error(predicted, values), factor=factor, **about)
    error = mean_relative_error if positive else _mean_difference
    runs, for_runs = rows.tested(judgement, runs=True, learned=True)
    if len(runs) >= REPEATED * len(targets):
        run = None if stated is None else stated.run
        about["run"] = error(for_runs, runs) if run is None else run
    crossed = None if result.cross_validated is None or not positive else result.cross_validated.mean
    difference = None
    if stated is not None:
        # A learner that knows its error states it, whatever folds are asked for besides.
        crossed, difference = stated.percent, None if positive else stated.difference
        about["factor" if positive else "margin"] = stated.within
    if crossed is None and difference is None:
        reason = f"only {len(values)} others measured"
        if len(targets) == measured:
            reason = "all that was measured was learned from; --folds 8 estimates it"
        return ExpectedError("unknown", reason=(stated and stated.unknown) or reason, **about)
    printed = None if stated is None else stated.printed
    if printed is None and result.printed_errors is not None and result.printed_errors.cross_validated is not None:
        printed = result.printed_errors.cross_validated.mean
    about["one_value"] = error(np.full(len(targets), middle), targets)
    about["printed"] = printed if has_full else None
    return ExpectedError("cross-validated", len(targets), percent=crossed, difference=difference, **about)


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
