"""The changes between two models of one system, option by option."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from comparison.changes import SETTLED
from splc.errors import listed
from splc.io.numbers import percentage
from splc.plotting.charts.change import TwoEffects, change_chart
from splc.report.page import Block, Paragraph, Section, TextTable
from splc.report.subject import ModelSubject
from splc.types import Array
from splc.workflows.explain.overview import OptionImportance
from splc.workflows.explain.plot import interval_ends


@dataclass(frozen=True)
class ValueChange:
    """The effect of a value of an option, against its first value, in two models; in percent of the first value.

    Attributes:
        option: the option.
        value: the value.
        first: the value that it is compared with.
        old: the effect in the first model, and the ends of its interval, NaN where they are not known.
        new: the same in the second model.
    """

    option: str
    value: str
    first: str
    old: tuple[float, float, float]
    new: tuple[float, float, float]

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
    known = {each.name: each for each in old.overview.options}
    found = []
    for option in new.overview.options:
        if option.name not in known:
            continue
        before = dict(_effects(old, known[option.name]))
        first = option.values[0].label
        found += [
            ValueChange(option.name, value, first, before[value], effect)
            for value, effect in _effects(new, option)
            if value in before and value != first
        ]
    return sorted(found, key=lambda each: (not each.settled, -abs(each.size)))


def _effects(subject: ModelSubject, option: OptionImportance) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield the effect of each value against the first one, in percent of the mean at the first one."""
    product = subject.stored.model.link == "log"
    base = option.values[0].mean
    for value in option.values:
        if value.change is None or not base:
            continue
        ends = (value.change, *(math.nan if end is None else end for end in (value.low, value.high)))
        own = [100 * (end - 1) if product else 100 * end / abs(base) for end in ends]
        yield value.label, (own[0], own[1], own[2])


def changes_section(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Section:
    """Return what changed between two models."""
    changes = value_changes(old, new)
    settled = [each for each in changes if each.settled]
    blocks: list[Block] = []
    rows = tuple(
        (f"{each.option}: {each.value} against {each.first}", _effect(each.old), _effect(each.new), _points(each.size))
        for each in settled
    )
    if rows:
        header = ("value", names[0], names[1], "change")
        caption = "Effects that changed by more than twice their uncertainty"
        blocks.append(TextTable(header, rows, frozenset({1, 2, 3}), caption=caption, name="changes"))
    same = [each for each in changes if not each.settled]
    if same:
        largest = max(abs(each.size) for each in same)
        count = f"{len(same)} further effects" if rows else "all effects"
        text = f"The rest: {count} did not change beyond their uncertainty (differences of at most {_points(largest)})."
        blocks.append(Paragraph(text))
    for one, other, name in ((old, new, names[0]), (new, old, names[1])):
        only = sorted(set(one.space.system.names) - set(other.space.system.names))
        if only:
            blocks.append(Paragraph(f"Options of {name} only: {listed(only, 10)}."))
    charts = _two_effects(old, new, [each.option for each in changes])
    if charts:
        blocks.append(change_chart(charts, names, new.nfp))
    return Section("changes", "What changed", tuple(blocks))


def _two_effects(old: ModelSubject, new: ModelSubject, order: list[str]) -> list[TwoEffects]:
    before = {each.name: each for each in old.overview.options}
    after = {each.name: each for each in new.overview.options}
    found = []
    for name in dict.fromkeys(order):
        columns = []
        one, other = before[name], after[name]
        labels = [value.label for value in other.values if value.label in {each.label for each in one.values}]
        for subject, option in ((old, one), (new, other)):
            places = [at for at, value in enumerate(option.values) if value.label in labels]
            columns.append(_with_ends(subject, option)[:, places])
        found.append(TwoEffects(name, tuple(labels), columns[0], columns[1]))
    return found


def _with_ends(subject: ModelSubject, option: OptionImportance) -> Array:
    """Return the mean at each value with the ends of its interval, shape (3, k)."""
    means = np.array([value.mean for value in option.values])
    product = subject.stored.model.link == "log"
    ends = [interval_ends(option.values, means, end, product=product) for end in ("low", "high")]
    return np.array([means, *ends])


def _effect(effect: tuple[float, float, float]) -> str:
    value, low, high = (percentage(each, 3).replace("-", "−") for each in effect)
    return f"{value} ({low} to {high})"


def _points(size: float) -> str:
    return f"{size:+.3g} points".replace("-", "−")
