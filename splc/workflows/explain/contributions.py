"""The contributions of terms to one prediction, relative to the mean or to another one, their view, and the charts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import quantity, titled
from splc.data.table import value_texts
from splc.errors import ConfigurationError, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.presentation import Bars, Drawn
from splc.learning.effects import group_texts
from splc.learning.projection import Full, predictions, valid_configurations
from splc.learning.result import FullPredictor
from splc.models.influence import InfluenceModel, term_texts
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.charts.effects import ValueEffects, effects_chart
from splc.plotting.charts.influences import Share, importance_chart, waterfall_chart
from splc.types import Array
from splc.workflows.explain import importance
from splc.workflows.explain.full import mean_of_full
from splc.workflows.note import Notes
from splc.workflows.prediction_notes import Interval, intervals_of
from splc.workflows.views import Column, Facts, Rows, View

# The part of a prediction by the full model that its printed model has no terms for.
REST = "not in the printed model"
# Differences of values that agree to this fraction are rounding.
ROUNDING = 1e-12
# Drawn configurations that a mean is over.
AVERAGED = 2000
# The greatest number of terms in a text; JSON has all.
MAX_TERMS = 20
# Options with a smaller share of the variance are not drawn value by value.
MIN_SHARE = 0.005


@dataclass(frozen=True)
class TermSum:
    """The contributions of one or several terms to the sum; of a product, the exponential is a factor."""

    text: str  # the term, or what the terms have in common
    value: float  # the sum of their contributions to the prediction of the configuration
    reference: float  # the sum of those to the other prediction, or of their means over the valid space
    count: int = 1  # the number of terms

    @property
    def difference(self) -> float:
        """The contribution to the difference of the two; of a product, the logarithm of the factor of the ratio."""
        equal = math.isclose(self.value, self.reference, rel_tol=ROUNDING)
        return 0.0 if equal else self.value - self.reference

    @classmethod
    def of(cls, text: str, parts: Sequence[TermSum]) -> TermSum:
        """Return the sum of contributions."""
        value, reference = (math.fsum(getattr(part, side) for part in parts) for side in ("value", "reference"))
        return TermSum(text, value, reference, sum(part.count for part in parts))


@dataclass(frozen=True)
class Contribution(TermSum):
    """The contribution of a term."""

    group: str = ""  # the term with members of alternative groups replaced by the group
    options: tuple[str, ...] = ()  # its options, an alternative group as one
    product: bool = False  # whether the model is a product

    @property
    def factor(self) -> float | None:
        """The factor of the ratio of the predictions, None in a sum."""
        return _exponential(self.difference) if self.product else None


@dataclass(frozen=True, repr=False)
class Explained(Drawn):
    """The explanation of one prediction.

    The contributions add up to the prediction, and their differences to the difference from the reference; of a
    product, the exponentials multiply.
    """

    configuration: Configurations  # the configuration, one row
    against: Configurations | None  # the other configuration, None for the mean over the valid space
    predicted: float  # the prediction
    reference: float  # the other prediction, or the mean over the valid space (of a product the geometric mean)
    contributions: tuple[Contribution, ...]  # those of all terms, the largest difference first
    interval: Interval | None = None  # the prediction interval, None if the file of the model has none
    against_interval: Interval | None = None  # that of the other configuration
    product: bool = False  # whether the model is a product

    def answer(self, unit: str | None) -> str:
        """Return the first line: the prediction, what it is compared with, and the term that matters most."""
        text = f"predicted {_with_interval(self.predicted, self.interval, unit)}"
        reference = "the other configuration" if self.against is not None else "the mean over all valid configurations"
        if self.reference * self.predicted > 0:
            text += f"; {self.predicted / self.reference:.3g} times {reference}"
        sums = [total for total, _ in sums_of([term for term in self.contributions if term.difference != 0])]
        if sums and sums[0].difference != 0:
            text += f", most by {sums[0].text} ({_change(sums[0].difference, product=self.product)})"
        return text

    def summary(self) -> str:
        """Return the prediction and the reference as text."""
        baseline = "the mean over all valid configurations"
        if self.against is not None:
            baseline = f"predicted for {describe_configuration(self.against, 0)}"
        text = describe_configuration(self.configuration, 0)
        return f"{self.predicted:.6g} predicted for {text}, {self.reference:.6g} {baseline}"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms with their contributions, the largest difference first."""
        sources = {"term": "text", "contribution": "value", "reference": "reference", "difference": "difference"}
        return {title: [getattr(term, name) for term in self.contributions] for title, name in sources.items()}

    def _bars(self) -> Bars:
        baseline = "the mean" if self.against is None else "the other configuration"
        return Bars(f"difference from {baseline}", [(term.text, term.difference) for term in self.contributions])


