"""The models of the values of a context, and what changed between them, as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from comparison.changes import ModelChange, SetChange, TermChange
from splc.cli.detail import detail
from splc.cli.show.blocks import Column, columns, counted, interval_text, narrowed, show_rows
from splc.cli.show.learn import LearnedObject
from splc.cli.terminal import say, tell
from splc.errors import listed, plural
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at, count, merged, optional
from splc.io.numbers import percentage, short_number
from splc.learning.contexts.contrasts import ContextContrast, in_half_widths
from splc.learning.contexts.sharing import ALONE
from splc.types import Link
from splc.workflows.learn.context_changes import Change
from splc.workflows.learn.contexts import Result
from splc.workflows.learn.expected_error import EVERY, HELD_OUT, LEARNED, NEW

# The sets of options that a change shows.
MAX_SETS = 5
SETS = ("before", "after", "change", "in intervals")
CHANGE = "change: mean absolute change of the prediction beyond the common factor"
INTERVALS = "in intervals: relative to half the width of the 90 % interval of the change"


class ValueModelObject(JsonObject):
    """The model of a value of the context."""

    value: str = at(0)
    result: LearnedObject = merged(1)


class SetChangeObject(JsonObject):
    """The change of the terms of a set of options; the size is in percent, intervals are half widths."""

    options: list[str]
    size: float
    terms: list[TermChange]
    intervals: float
    settled: bool


class UndeterminedObject(JsonObject):
    """The terms that the configurations of a value of the context do not determine."""

    value: str
    zero: list[str]
    confounded: list[str]


def _undetermined(change: Change) -> list[dict[str, Any]] | None:
    if change.influences is None:
        return None
    sides = zip((change.first, change.second), change.influences.undetermined, strict=True)
    return [{"value": value, **vars(side)} for value, side in sides]


class InfluenceContrastObject(JsonObject):
    """The influence of an option after a change relative to before, with its 90 % interval."""

    option: str
    factor: float
    low: float
    high: float
    settled: bool


class ContrastObject(JsonObject):
    """A change by the joint model of all values: the common factor, and the influences of options."""

    factor: float
    low: float
    high: float
    influences: list[InfluenceContrastObject]
    few_rows: bool


class ChangeObject(JsonObject):
    """The change between two values of the context; errors are in percent."""

    first: str
    second: str
    common_configurations: int = at("common")
    ratio: float | None
    ratio_error: float | None
    error: float | None
    transferred_error: float | None = at("transferred")
    link: Link | None = at("influences.link")
    factor: float | None = at("influences.factor")
    sets: list[SetChangeObject] | None = at("influences.sets")
    undetermined: list[UndeterminedObject] | None = at(_undetermined)
    reason: str | None = at(lambda change: change.reason if change.influences is None else None)
    contrast: ContrastObject = optional()


class FailedValueObject(JsonObject):
    """A value of the context without a model."""

    value: str = at(0)
    reason: str = at(1)


class SharedModelObject(JsonObject):
    """One printed model of all values that are learned together, and value → its option in it."""

    model: str = at(lambda shared: shared.result.result.model.text)
    options: dict[str, str]
    terms: int = count("result.result.terms")
    differing: int
    output: str | None = at("result.output")


class LearnedByObject(JsonObject, schema="splc.learn.by/1"):
    """The models of the values of a context, and what changed between them."""

    by: str = at("request.by")
    models: list[ValueModelObject] = at(lambda result: result.models.items())
    changes: list[ChangeObject]
    plot: str | None
    weights_of_alone: dict[str, float] = optional(lambda result: dict(result.weights) or None)
    shared: SharedModelObject = optional()
    unmeasured: list[ValueModelObject] = optional(lambda result: [*result.unmeasured.items()] or None)
    failed: list[FailedValueObject] = at(lambda result: result.failed.items())


def _title(change: Change) -> str:
    return f"{shown_value(change.first)} → {shown_value(change.second)}"


VALUES = narrowed(
    (
        Column("learned from", "1.result.learning_configurations"),
        Column("terms", lambda entry: len(entry[1].result.model.terms) if entry[1].result.readable else None),
        *columns(
            "learning error = 1.result.learning_error, error = 1.result.error, "
            "cross-validated = 1.result.cross_validated.mean",
            percentage,
        ),
        Column("model", lambda entry: entry[1].output or ""),
    ),
    "model",
    "learning error",
    "terms",
)
CHANGES = (
    Column("change", _title),
    *columns("common"),
    *columns("ratio", partial(short_number, digits=4)),
    *columns("error, error of previous model = transferred", percentage),
)


CONTRASTED = partial(short_number, digits=4)
CONTRASTS = (
    *columns("factor", CONTRASTED),
    Column("90 % interval", lambda row: interval_text((row.low, row.high), CONTRASTED), right=True),
)
# What a few rows of a value show may be about the wrong options.
FEW_ROWS = "may have changed: one of the two values has fewer than two rows per option"


def show(found: Result) -> None:
    """Print one line per value, then what changed between consecutive values."""
    by = found.request.by
    first = next(iter(found.models.values()))
    tell(_answer(found), "answer")
    if detail().quiet:
        return
    tell(f"{first.measured.system.name}: models of {first.result.nfp} by {by}")
    if found.weights:
        tell(_shared(found))
    value = Column(by, lambda entry: shown_value(entry[0]))
    rows = Column("rows", lambda entry: entry[1].result.provenance["measured_configurations"])
    show_rows(found.models.items(), (value, rows, *VALUES))
    for name, model in found.unmeasured.items():
        file = "" if model.output is None else f": {model.output}"
        say(f"{by} {shown_value(name)}, of which nothing was measured{file}")
    if found.shared is not None:
        shared = found.shared.result
        terms = counted(len(shared.result.terms), "term")
        file = "" if shared.output is None else f": {shared.output}"
        say(f"model of all values: {terms}, {found.shared.differing} of them about single values{file}")
    if not found.changes:
        return
    say()
    show_rows(found.changes, CHANGES)
    # Columns without values are not shown.
    legend = ["common: configurations with both"]
    if any(change.ratio is not None for change in found.changes):
        legend.append("ratio: their mean after / before")
    if any(change.error is not None for change in found.changes):
        legend.append("error: on all values after the change, also those learned from")
    say("; ".join(legend))
    before = True
    contrasts: list[ContextContrast] = []
    for change in found.changes:
        tabled = bool(settled_sets(change))
        if before or tabled:
            say()
        before = tabled
        if change.contrast is not None:
            show_contrast(by, change.contrast)
            contrasts.append(change.contrast)
        elif change.influences is None:
            say(f"{by} {_title(change)}: {change.reason}")
        else:
            show_influences(f"{by} {_title(change)}", change, change.influences)
    if contrasts:
        compared = plural(len(contrasts[0].influences), "influence is", "influences are")
        say(f"\nlisted: changes {in_half_widths(contrasts[0].half_widths)}, as {compared} compared")
        if any(contrast.few_rows and contrast.settled for contrast in contrasts):
            say(FEW_ROWS)
    if any(settled_sets(change) for change in found.changes if change.contrast is None):
        say(f"\n{CHANGE}\n{INTERVALS}")
    if found.plot is not None:
        say(f"\nplot of the changes: {found.plot}")


def _answer(result: Result) -> str:
    """Return the first line: the range of the errors to expect at configurations that were not learned from."""
    models = result.models.items()
    text = "unknown"
    every = all(model.expected_error.source != "measured" and model.knows_every for _, model in models)
    learned = every and all(model.expected_error.verdict == "unknown" for _, model in models)
    errors = [
        (model.result.learning_error if learned else model.expected_error.percent, name) for name, model in models
    ]
    if ranked := sorted((error, name) for error, name in errors if error is not None):
        ends = dict.fromkeys((ranked[0], ranked[-1]))
        texts = (result.models[name].expected_error.text_of(error) for error, name in ends)
        text = " to ".join(f"{error} ({shown_value(name)})" for error, (_, name) in zip(texts, ends, strict=True))
        text += f", of {len(ranked)} of {len(errors)} models" if len(ranked) < len(errors) else ""
    name = LEARNED if learned else HELD_OUT if every else NEW
    return f"{EVERY if every else ''}{name} {text}; {plural(len(errors), 'model', 'models')}"


def _shared(result: Result) -> str:
    """Return how the values were learned."""
    weight = ", ".join(f"{shown_value(value)} {weight:.2f}" for value, weight in result.weights.items())
    alone = [shown_value(value) for value, weight in result.weights.items() if weight > ALONE]
    text = f"{listed(alone)} alone, the others together" if alone else "all values together"
    if len(alone) == len(result.weights):
        text = "each value alone, which predicts held-out values better"
    return f"learned: {text} (weights of learning alone: {weight})"


def show_contrast(by: str, change: ContextContrast) -> None:
    """Print the common factor between two values of a context, and the influences that changed."""
    first, second = shown_value(change.first), shown_value(change.second)
    factor = f"{short_number(change.factor, 4)} ({interval_text((change.low, change.high), CONTRASTED)})"
    say(f"{by} {second} = {factor} times {first}")
    if change.settled:
        title = "may have changed" if change.few_rows else "changed influence"
        show_rows(change.settled, (Column(title, "option"), *CONTRASTS))
    count = len(change.influences) - len(change.settled)
    if count:
        verb = "influence is" if count == 1 else "influences are"
        limit = percentage((change.rest - 1) * 100, 2)
        say(f"{count} {'other ' * bool(change.settled)}{verb} the same within {limit}, or not known better")


def settled_sets(change: Change) -> list[SetChange]:
    """Return the changed sets of options that are larger than their uncertainty."""
    return [] if change.influences is None else [influence for influence in change.influences.sets if influence.settled]


def show_influences(title: str, whole: Change, change: ModelChange) -> None:
    """Print the changes that are clearly larger than their uncertainty, or what is known without any."""
    product = change.link == "log"
    settled = [influence for influence in change.sets if influence.settled]
    summary = _summary(whole, change, settled=bool(settled))
    say(f"{title}: {summary}" if summary else title)
    if reasons := list(_not_compared(whole, change)):
        say(f"not compared: {'; '.join(reasons)}")
    if not settled:
        return
    lines = [line for influence in settled[:MAX_SETS] for line in _lines(influence, product=product)]
    shown = [
        Column(name, index, right=index > 0) for index, name in enumerate(("factor" if product else "term", *SETS))
    ]
    show_rows(lines, shown)
    if len(settled) > MAX_SETS:
        say(f"{plural(len(settled) - MAX_SETS, 'more set', 'more sets')} of options with smaller changes (--json)")


def _summary(values: Change, change: ModelChange, *, settled: bool) -> str:
    """Return what the values or influences have in common, and without settled changes of influences that."""
    if change.factor != 1:
        common = f"factor {change.factor:.4g} on most influences"
        return common if settled else f"{common}; no other influence changed by more than its uncertainty"
    common = ""
    if values.shifted:
        common = f"the values changed by a factor of {values.ratio:.4g} on average"
    elif values.worsened and not settled:
        common = "the error of the previous model is clearly larger"
    if settled:
        return common
    if common:
        return f"{common}; which influences changed cannot be told"
    return "no influence changed by more than its uncertainty" if change.sets else "no influence can be compared"


def _not_compared(values: Change, change: ModelChange) -> Iterator[str]:
    """Yield the reasons why influences are not compared."""
    for value, side in zip((values.first, values.second), change.undetermined, strict=True):
        if side.zero:
            verb = "is" if len(side.zero) == 1 else "are"
            yield f"{listed(side.zero, MAX_SETS)} {verb} 0 in all configurations of {shown_value(value)}"
        if side.confounded:
            names = listed(side.confounded, MAX_SETS)
            yield f"{names} cannot be told apart by the configurations of {shown_value(value)}"


def _lines(change: SetChange, *, product: bool) -> list[tuple[str, ...]]:
    """Return the line of a set of options: of its only term, or of the set and of each of its terms."""

    def text(value: float) -> str:
        return f"{math.exp(min(value, 700.0)):.5g}" if product else f"{value:.5g}"

    size = percentage(change.size, 3)
    terms = [(term.text, text(term.first), text(term.second), f"{term.intervals:.3g}") for term in change.terms]
    if len(terms) == 1:
        name, before, after, intervals = terms[0]
        return [(name, before, after, size, intervals)]
    title = " * ".join(change.options) or "1"
    inner = [(f"  {name}", before, after, "", intervals) for name, before, after, intervals in terms]
    return [(title, "", "", size, f"{change.intervals:.3g}"), *inner]
