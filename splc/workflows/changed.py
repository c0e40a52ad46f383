"""`splc changed`: test whether a property changed between two values of a context, and name what changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from sampling import Space
from splc.errors import MeasurementError, Problem, RequestError, SplcError, listed, plural, unknown_name_hint
from splc.formats.column_choice import shown_value
from splc.io.files import STANDARD, require_writable, write_whole
from splc.io.json import picked
from splc.io.numbers import percentage, signed_percentage
from splc.learning.contexts.change_test import (
    LEVEL,
    MIN_PAIRS,
    ChangeByValues,
    ChangedInfluence,
    ChangeTest,
    change_test,
)
from splc.measuring.journal import read_journal
from splc.measuring.setup import plan_in
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.plotting.charts.influences import Influence, influence_chart
from splc.types import Array
from splc.workflows import views
from splc.workflows.fields import Seed, as_option, option, percentage_of, refuse, request
from splc.workflows.inputs import TableInputs, require_suffix, with_context
from splc.workflows.measure.outcome import Outputs
from splc.workflows.note import Note, Noted, Notes, Rank, run_notes

MAX_NAMED = 3  # the number of changed influences in the first line
ROUNDING = 1e-9  # logarithms that deviate less are equal except for rounding


@request
class Request(TableInputs):
    """Test whether a property changed between two versions, and name the influences that did.

    It compares configurations that were measured with both: best with runs of both versions in turn, on one machine.
    If nothing changed, the test states a change in at most 5 % of all cases. The exit code is 1 if something changed;
    with --fail-above or --fail-below, if a change is beyond that limit.
    """

    by: Annotated[str, as_option("COLUMN", "The context, such as version.")]
    old: str | None = option(None, "VALUE", default="the last but one")("Its value before the change.")
    new: str | None = option(None, "VALUE", default="the last one")("Its value after it.")
    at_least: float = option(0.0, "PERCENT", default="0%", parse=percentage_of)(
        "Changes count if their 95 % interval excludes all that are smaller, such as 2%."
    )
    fail_above: float | None = option(None, "PERCENT", parse=percentage_of)(
        "The exit code is 1 only if values became greater by this, all or those with a value of a changed option: "
        "their 95 % interval excludes smaller changes. 5% is the limit of a build."
    )
    fail_below: float | None = option(None, "PERCENT", parse=percentage_of)("The same for values that became smaller.")
    output: str | None = option(None, "FILE", names="--output -o")("Write the result as Markdown, too (.md).")
    plot: str | None = option(None, "FILE")("Draw the changes with their intervals (.svg, .png, .pdf).")
    seed: Seed = 0


@dataclass(frozen=True)
class Result(Noted):
    """The test of a change between two values of a context."""

    request: Request  # the request
    nfp: str  # the property
    unit: str | None  # its unit, None if it is not known
    old: str  # the value of the context before the change
    new: str  # the value after it
    test: ChangeTest  # the test
    only_old: int  # the number of configurations that were measured before the change only
    only_new: int  # the number of those measured after it only

    @property
    def detectable(self) -> float | None:
        """The change that is found in three of four cases, in percent."""
        return None if self.test.detectable is None else (self.test.detectable - 1) * 100

    @property
    def changes(self) -> list[tuple[str, ChangeTest | ChangeByValues]]:
        """The change of all configurations, and those of the ones with a value of a changed option."""
        names = (" and ".join(f"{name}={value:g}" for name, value in each.values) for each in self.test.by_values)
        return [("all", self.test), *zip(names, self.test.by_values, strict=True)]

    @property
    def limits(self) -> dict[str, float]:
        """The side of a limit of the request, `above` or `below` → its size in percent."""
        sides = (("above", self.request.fail_above), ("below", self.request.fail_below))
        return {side: limit for side, limit in sides if limit is not None}

    @property
    def failures(self) -> tuple[str, ...]:
        """The changes beyond the limits of the request: `all +9.8 %`, `tls=1 +22.7 %`."""
        if not self.test.changed:
            return ()
        above = 1 + self.limits.get("above", math.inf) / 100
        below = 1 - self.limits.get("below", math.inf) / 100
        beyond = [(name, each.factor) for name, each in self.changes if each.low > above or each.high < below]
        return tuple(f"{name} {_signed(factor)}" for name, factor in beyond)


def run(request: Request, watch: views.Watch = views.UNWATCHED) -> Result:
    """Test whether a property changed between two values of a context."""
    refuse((request.at_least >= 100, "a change of 100 % or more is not tested; use a number below 100", "at_least"))
    request = with_context(request.with_tables(), request.by)
    project = request.project()
    require_suffix(request.output, ".md", "it is written as Markdown")
    require_writable(request.output, project.files)
    require_picture(request.plot, (*project.files, request.output))
    with Notes() as notes:
        parts = request.read_by(project, Space(request.read_system(project, notes)), notes, request.by)
        old, new = _values(request, list(parts))
        nfp = project.resolve_property(parts[new])
        notes += run_notes([parts[old], parts[new]], nfp)
        for value in (old, new):
            if nfp not in (part := parts[value]).properties:
                message = f"{request.by} {shown_value(value)} has no values of {nfp!r}"
                raise MeasurementError(Problem(message, part.report.source))
        before, after = parts[old].measured(nfp), parts[new].measured(nfp)
        rows = before.configurations.find(after.configurations)
        common = rows >= 0
        first, second = before.column(nfp)[rows[common]], after.column(nfp)[common]
        positive = (first > 0) & (second > 0)
        pairs = after.configurations[np.flatnonzero(common)[positive]]
        if left_out := int((~positive).sum()):
            pairs_text = plural(left_out, "pair is", "pairs are")
            notes.append(Note(f"{pairs_text} left out: values that are not positive have no ratio", warning=True))
        if len(pairs) < MIN_PAIRS:
            text = f"{plural(len(pairs), 'configuration was', 'configurations were')} measured with {request.by} "
            text += f"{shown_value(old)} and {shown_value(new)}; the test needs at least {MIN_PAIRS}"
            hint = "measure the same configurations with both, in turn; without pairs, "
            hint += f"splc learn --by {request.by} compares models"
            raise MeasurementError(Problem(text, before.report.source, hint=hint))
        columns: dict[str, Array] = {option.name: pairs.value(option.name) for option in pairs.system.options}
        ratio = request.at_least / 100
        test = change_test(columns, first[positive], second[positive], at_least=ratio, seed=request.seed)
        load = "the common factor may also be the load of the machine, unless the runs of both alternated"
        # The values that were measured in turn, as the journal beside the table says.
        turns = None
        with suppress(SplcError):
            plan = plan_in(read_journal(Outputs.of(after.report.source or "", None).journal))
            turns = (plan or {}).get("contexts", {}).get(request.by)
        alternated = isinstance(turns, dict) and {old, new} <= {*turns.values()}
        disturbed = test.factor_changed and not alternated
        equal = "options that are equal in all pairs cannot be told apart; further pairs in which they differ can"
        limits = ((disturbed, load), (any(each.alternatives for each in test.influences), equal))
        notes += [Note(text, about=Rank.LIMIT) for applies, text in limits if applies]
        unmatched = (len(before.configurations) - int(common.sum()), int((~common).sum()))
        result = Result(request, nfp, after.unit(nfp), old, new, test, *unmatched, notes=tuple(notes))
    if request.plot is not None:
        ends = ("factor", "low", "high")
        drawn = [Influence(name, *(100 * (getattr(each, end) - 1) for end in ends)) for name, each in result.changes]
        title = f"Change of {nfp} from {shown_value(old)} to {shown_value(new)}"
        text = "The change of all pairs, and of those with a value of an option that changed, with 95 % intervals."
        chart = influence_chart(drawn, nfp, product=True)
        write_picture(replace(chart, name="changes", title=title, description=text), request.plot)
    return result


def _values(request: Request, values: Sequence[str]) -> tuple[str, str]:
    """Return the values before and after the change: by default the last two in natural order."""
    for field, value in (("old", request.old), ("new", request.new)):
        if value is not None and value not in values:
            hint = unknown_name_hint(value, values)
            raise RequestError(f"{request.by!r} has no value {value!r}", field, hint=hint)
    listing = ", ".join(map(shown_value, values))
    if request.old is not None and request.old == request.new:
        hint = f"name another one; {request.by!r} has: {listing}"
        raise RequestError(f"both values of {request.by!r} are {request.old!r}", "old", "new", hint=hint)
    new = request.new or next((text for text in reversed(values) if text != request.old), "")
    earlier = values[: values.index(new)] if new else values
    old = request.old or next(reversed(earlier or values), "")
    if not new or old == new:
        raise RequestError(f"two values of {request.by!r} are compared; it has: {listing}", "old", "new")
    return old, new


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a test."""
    numbers = "changed, factor, low, high, probability, factor_changed, influences, deviation"
    about = "by = request.by, old, new, nfp, unit, pairs = test.pairs, only_old, only_new"
    limits = picked(result, "detectable, at_least = request.at_least, failures")
    by_values = [{"values": dict(each.values), **picked(each, "factor, low, high")} for each in result.test.by_values]
    facts = picked(result, about), picked(result.test, numbers)
    return {"schema": "splc.changed/1", **facts[0], **facts[1], "by_values": by_values, **limits}