def contributions(model: InfluenceModel, space: Space, configuration: Any, against: Any = None) -> Explained:
    """Return the contributions of terms to one prediction, relative to the mean or to another prediction."""
    rows = [Configurations.from_frame(space.system, table) for table in (configuration, against) if table is not None]
    for row in rows:
        if len(row) != 1:
            raise ConfigurationError(f"one configuration is explained, not {len(row)}", hint="select a row: table[:1]")
    return explained_of(StoredModel(model), space, rows[0], rows[1] if len(rows) > 1 else None, Notes())


def explained_of(
    stored: StoredModel, space: Space, one: Configurations, other: Configurations | None, notes: Notes
) -> Explained:
    """Return the contributions to the prediction of a configuration, relative to another one or to the mean."""
    model, full, system = stored.model, stored.full, space.system
    values = model.contributions(one)[0].tolist()
    if other is not None:
        usual = model.contributions(other)[0].tolist()
    else:
        usual = importance.mean_contributions(model, importance.averaged_blocks(model, space, notes))
    titles, choices = importance.choices_of(system)
    labels = {system.names[position]: title for title, group in zip(titles, choices, strict=True) for position in group}
    options = [
        tuple(dict.fromkeys(labels.get(name, name) for name in system.term_order if name in model.options_of(term)))
        for term, _ in model.terms
    ]
    rows = zip(term_texts(model, system), values, usual, group_texts(model, system), options, strict=True)
    product = model.link == "log"
    parts = [Contribution(text, value, mean, 1, group, names, product) for text, value, mean, group, names in rows]
    reference = math.fsum(usual)
    if isinstance(full, FullPredictor):
        # With this contribution, the sum is the prediction of the full model.
        rest = float(predictions(full, one, model.link)[0]) - math.fsum(values)
        if other is not None:
            total = float(predictions(full, other, model.link)[0])
        elif isinstance(full, Full):
            total = mean_of_full(full, model.link, space)
        else:
            # No exact mean is known: that of drawn configurations.
            total = float(np.mean(predictions(full, valid_configurations(system, AVERAGED), model.link)))
        parts.append(Contribution(REST, rest, total - reference, 1, REST, (REST,), product))
        reference = total
    parts.sort(key=lambda part: (-abs(part.difference), -abs(part.value)))
    if other is not None:
        reference = float(stored.predictor.predict(other)[0])
    elif product:
        reference = math.exp(reference)
    interval, against = (
        None if stored.intervals is None or entry is None else intervals_of(stored.intervals, entry)[0]
        for entry in (one, other)
    )
    predicted = float(stored.predictor.predict(one)[0])
    return Explained(one, other, predicted, reference, tuple(parts), interval, against, product)


def sums_of(contributions: Sequence[Contribution]) -> list[tuple[TermSum, list[TermSum]]]:
    """Return the sum of the terms over each set of options with its terms (of a group as one), the largest first."""
    sets: dict[tuple[str, ...], dict[str, list[Contribution]]] = {}
    for part in contributions:
        sets.setdefault(part.options, {}).setdefault(part.group, []).append(part)
    rows = []
    for options, groups in sets.items():
        terms = [TermSum.of(group if len(same) > 1 else same[0].text, same) for group, same in groups.items()]
        terms.sort(key=lambda term: -abs(term.difference))
        total = TermSum.of(" * ".join(options) or "1", terms)
        rows.append((terms[0] if len(terms) == 1 else total, terms if len(terms) > 1 else []))
    return sorted(rows, key=lambda pair: -abs(pair[0].difference))


