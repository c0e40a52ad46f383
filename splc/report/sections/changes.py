"""The changes between two models of one system, option by option."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from comparison.changes import SETTLED
from splc.errors import listed
from splc.io.numbers import percentage
from splc.plotting.charts.effects import TwoEffects, change_chart
from splc.report.page import Block, Paragraph, Section, TextTable
from splc.report.subject import ModelSubject
from splc.types import Array
from splc.workflows.explain.overview import OptionImportance
from splc.workflows.explain.pictures import interval_ends

# Smaller relative differences of equal models are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class ValueChange:
    """The effect of a value of an option, against its first value, in two models; in percent of the first value."""

    option: str  # the option
    value: str  # the value
    first: str  # the value that it is compared with
    # the effect in the first model, and the ends of its interval, NaN where they are not known
    old: tuple[float, float, float]
    new: tuple[float, float, float]  # the same in the second model

    @property
    def size(self) -> float:
        """The difference of the two effects, in percentage points."""
        return self.new[0] - self.old[0]

    @property
    def settled(self) -> bool:
        """True if the difference is clearly larger than its uncertainty, since many effects are compared."""
        widths = [(effect[2] - effect[1]) / 2 for effect in (self.old, self.new)]
        return abs(self.size) > SETTLED * math.hypot(*widths)


def value_changes(old: ModelSubject, new: ModelSubject) -> list[ValueChange]:
    """Return the changes of the effects of all values, the settled and larger ones first."""
    options = {option.name: option for option in old.overview.options}
    changes = []
    for option in new.overview.options:
        if option.name not in options:
            continue
        before = dict(_effects(old, options[option.name]))
        first = option.values[0].label
        changes += [
            ValueChange(option.name, value, first, before[value], effect)
            for value, effect in _effects(new, option)
            if value in before and value != first
        ]
    return sorted(changes, key=lambda change: (not change.settled, -abs(change.size)))


def _effects(subject: ModelSubject, option: OptionImportance) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield the effect of each value against the first one, in percent of the mean at the first one."""
    product = subject.stored.model.link == "log"
    base = option.values[0].mean
    for value in option.values:
        if value.change is None or not base:
            continue
        ends = (value.change, *(math.nan if end is None else end for end in (value.low, value.high)))
        scaled = [100 * (end - 1) if product else 100 * end / abs(base) for end in ends]
        yield value.label, (scaled[0], scaled[1], scaled[2])


def changes_section(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Section:
    """Return what changed between two models."""
    changes = value_changes(old, new)
    settled = [change for change in changes if change.settled]
    blocks: list[Block] = []
    rows = tuple(
        (f"{row.option}: {row.value} against {row.first}", _effect(row.old), _effect(row.new), _points(row.size))
        for row in settled
    )
    if rows:
        header = ("value", names[0], names[1], "change")
        caption = "Effects that changed by more than twice their uncertainty"
        blocks.append(TextTable(header, rows, frozenset({1, 2, 3}), caption=caption, name="changes"))
    unsettled = [change for change in changes if not change.settled]
    if unsettled:
        largest = max(abs(change.size) for change in unsettled)
        count = f"{len(unsettled)} further effects" if rows else "all effects"
        text = f"The rest: {count} did not change beyond their uncertainty (differences of at most {_points(largest)})."
        blocks.append(Paragraph(text))
    for first, second, name in ((old, new, names[0]), (new, old, names[1])):
        only = sorted(set(first.space.system.names) - set(second.space.system.names))
        if only:
            blocks.append(Paragraph(f"Options of {name} only: {listed(only, 10)}."))
    charts = _two_effects(old, new, [change.option for change in changes])
    if charts:
        blocks.append(change_chart(charts, names, new.nfp))
    return Section("changes", "What changed", tuple(blocks))


def _two_effects(old: ModelSubject, new: ModelSubject, order: list[str]) -> list[TwoEffects]:
    before = {option.name: option for option in old.overview.options}
    after = {option.name: option for option in new.overview.options}
    effects = []
    for name in dict.fromkeys(order):
        columns = []
        first, second = before[name], after[name]
        labels = [value.label for value in second.values if value.label in {level.label for level in first.values}]
        for subject, option in ((old, first), (new, second)):
            indices = [at for at, value in enumerate(option.values) if value.label in labels]
            columns.append(_with_ends(subject, option)[:, indices])
        effects.append(TwoEffects(name, tuple(labels), columns[0], columns[1]))
    return effects


def _with_ends(subject: ModelSubject, option: OptionImportance) -> Array:
    """Return the mean at each value with the ends of its interval, shape (3, k)."""
    means = np.array([value.mean for value in option.values])
    product = subject.stored.model.link == "log"
    ends = [interval_ends(option.values, means, end, product=product) for end in ("low", "high")]
    return np.array([means, *ends])


def _effect(effect: tuple[float, float, float]) -> str:
    value, low, high = (percentage(number, 3).replace("-", "−") for number in effect)
    return f"{value} ({low} to {high})"


def is_rounding(difference: float) -> bool:
    """Return whether a relative difference, or one in percentage points, is no more than rounding."""
    return abs(difference) < ROUNDING


def _points(size: float) -> str:
    if is_rounding(size):
        return "0 points"
    return f"{size:+.3g} points".replace("-", "−")
