"""The explanation of a prediction as text and as JSON."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from splc.cli.show.blocks import Column, show_facts, show_rows
from splc.cli.terminal import say
from splc.data.property_unit import quantity, span, titled
from splc.data.value_texts import value_texts
from splc.errors import plural
from splc.io.json_object import ITSELF, JsonObject, at, each, merged
from splc.types import Link
from splc.workflows.explain.contributions import Contribution, TermSum, sums_of
from splc.workflows.explain.explain import Explained, Result
from splc.workflows.objects import OptionValues, option_values
from splc.workflows.prediction_intervals import Interval

# The greatest number of terms in a text; JSON has all.
MAX_TERMS = 20


class ExplainedModelObject(JsonObject):
    """The model that is explained."""

    name: str
    nfp: str | None
    unit: str | None
    link: Link = at("model.link")


class PlotAndNotesObject(JsonObject):
    """The file of the plot, and the notes."""

    plot: str | None
    notes: list[str] = each("notes", "text")


class ContributionObject(JsonObject):
    """The contribution of a term; `factor` is that of the ratio of the predictions, null in a sum."""

    term: str = at("text")
    contribution: float = at("value")
    reference: float
    difference: float
    factor: float | None


def _contributions(result: Result) -> list[dict[str, Any]]:
    assert result.explained is not None
    product = result.model.link == "log"
    return [
        {**vars(term), "difference": term.difference, "factor": _exponential(term.difference) if product else None}
        for term in result.explained.contributions
    ]


class ExplainedPredictionObject(JsonObject, schema="splc.explain.configuration/1"):
    """A prediction explained by its terms."""

    model: ExplainedModelObject = merged(ITSELF)
    configuration: OptionValues = at(lambda result: option_values(result.explained.configuration))
    against: OptionValues | None = at(
        lambda result: None if result.explained.against is None else option_values(result.explained.against)
    )
    predicted: float = at("explained.predicted")
    interval: Interval | None = at("explained.interval")
    reference: float = at("explained.reference")
    reference_interval: Interval | None = at("explained.against_interval")
    terms: list[ContributionObject] = at(_contributions)
    rest: PlotAndNotesObject = merged(ITSELF)


def explained_answer(explained: Explained, unit: str | None, *, product: bool) -> str:
    """Return the first line about a prediction: its value, what it is compared with, and the term that matters most."""
    text = f"predicted {_with_interval(explained.predicted, explained.interval, unit)}"
    reference = "the other configuration" if explained.against is not None else "the mean over all valid configurations"
    if explained.reference * explained.predicted > 0:
        text += f"; {explained.predicted / explained.reference:.3g} times {reference}"
    sums = [total for total, _ in sums_of([term for term in explained.contributions if term.difference != 0])]
    if sums and sums[0].difference != 0:
        change = _exponential(sums[0].difference) if product else sums[0].difference
        text += f", most by {sums[0].text} ({change_text(change, product)})"
    return text


def show_explained(explained: Explained, unit: str | None, *, product: bool) -> None:
    """Print the predictions, the options in which two configurations differ, and the contributions of the terms."""
    against = explained.against is not None
    mean = "geometric mean over all valid configurations" if product else "mean over all valid configurations"
    reference = "prediction of the other configuration" if against else mean
    show_facts(
        [
            ("prediction", _with_interval(explained.predicted, explained.interval, unit)),
            (reference, _with_interval(explained.reference, explained.against_interval, unit)),
        ]
    )
    say()
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
            show_rows(options, (Column("option", str), value, other))
        else:
            say("the two configurations are the same")
        say()
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
    show_rows(lines, shown)


def _with_interval(value: float, interval: Any, unit: str | None) -> str:
    text = quantity(value, unit)
    if interval is None:
        return text
    return f"{text}, {interval.level * 100:g} % interval {span(interval.low, interval.high, unit)}"


def change_text(value: float, product: bool) -> str:
    """Return a difference, or of a product a factor."""
    return f"× {value:.4g}" if product else f"{value:+.6g}"


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))
