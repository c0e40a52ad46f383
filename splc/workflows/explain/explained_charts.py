"""The charts of an explained model or prediction: the importance of options, their effects, contributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.charts.effects import ValueEffects, effects_chart
from splc.plotting.charts.influences import Share, importance_chart, waterfall_chart
from splc.types import Array
from splc.workflows.explain.contributions import Explained, sums_of
from splc.workflows.explain.overview import OptionImportance, OptionValue, Overview, label_of

# Options with a smaller share of the variance are not drawn value by value.
MIN_SHARE = 0.005


def explained_chart(found: Overview | Explained, title: str, quantity: str) -> Chart:
    """Return the chart of the importance of options and of their effects, or of the contributions to a prediction."""
    if isinstance(found, Explained):
        steps = [(term.text, term.difference) for term, _ in sums_of(found.contributions)]
        names = ("mean" if found.against is None else "other configuration", "this configuration")
        chart = waterfall_chart(steps, found.reference, names, quantity, product=found.product)
        return replace(chart, title=title)
    effects = [
        effect_of(option, None, product=found.product)
        for option in found.options
        if option.share >= MIN_SHARE and len(option.values) > 1
    ]
    charts = [importance_chart(shares_of(found), quantity)]
    charts += [effects_chart(effects, np.zeros(0), quantity)] if effects else []
    return joined(charts, title)


def shares_of(found: Overview) -> list[Share]:
    """Return the shares of the options in percent, with the ends of their intervals as far as they are known."""
    return [
        Share(item.name, 100 * item.share, *(None if end is None else 100 * end for end in (item.low, item.high)))
        for item in found.options
    ]


def effect_of(option: OptionImportance, configurations: Configurations | None, *, product: bool) -> ValueEffects:
    """Return the effect of an option, with the indices of its values in configurations, if there are any."""
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
    ends = np.full(len(values), np.nan)
    for index, value in enumerate(values):
        bound = getattr(value, end)
        if bound is not None and value.change is not None:
            ends[index] = means[index] * bound / value.change if product else means[index] + bound - value.change
    return ends


def positions(option: OptionImportance, configurations: Configurations) -> Array:
    """Return the position of the value of an option, or of an alternative group, in each configuration; else -1."""
    system = configurations.system
    columns = [system.positions[name] for name in option.options]
    labels = {value.label: index for index, value in enumerate(option.values)}
    cache: dict[tuple[int, ...], int] = {}
    indices = np.full(len(configurations), -1)
    for row, values in enumerate(configurations.indices[:, columns].tolist()):
        key = tuple(values)
        if key not in cache:
            label, _ = label_of(system, dict(zip(columns, key, strict=True)))
            cache[key] = labels.get(label, -1)
        indices[row] = cache[key]
    return indices
