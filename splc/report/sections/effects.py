"""The effect of each value of the most important options."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.data.configurations import Configurations
from splc.plotting.charts.effects import ValueEffects, effects_chart
from splc.report.page import Section
from splc.report.subject import ModelSubject
from splc.types import Array
from splc.workflows.explain.overview import OptionImportance, OptionValue, label_of

# Options with a smaller share of the variance are not drawn.
MIN_SHARE = 0.002


def effects_section(subject: ModelSubject) -> Section | None:
    """Return the effects of options; None where no option matters."""
    rows = subject.rows
    measured = np.zeros(0) if rows is None else rows.measured
    options = [each for each in subject.overview.options if each.share >= MIN_SHARE and len(each.values) > 1]
    if not options:
        return None
    product = subject.stored.model.link == "log"
    effects = [_effect(each, None if rows is None else rows.configurations, product=product) for each in options]
    return Section("effects", "The effect of each option", (effects_chart(effects, measured, subject.quantity),))


def _effect(option: OptionImportance, configurations: Configurations | None, *, product: bool) -> ValueEffects:
    values = option.values
    numbers = tuple(value.number for value in values if value.number is not None)
    numeric = len(numbers) == len(values) and len(numbers) > 2
    means = np.array([value.mean for value in values])
    low, high = (interval_ends(values, means, end, product=product) for end in ("low", "high"))
    at = np.zeros(0, dtype=int) if configurations is None else positions(option, configurations)
    return ValueEffects(
        option.name, tuple(value.label for value in values), numbers if numeric else None, means, low, high, at
    )


def interval_ends(values: Sequence[OptionValue], means: Array, end: str, *, product: bool) -> Array:
    """Return one end of the interval of each mean: that of its change from the first value."""
    found = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        bound = getattr(value, end)
        if bound is not None and value.change is not None:
            found[place] = means[place] * bound / value.change if product else means[place] + bound - value.change
    return found


def positions(option: OptionImportance, configurations: Configurations) -> Array:
    """Return the position of the value of an option, or of an alternative group, in each configuration; else -1."""
    system = configurations.system
    columns = [system.positions[name] for name in option.options]
    labels = {value.label: place for place, value in enumerate(option.values)}
    known: dict[tuple[int, ...], int] = {}
    found = np.full(len(configurations), -1)
    for row, values in enumerate(configurations.indices[:, columns].tolist()):
        key = tuple(values)
        if key not in known:
            label, _ = label_of(system, dict(zip(columns, key, strict=True)))
            known[key] = labels.get(label, -1)
        found[row] = known[key]
    return found
