"""The output of `splc explain --by`: influences over the values of a context."""

from __future__ import annotations

from functools import partial

from splc.cli.detail import detail
from splc.cli.show.blocks import Column, show_rows
from splc.cli.terminal import say, tell
from splc.errors import plural
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at
from splc.io.numbers import short_number
from splc.learning.contexts.contrasts import ContextInfluences, InfluenceVariation, in_half_widths
from splc.workflows.explain.explain import Result

# The greatest numbers of values with a column, and of options.
MAX_VALUES, MAX_OPTIONS = 6, 20
FACTOR = partial(short_number, digits=4)


class InfluenceVariationObject(JsonObject):
    """The influence of an option with each value: the factor between its greatest and its least value."""

    option: str
    factors: list[float]
    spread: float
    settled: bool


class ExplainedContextsObject(JsonObject, schema="splc.explain.by/1"):
    """The influences of options over the values of a context, those that vary most first."""

    system: str = at("name")
    nfp: str | None
    values: list[str] = at("influences.names")
    influences: list[InfluenceVariationObject] = at(lambda result: result.influences.variations())


def show(result: Result, by: str) -> None:
    """Print the options by how much their influence varies."""
    influences = result.influences
    assert influences is not None
    variations = influences.variations()
    tell(_answer(variations, by, few_rows=influences.few_rows()), "answer")
    if detail().quiet:
        return
    values = plural(len(influences.names), "value", "values")
    say(f"{result.name}: model of {result.nfp}, influences with {values} of {by}, as the full model predicts")
    show_rows(variations, (Column("option", "option"), *_columns(influences)), MAX_OPTIONS)
    say("factor of the prediction between the greatest and the least value of an option, or selected and not")
    limit = in_half_widths(influences.half_widths(influences.pairs))
    compared = plural(influences.pairs, "pair is", "pairs are")
    say(f"known to differ: between two values {limit}, as {compared} compared")
    if influences.few_rows() and any(variation.settled for variation in variations):
        say("may differ: some values have fewer than two rows per option")


def _answer(variations: tuple[InfluenceVariation, ...], by: str, *, few_rows: bool) -> str:
    """Return the first line: the option that varies most."""
    settled = [variation for variation in variations if variation.settled]
    if not settled:
        return f"no influence differs between values of {by} by more than its uncertainty"
    first = settled[0]
    ends = f"{FACTOR(min(first.factors))} to {FACTOR(max(first.factors))}"
    count = f"{len(settled)} of {plural(len(variations), 'influence', 'influences')}"
    if few_rows:
        return f"{first.option} may vary most with {by}: factor {ends}; {count} may differ"
    verb = "differs" if len(settled) == 1 else "differ"
    return f"{first.option} varies most with {by}: factor {ends}; {count} {verb} by more than the uncertainty"


def _columns(influences: ContextInfluences) -> tuple[Column, ...]:
    """Return a column for each of few values, or the least and the greatest of many."""
    names = influences.names
    if len(names) <= MAX_VALUES:
        columns = tuple(Column(shown_value(name), partial(_factor, at=at), right=True) for at, name in enumerate(names))
    else:
        columns = tuple(
            Column(title, partial(_end, names=names, greatest=title == "greatest"), right=True)
            for title in ("least", "greatest")
        )
    return (*columns, Column("", lambda row: "" if row.settled else "not known to differ"))


def _factor(row: InfluenceVariation, at: int) -> str:
    return FACTOR(row.factors[at])


def _end(row: InfluenceVariation, names: tuple[str, ...], *, greatest: bool) -> str:
    value = max(row.factors) if greatest else min(row.factors)
    return f"{FACTOR(value)} ({shown_value(names[row.factors.index(value)])})"
