"""The output of `splc explain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from splc.cli.show.explain_configuration import (
    ExplainedModelObject,
    ExplainedPredictionObject,
    PlotAndNotesObject,
    change_text,
    show_explained,
)
from splc.cli.terminal import say, table
from splc.errors import listed
from splc.io.json_object import ITSELF, JsonObject, at, json_object, merged
from splc.io.numbers import share_text
from splc.workflows.explain.explain import Overview, Result
from splc.workflows.explain.overview import OptionImportance, OptionInteraction, OptionValue

# The greatest numbers of options, interactions, and values of an option in a text; JSON has all.
MAX_OPTIONS, MAX_INTERACTIONS, MAX_VALUES = 20, 10, 8
# Smaller shares, in percent, are not listed as interactions.
MIN_INTERACTION = 0.05
INTERVAL = "90 % interval"


def _in_percent(name: str) -> Any:
    """Return where a fraction comes from that is stated in percent."""
    return at(lambda source: None if getattr(source, name) is None else getattr(source, name) * 100)


class OptionValueObject(JsonObject):
    """The effect of a value of an option; `configurations` is a percentage, of a product changes are factors."""

    value: str | float = at(lambda value: value.label if value.number is None else value.number)
    configurations: float = _in_percent("fraction")
    mean: float
    change: float | None
    low: float | None
    high: float | None


class OptionImportanceObject(JsonObject):
    """The importance of an option or an alternative group; shares of the variance are in percent."""

    name: str
    options: list[str]
    share: float = _in_percent("share")
    low: float | None = _in_percent("low")
    high: float | None = _in_percent("high")
    alone: float = _in_percent("alone")
    total: float | None = _in_percent("total")
    values: list[OptionValueObject]


class InteractionObject(JsonObject):
    """The interaction of options; shares of the variance are in percent."""

    options: list[str] = at("names")
    share: float = _in_percent("share")
    low: float | None = _in_percent("low")
    high: float | None = _in_percent("high")
    printed: bool
    folds: int | None


class ExplanationObject(JsonObject, schema="splc.explain/1"):
    """A model explained over all valid configurations."""

    model: ExplainedModelObject = merged(ITSELF)
    mean: float | None = at("overview.mean")
    deviation: float | None = at("overview.deviation")
    options: list[OptionImportanceObject] = at("overview.options")
    interactions: list[InteractionObject] = at("overview.interactions")
    full: bool = at("overview.full")
    unused: list[str] = at("overview.unused")
    folds: int
    rest: PlotAndNotesObject = merged(ITSELF)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(ExplanationObject if result.explained is None else ExplainedPredictionObject, result)


def show(result: Result) -> None:
    """Print the explanation."""
    product = result.model.link == "log"
    what = f"model of {result.nfp}" if result.nfp else "model"
    kind = f"a {'product of factors' if product else 'sum of terms'}"
    if result.overview is not None and result.overview.full:
        kind = f"as the full model predicts{', by the logarithm' if product else ''}"
    say(", ".join((f"{result.name}: {what}", *result.stated_contexts, kind)))
    if result.overview is not None:
        _show_overview(result.overview, result.folds, product=product)
    if result.explained is not None:
        show_explained(result.explained, product=product)
    if result.plot is not None:
        say(f"\nplot  {result.plot}")


def _show_overview(overview: Overview, folds: int, *, product: bool) -> None:
    if product:
        say(f"geometric mean over all valid configurations {overview.mean:.6g}")
    else:
        deviation = f"standard deviation {overview.deviation:.6g}"
        say(f"mean over all valid configurations {overview.mean:.6g}, {deviation}")
    of = "the logarithm of the prediction" if product else "the prediction"
    if overview.options:
        say(f"\nOptions by their share of the variance of {of}")
        shown = overview.options[:MAX_OPTIONS]
        lines: list[tuple[str, ...]] = [
            (
                o.name,
                share_text(o.share * 100),
                _shares(o.low, o.high),
                share_text(o.alone * 100),
                "" if o.total is None else share_text(o.total * 100),
            )
            for o in shown
        ]
        if rest := overview.options[MAX_OPTIONS:]:
            lines.append((f"{len(rest)} more", share_text(sum(option.share for option in rest) * 100), "", "", ""))
        columns = ("share", INTERVAL, "alone", "with interactions")
        table(("option", *columns), lines, right=columns)
    if overview.unused:
        say(f"not in the model: {listed(overview.unused)}")
    # Of the full model, those of the printed one are listed whatever their share is.
    large = [
        each
        for each in overview.interactions
        if abs(each.share) * 100 >= MIN_INTERACTION or (overview.full and each.printed)
    ]
    if large:
        say("\nInteractions")
        right = ("share", INTERVAL)
        rows = [
            (
                " * ".join(each.names),
                share_text(each.share * 100),
                _shares(each.low, each.high),
                _support(each, overview, folds),
            )
            for each in large[:MAX_INTERACTIONS]
        ]
        table(("options", *right, "printed"), rows, right=right)
        if len(large) > MAX_INTERACTIONS:
            say(f"{len(large) - MAX_INTERACTIONS} smaller ones are not shown")
    shown = tuple(option for option in overview.options[:MAX_OPTIONS] if option.share * 1000 >= 1)
    if shown:
        say("\nMean prediction by value, and its change if only this option changes from its first value")
        change = "factor" if product else "change"
        values = [row for option in shown for row in _value_rows(option, product=product)]
        columns = ("configurations", "mean", change, INTERVAL)
        table(("option", "value", *columns), values, right=columns)
        if any(len(option.values) > MAX_VALUES for option in shown):
            say(f"of an option with more than {MAX_VALUES} values, {MAX_VALUES} are shown; --json has all")


def _value_rows(option: OptionImportance, *, product: bool) -> list[tuple[str, ...]]:
    """Return the rows of an option's values; of many values, some from the first to the last."""
    values: Sequence[OptionValue] = option.values
    if len(values) > MAX_VALUES:
        step = (len(values) - 1) / (MAX_VALUES - 1)
        values = [values[round(place * step)] for place in range(MAX_VALUES)]
    rows: list[tuple[str, ...]] = []
    for place, value in enumerate(values):
        change = (
            "" if value is option.values[0] else "-" if value.change is None else change_text(value.change, product)
        )
        name = option.name if place == 0 else ""
        interval = ""
        if value.low is not None and value.high is not None:
            interval = f"{change_text(value.low, product)} to {change_text(value.high, product)}"
        rows.append((name, value.label, share_text(value.fraction * 100), f"{value.mean:.6g}", change, interval))
    return rows


def _shares(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{share_text(low * 100)} to {share_text(high * 100)}"


def _support(each: OptionInteraction, overview: Overview, folds: int) -> str:
    """Return whether the printed model has an interaction, and in how many folds its own one has."""
    if not overview.full:
        return ""
    if not each.printed:
        return "-"
    return "yes" if each.folds is None or not folds else f"{each.folds} of {folds} folds"
