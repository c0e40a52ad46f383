"""The output of `splc explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from splc.cli.detail import detail
from splc.cli.show.blocks import Column, columns, interval_text, narrowed, show_rows
from splc.cli.show.explain_configuration import (
    ExplainedModelObject,
    PlotAndNotesObject,
    change_text,
    explained_answer,
    show_explained,
)
from splc.cli.terminal import say, tell
from splc.data.property_unit import quantity, titled
from splc.errors import listed
from splc.io.json_object import ITSELF, JsonObject, at, merged
from splc.io.numbers import percentage, share_text
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


def _share(fraction: float) -> str:
    return share_text(fraction * 100)


def _interval(source: Any) -> str:
    source = source if isinstance(source, dict) else vars(source)
    return interval_text((source.get("low"), source.get("high")), _share)


SHARES = (*columns("of variance = share", _share), Column(INTERVAL, _interval, right=True))
OPTIONS = narrowed(
    (*columns("option = name"), *SHARES, *columns("alone, with interactions = total", _share)),
    *("with interactions", "alone", INTERVAL),
)
VALUES = (
    *columns("option, value = label"),
    *narrowed(columns("configurations = fraction", _share), "configurations"),
)


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


def show(result: Result) -> None:
    """Print the explanation."""
    product = result.model.link == "log"
    tell(_answer(result, product), "answer")
    if detail().quiet:
        return
    title = f"model of {result.nfp}" if result.nfp else "model"
    kind = f"a {'product of factors' if product else 'sum of terms'}"
    if result.overview is not None and result.overview.full:
        kind = f"as the full model predicts{', by the logarithm' if product else ''}"
    say(", ".join((f"{result.name}: {title}", *result.stated_contexts, kind)))
    if result.overview is not None:
        _show_overview(result.overview, result.folds, result.unit, product=product)
    if result.explained is not None:
        show_explained(result.explained, result.unit, product=product)
    if result.plot is not None:
        say(f"\nplot  {result.plot}")


def _answer(result: Result, product: bool) -> str:
    """Return the first line: the options that matter most, or the prediction and what it differs from."""
    if result.explained is not None:
        return explained_answer(result.explained, result.unit, product=product)
    assert result.overview is not None
    if not result.overview.leading:
        return "no option changes the prediction"
    first, *options = ((option.name, percentage(option.share * 100, 2)) for option in result.overview.leading)
    of = "the logarithm of the prediction" if product else "the prediction"
    more = "".join(f", {name} {share}" for name, share in options)
    return f"{first[0]} explains {first[1]} of the variance of {of}{more}"


def _show_overview(overview: Overview, folds: int, unit: str | None, *, product: bool) -> None:
    if product:
        say(f"geometric mean over all valid configurations {quantity(overview.mean, unit)}")
    else:
        mean, deviation = quantity(overview.mean, unit), quantity(overview.deviation, unit)
        say(f"mean over all valid configurations {mean}, standard deviation {deviation}")
    if overview.options:
        of = "the logarithm of the prediction" if product else "the prediction"
        say(f"\nOptions by their share of the variance of {of}")
        hidden = overview.options[MAX_OPTIONS:]
        more = [{"name": f"{len(hidden)} more", "share": sum(option.share for option in hidden)}] if hidden else []
        show_rows([*map(vars, overview.options[:MAX_OPTIONS]), *more], OPTIONS)
    if overview.unused:
        say(f"not in the model: {listed(overview.unused)}")
    # Of the full model, those of the printed one are listed whatever their share is.
    large = [
        interaction
        for interaction in overview.interactions
        if interaction.share * 100 >= MIN_INTERACTION or (overview.full and interaction.printed)
    ]
    if large:
        say("\nInteractions")
        options = Column("options", lambda row: " * ".join(row.names))
        printed = Column("printed", lambda row: _support(row, overview, folds))
        show_rows(large, narrowed((options, *SHARES, printed), "printed", INTERVAL), MAX_INTERACTIONS)
    shown = tuple(option for option in overview.options[:MAX_OPTIONS] if option.share * 1000 >= 1)
    if shown:
        say("\nMean prediction by value, and its change if only this option changes from the first value listed")
        form = partial(change_text, product=product)
        change = (
            Column("factor" if product else "change", lambda row: _change(row, form), right=True, signed=not product),
            Column(INTERVAL, lambda row: interval_text((row["low"], row["high"]), form), right=True, optional=2),
        )
        means = Column(titled("mean", unit), "mean", "{:.6g}".format)
        show_rows([row for option in shown for row in _value_rows(option)], (*VALUES, means, *change))
        if any(len(option.values) > MAX_VALUES for option in shown):
            say(f"of an option with more than {MAX_VALUES} values, {MAX_VALUES} are shown; --json has all")


def _value_rows(option: OptionImportance) -> Iterator[dict[str, Any]]:
    """Yield the rows of an option's values; of many values, some from the first to the last."""
    values: Sequence[OptionValue] = option.values
    if len(values) > MAX_VALUES:
        step = (len(values) - 1) / (MAX_VALUES - 1)
        values = [values[round(index * step)] for index in range(MAX_VALUES)]
    for index, value in enumerate(values):
        yield {**vars(value), "option": "" if index else option.name, "first": value is option.values[0]}


def _change(row: Mapping[str, Any], form: Callable[[float], str]) -> str:
    if row["first"]:
        return ""
    return "-" if row["change"] is None else form(row["change"])


def _support(interaction: OptionInteraction, overview: Overview, folds: int) -> str:
    """Return whether the printed model has an interaction, and in how many folds its own one has."""
    if not overview.full:
        return ""
    if not interaction.printed:
        return "-"
    return "yes" if interaction.folds is None or not folds else f"{interaction.folds} of {folds} folds"
