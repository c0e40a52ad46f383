"""The contributions of terms to one prediction, relative to the mean or to another prediction, and their view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sampling import Space
from sampling.space.blocks import Block, blocks_of
from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import quantity, span, titled
from splc.data.value_texts import value_texts
from splc.errors import ConfigurationError, plural
from splc.formats.models.read import StoredModel
from splc.io.json_object import JsonObject, at
from splc.io.presentation import Bars, Drawn
from splc.learning.effects import group_texts
from splc.learning.full_predictor import FullPredictor
from splc.learning.projection import Full, predictions, valid_configurations
from splc.models.influence import InfluenceModel
from splc.models.levels import term_texts
from splc.types import Link
from splc.workflows.explain.full import mean_of_full
from splc.workflows.explain.overview import change_text, choices_of, mean_contributions
from splc.workflows.prediction_notes import Interval, interval_of
from splc.workflows.views import Column, Facts, Rows, View

# The part of a prediction by the full model that its printed model has no terms for.
REST = "not in the printed model"


# Differences of values that agree to this fraction are rounding.
ROUNDING = 1e-12

# Drawn configurations that a mean is over.
AVERAGED = 2000
# The greatest number of terms in a text; JSON has all.
MAX_TERMS = 20


@dataclass(frozen=True)
class Contribution:
    """The contribution of a term to the sum; of a product, the exponential of it is a factor."""

    text: str  # the term
    group: str  # the term with members of alternative groups replaced by the group
    options: tuple[str, ...]  # its options, an alternative group as one
    value: float  # its contribution to the prediction of the configuration
    reference: float  # its contribution to the other prediction, or its mean over the valid space

    @property
    def difference(self) -> float:
        """The contribution to the difference of the two; of a product, the logarithm of the factor of the ratio."""
        return _difference(self)


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

    @property
    def intervals(self) -> list[tuple[float, Interval]]:
        """The predictions that have intervals."""
        both = ((self.predicted, self.interval), (self.reference, self.against_interval))
        return [(value, interval) for value, interval in both if interval is not None]

    def summary(self) -> str:
        """Return the prediction and the reference as text."""
        baseline = "the mean over all valid configurations"
        if self.against is not None:
            baseline = f"predicted for {describe_configuration(self.against, 0)}"
        text = describe_configuration(self.configuration, 0)
        return f"{self.predicted:.6g} predicted for {text}, {self.reference:.6g} {baseline}"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms with their contributions, the largest difference first."""
        return {
            "term": [term.text for term in self.contributions],
            "contribution": [term.value for term in self.contributions],
            "reference": [term.reference for term in self.contributions],
            "difference": [term.difference for term in self.contributions],
        }

    def _bars(self) -> Bars:
        baseline = "the mean" if self.against is None else "the other configuration"
        return Bars(f"difference from {baseline}", [(term.text, term.difference) for term in self.contributions])


def contributions(model: InfluenceModel, space: Space, configuration: Any, against: Any = None) -> Explained:
    """Return the contributions of terms to one prediction, relative to the mean or to another prediction."""
    row = _one(space, configuration)
    reference = None if against is None else _one(space, against)
    blocks = () if reference is not None else blocks_of(model, space, choices_of(space.system)[1])
    return explained_of(StoredModel(model), space, row, reference, blocks)


def _one(space: Space, table: Any) -> Configurations:
    rows = Configurations.of(space.system, table)
    if len(rows) != 1:
        raise ConfigurationError(f"one configuration is explained, not {len(rows)}", hint="select a row: table[:1]")
    return rows


def explained_of(
    stored: StoredModel, space: Space, one: Configurations, other: Configurations | None, blocks: Sequence[Block]
) -> Explained:
    """Return the contributions to the prediction of a configuration, relative to another one or to the mean."""
    model = stored.model
    values = model.contributions(one)[0].tolist()
    usual = mean_contributions(model, blocks) if other is None else model.contributions(other)[0].tolist()
    system = space.system
    titles, choices = choices_of(system)
    labels = {system.names[position]: title for title, group in zip(titles, choices, strict=True) for position in group}
    options = [
        tuple(dict.fromkeys(labels.get(name, name) for name in system.term_order if name in model.options_of(term)))
        for term, _ in model.terms
    ]
    texts, groups = term_texts(model, system), group_texts(model, system)
    parts = [Contribution(*row) for row in zip(texts, groups, options, values, usual, strict=True)]
    reference = math.fsum(usual)
    if isinstance(stored.full, FullPredictor):
        # With this contribution, the sum is the prediction of the full model.
        value = float(predictions(stored.full, one, model.link)[0])
        total = (
            _mean(stored.full, model.link, space)
            if other is None
            else float(predictions(stored.full, other, model.link)[0])
        )
        parts.append(Contribution(REST, REST, (REST,), value - math.fsum(values), total - reference))
        reference = total
    parts.sort(key=lambda part: (-abs(part.difference), -abs(part.value)))
    if other is not None:
        reference = float(stored.predictor.predict(other)[0])
    elif model.link == "log":
        reference = math.exp(reference)
    interval, against_interval = (
        None if stored.intervals is None or entry is None else interval_of(stored.intervals, entry)
        for entry in (one, other)
    )
    predicted = float(stored.predictor.predict(one)[0])
    product = model.link == "log"
    return Explained(one, other, predicted, reference, tuple(parts), interval, against_interval, product)