def view(result: Result, detail: views.Detail) -> views.View:
    """Yield the answer, the common factor and the changed influences, the changes by values, and the file."""
    items, request = [*_content(result)], result.request
    yield from items if request.output != STANDARD else ()
    if request.output is not None:
        yield views.Output(request.output, partial(write_whole, content=views.markdown_of(items)), "the result")
    yield views.End(int(bool(result.failures) if result.limits else result.test.changed))


def _content(result: Result) -> views.View:
    """Yield what is printed, and what a file has."""
    test = result.test
    if result.limits:
        limit = " or ".join(f"{size:g} % {side}" for side, size in result.limits.items())
        beyond = listed(result.failures, MAX_NAMED)
        text = f"beyond the limit of {limit}"
        yield views.Answer(f"{text}: {beyond}" if beyond else f"nothing {text}")
        yield views.Prose(_answer(result))
    else:
        yield views.Answer(_answer(result))
    values = f"{shown_value(result.new)} / {shown_value(result.old)}"
    unpaired = result.only_old + result.only_new
    extra = f"; {unpaired:,} with one of them only" if unpaired else ""
    yield views.Prose(f"{result.nfp}: {result.request.by} {values}, {views.counted(test.pairs, 'pair')} of runs{extra}")
    rows: list[tuple[str, ChangeTest | ChangedInfluence, bool]] = [("common factor", test, test.factor_changed)]
    rows += [(" * ".join(term.options), term, term.relevant) for term in test.influences]
    unclear = f"not clearly {result.request.at_least:g} % or more"
    remark = views.Column("", lambda row: "" if row[2] else "no change" if row[1].probability > LEVEL / 2 else unclear)
    yield views.Rows(rows, (*CHANGES, remark))
    if test.by_values:
        yield ""
        yield views.Rows(result.changes, BY_VALUES)
    for term in test.influences:
        if term.alternatives:
            others = listed([" * ".join(names) for names in term.alternatives], 4)
            yield f"{' * '.join(term.options)} cannot be told apart from {others}"
    yield result.notes


