"""The explanation of a prediction as text and as JSON."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from splc.cli.show.optimize import OptionValues, option_text, option_values
from splc.cli.terminal import say, table
from splc.errors import plural
from splc.io.json_object import ITSELF, JsonObject, at, merged
from splc.models.influence import Link
from splc.workflows.explain.contributions import Contribution, TermSum, sums_of
from splc.workflows.explain.explain import Explained, Result
from splc.workflows.prediction_intervals import Interval

# The greatest number of terms in a text; JSON has all.
MAX_TERMS = 20


class ExplainedModelObject(JsonObject):
    """The model that is explained."""

    name: str
    nfp: str | None
    link: Link = at("model.link")


class PlotAndNotesObject(JsonObject):
    """The file of the plot, and the notes."""

    plot: str | None
    notes: list[str] = at(lambda result: [note.text for note in result.notes])


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
        {**vars(each), "difference": each.difference, "factor": _exponential(each.difference) if product else None}
        for each in result.explained.contributions
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


def show_explained(explained: Explained, *, product: bool) -> None:
    """Print the predictions, the options in which two configurations differ, and the contributions of the terms."""
    against = explained.against is not None
    mean = "geometric mean over all valid configurations" if product else "mean over all valid configurations"
    rows: list[tuple[str, str]] = [("prediction", _with_interval(explained.predicted, explained.interval))]
    name = "prediction of the other configuration" if against else mean
    rows.append((name, _with_interval(explained.reference, explained.against_interval)))
    width = max(len(text) for text, _ in rows)
    for text, value in rows:
        say(f"{text:<{width}}  {value}")
    if explained.against is not None:
        one, two = option_values(explained.configuration), option_values(explained.against)
        system = explained.configuration.system
        different = [
            (option.name, option_text(one[option.name], option), option_text(two[option.name], option))
            for option in system.options
            if one[option.name] != two[option.name]
        ]
        say()
        if different:
            table(("option", "value", "other"), different, right=("value", "other"))
        else:
            say("the two configurations are the same")
    kind = "factor" if product else "contribution"
    second, third = "other" if against else "mean", "ratio" if product else "difference"
    sums = sums_of([each for each in explained.contributions if each.difference != 0])
    moving = [pair for pair in sums if pair[0].difference != 0]
    shown, rest = moving[:MAX_TERMS], [each for each, _ in moving[MAX_TERMS:]]
    lines = []
    for each, terms in shown:
        lines.append(_term_row(each, product=product))
        lines += [_term_row(term, product=product, indent="  ") for term in terms]
    if rest:
        lines.append(_term_row(TermSum.of(f"{len(rest)} more", rest), product=product))
    still: list[Contribution | TermSum] = [each for each in explained.contributions if each.difference == 0]
    # Differences of several terms may cancel.
    still += [each for each, _ in sums if each.difference == 0]
    if still:
        same = TermSum.of("", still)
        text = plural(same.count, "term without difference", "terms without difference")
        lines.append(_term_row(replace(same, text=text), product=product))
    total = TermSum.of("product" if product else "sum", explained.contributions)
    lines.append(_term_row(total, product=product))
    say()
    table(("term", kind, second, third), lines, right=(kind, second, third))


def _term_row(each: TermSum, *, product: bool, indent: str = "") -> tuple[str, ...]:
    if product:
        ratio = change_text(_exponential(each.difference), product)
        return (indent + each.text, f"{_exponential(each.value):.6g}", f"{_exponential(each.reference):.6g}", ratio)
    return (indent + each.text, f"{each.value:.6g}", f"{each.reference:.6g}", change_text(each.difference, product))


def _with_interval(value: float, interval: Any) -> str:
    text = f"{value:.6g}"
    if interval is None:
        return text
    return f"{text}, {interval.level * 100:g} % interval {interval.low:.6g} to {interval.high:.6g}"


def change_text(value: float, product: bool) -> str:
    """Return a difference, or of a product a factor."""
    return f"× {value:.4g}" if product else f"{value:+.6g}"


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))