def view_of_prediction(explained: Explained, unit: str | None) -> View:
    """Yield the predictions, the options in which two configurations differ, and the contributions of the terms."""
    product, other = explained.product, explained.against
    mean = f"{'geometric ' * product}mean over all valid configurations"
    reference = mean if other is None else "prediction of the other configuration"
    first = _with_interval(explained.predicted, explained.interval, unit)
    second = _with_interval(explained.reference, explained.against_interval, unit)
    yield Facts([("prediction", first), (reference, second)])
    yield ""
    if other is not None:
        texts = [value_texts(row.system, row.assignment(0)) for row in (explained.configuration, other)]
        options = [name for name in texts[0] if texts[0][name] != texts[1][name]]
        columns = zip(("value", "other"), texts, strict=True)
        shown = [Column(title, text.__getitem__, right=True) for title, text in columns]
        yield Rows(options, (Column("option", str), *shown)) if options else "the two configurations are the same"
        yield ""
    sums = sums_of([term for term in explained.contributions if term.difference != 0])
    moving = [pair for pair in sums if pair[0].difference != 0]
    lines: list[tuple[str, TermSum]] = []
    for total, terms in moving[:MAX_TERMS]:
        lines += [(total.text, total), *((f"  {term.text}", term) for term in terms)]
    if hidden := [total for total, _ in moving[MAX_TERMS:]]:
        lines.append((f"{len(hidden)} more", TermSum.of("", hidden)))
    still: list[TermSum] = [term for term in explained.contributions if term.difference == 0]
    # Differences of several terms may cancel.
    still += [total for total, _ in sums if total.difference == 0]
    if still:
        equal = TermSum.of("", still)
        lines.append((plural(equal.count, "term without difference", "terms without difference"), equal))
    lines.append(("product" if product else "sum", TermSum.of("", explained.contributions)))
    number = (lambda value: f"{_exponential(value):.6g}") if product else "{:.6g}".format
    title, change = ("factor", "ratio") if product else (titled("contribution", unit), "difference")
    values = (Column(title, "1.value", number), Column("mean" if other is None else "other", "1.reference", number))
    difference = Column(change, "1.difference", partial(_change, product=product), signed=not product)
    yield Rows(lines, (Column("term", 0), *values, difference))


def _with_interval(value: float, interval: Interval | None, unit: str | None) -> str:
    return quantity(value, unit) + ("" if interval is None else f", {interval.text(unit)}")


def _change(difference: float, *, product: bool) -> str:
    return importance.change_text(_exponential(difference) if product else difference, product)


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))


def explained_chart(found: importance.Overview | Explained, title: str, quantity: str) -> Chart:
    """Return the chart of the importance of options and of their effects, or of the contributions to a prediction."""
    if isinstance(found, Explained):
        steps = [(term.text, term.difference) for term, _ in sums_of(found.contributions)]
        names = ("mean" if found.against is None else "other configuration", "this configuration")
        return replace(waterfall_chart(steps, found.reference, names, quantity, product=found.product), title=title)
    effects = [
        effect_of(option, None, product=found.product)
        for option in found.options
        if option.share >= MIN_SHARE and len(option.values) > 1
    ]
    charts = [importance_chart(shares_of(found), quantity)]
    charts += [effects_chart(effects, np.zeros(0), quantity)] if effects else []
    return joined(charts, title)


def shares_of(found: importance.Overview) -> list[Share]:
    """Return the shares of the options in percent, with the ends of their intervals as far as they are known."""
    return [
        Share(item.name, 100 * item.share, *(None if end is None else 100 * end for end in (item.low, item.high)))
        for item in found.options
    ]


def effect_of(
    option: importance.OptionImportance, configurations: Configurations | None, *, product: bool
) -> ValueEffects:
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


def interval_ends(values: Sequence[importance.OptionValue], means: Array, end: str, *, product: bool) -> Array:
    """Return one end of the interval of each mean: that of its change from the first value."""
    # None is NaN as a number.
    bounds, changes = (np.array([getattr(value, name) for value in values], dtype=float) for name in (end, "change"))
    return np.asarray(means * bounds / changes if product else means + bounds - changes)


def positions(option: importance.OptionImportance, configurations: Configurations) -> Array:
    """Return the position of the value of an option, or of an alternative group, in each configuration; else -1."""
    system = configurations.system
    columns = [system.positions[name] for name in option.options]
    labels = {value.label: index for index, value in enumerate(option.values)}
    rows, which = np.unique(configurations.indices[:, columns], axis=0, return_inverse=True)
    texts = (importance.label_of(system, dict(zip(columns, row, strict=True)))[0] for row in rows.tolist())
    return np.array([labels.get(text, -1) for text in texts], dtype=int)[which.ravel()]