@dataclass(frozen=True)
class TermSum:
    """Contributions of several terms."""

    text: str  # the term, or what the terms have in common
    value: float  # the sum of their contributions
    reference: float  # the sum of their references
    count: int  # the number of terms

    @classmethod
    def of(cls, text: str, contributions: Sequence[Contribution | TermSum]) -> TermSum:
        """Return the sum of contributions."""
        count = sum(part.count if isinstance(part, TermSum) else 1 for part in contributions)
        value = math.fsum(part.value for part in contributions)
        return cls(text, value, math.fsum(part.reference for part in contributions), count)

    @property
    def difference(self) -> float:
        """The contribution to the difference from the reference."""
        return _difference(self)


def _mean(full: FullPredictor, link: Link, space: Space) -> float:
    """Return the mean prediction over the valid space, of drawn configurations where a model has no exact mean."""
    if isinstance(full, Full):
        return mean_of_full(full, link, space)
    return float(np.mean(predictions(full, valid_configurations(space.system, AVERAGED), link)))


def _difference(part: Contribution | TermSum) -> float:
    equal = math.isclose(part.value, part.reference, rel_tol=ROUNDING)
    return 0.0 if equal else part.value - part.reference


def sums_of(contributions: Sequence[Contribution]) -> list[tuple[TermSum, list[TermSum]]]:
    """Return the sum of the terms over each set of options with its terms, the largest differences first.

    Terms that differ only in the member of an alternative group, or in the value of a numeric option, are one sum.
    """
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


class ContributionObject(JsonObject):
    """The contribution of a term; `factor` is that of the ratio of the predictions, null in a sum."""

    term: str = at("text")
    contribution: float = at("value")
    reference: float
    difference: float
    factor: float | None


def contribution_objects(explained: Explained) -> list[dict[str, Any]]:
    """Return the sources of the JSON objects of all contributions."""
    factor = _exponential if explained.product else lambda difference: None
    return [
        {**vars(term), "difference": term.difference, "factor": factor(term.difference)}
        for term in explained.contributions
    ]


def answer_about(explained: Explained, unit: str | None) -> str:
    """Return the first line about a prediction: its value, what it is compared with, and the term that matters most."""
    product = explained.product
    text = f"predicted {_with_interval(explained.predicted, explained.interval, unit)}"
    reference = "the other configuration" if explained.against is not None else "the mean over all valid configurations"
    if explained.reference * explained.predicted > 0:
        text += f"; {explained.predicted / explained.reference:.3g} times {reference}"
    sums = [total for total, _ in sums_of([term for term in explained.contributions if term.difference != 0])]
    if sums and sums[0].difference != 0:
        change = _exponential(sums[0].difference) if product else sums[0].difference
        text += f", most by {sums[0].text} ({change_text(change, product)})"
    return text


def view_of_prediction(explained: Explained, unit: str | None) -> View:
    """Yield the predictions, the options in which two configurations differ, and the contributions of the terms."""
    product, against = explained.product, explained.against is not None
    mean = "geometric mean over all valid configurations" if product else "mean over all valid configurations"
    reference = "prediction of the other configuration" if against else mean
    yield Facts(
        [
            ("prediction", _with_interval(explained.predicted, explained.interval, unit)),
            (reference, _with_interval(explained.reference, explained.against_interval, unit)),
        ]
    )
    yield ""
    if explained.against is not None:
        first, second = (
            value_texts(explained.configuration.system, explained.configuration.assignment(0)),
            value_texts(explained.against.system, explained.against.assignment(0)),
        )
        options = [name for name in first if first[name] != second[name]]
        if options:
            value, other = (
                Column("value", first.__getitem__, right=True),
                Column("other", second.__getitem__, right=True),
            )
            yield Rows(options, (Column("option", str), value, other))
        else:
            yield "the two configurations are the same"
        yield ""
    sums = sums_of([term for term in explained.contributions if term.difference != 0])
    moving = [pair for pair in sums if pair[0].difference != 0]
    hidden = [total for total, _ in moving[MAX_TERMS:]]
    lines: list[tuple[str, Contribution | TermSum]] = []
    for total, terms in moving[:MAX_TERMS]:
        lines += [(total.text, total), *((f"  {term.text}", term) for term in terms)]
    if hidden:
        lines.append((f"{len(hidden)} more", TermSum.of("", hidden)))
    still: list[Contribution | TermSum] = [term for term in explained.contributions if term.difference == 0]
    # Differences of several terms may cancel.
    still += [total for total, _ in sums if total.difference == 0]
    if still:
        equal = TermSum.of("", still)
        lines.append((plural(equal.count, "term without difference", "terms without difference"), equal))
    lines.append(("product" if product else "sum", TermSum.of("", explained.contributions)))
    number = (lambda value: f"{_exponential(value):.6g}") if product else "{:.6g}".format
    change = partial(change_text, product=product)
    shown = (
        Column("term", 0),
        Column("factor" if product else titled("contribution", unit), "1.value", number),
        Column("other" if against else "mean", "1.reference", number),
        Column(
            "ratio" if product else "difference",
            "1.difference",
            lambda value: change(_exponential(value) if product else value),
            signed=not product,
        ),
    )
    yield Rows(lines, shown)


def _with_interval(value: float, interval: Any, unit: str | None) -> str:
    text = quantity(value, unit)
    if interval is None:
        return text
    return f"{text}, {interval.level * 100:g} % interval {span(interval.low, interval.high, unit)}"


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))