def _signed(factor: float) -> str:
    return signed_percentage((factor - 1) * 100, 3)


def _answer(result: Result) -> str:
    """Return the first line: what changed, or the change that would have been found."""
    test = result.test
    changes = [("common factor", test.factor)] if test.factor_changed else []
    changes += [(" * ".join(term.options), term.factor) for term in test.influences if term.relevant]
    limit = f" of {result.request.at_least:g} % or more" if result.request.at_least else ""
    shown = listed([f"{name} {_signed(factor)}" for name, factor in changes], MAX_NAMED)
    answer, size = f"changed: {shown}" if changes else f"no change{limit} found", percentage(result.detectable, 2)
    if not size or test.deviation <= ROUNDING:
        return answer
    pairs = views.counted(test.pairs, "pair")
    return f"{answer}; {pairs} find a change of {size} of one influence in three of four cases"


CHANGES = (
    views.Column("change", 0),
    views.Column("factor", "1.factor", views.four_digits),
    views.interval_column("95 % interval", "1.low", "1.high"),
)

# The change by values of options, in percent.
BY_VALUES = (
    views.Column("configurations with", 0),
    views.Column("change", "1.factor", _signed, right=True),
    views.interval_column("95 % interval", "1.low", "1.high", _signed),
)

EXAMPLES = (
    "splc changed --measurements versions.csv --by version",
    "splc changed --measurements versions.csv --by version --old v1.9 --new v1.10 --at-least 2%",
    "splc changed versions.csv --by version --fail-above 5% -o changed.md",
)
VERB = views.Verb(Request, run, view, as_json, EXAMPLES, doing="testing")
