"""Test whether a property changed between two values of a context, such as two versions, and name what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import MeasurementError, Problem, RequestError, plural, unknown_name_hint
from splc.formats.measurements.columns import shown_value
from splc.learning.contexts.change_test import MIN_PAIRS, ChangeTest, change_test
from splc.types import Array
from splc.workflows.by import with_context
from splc.workflows.common_fields import Seed
from splc.workflows.field_values import percentage_of
from splc.workflows.fields import as_option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, Rank, run_notes


@request
class Request(SystemInputs):
    """A request to test two values of a context for a change."""

    by: Annotated[str, as_option("COLUMN", "The context, such as version.")]
    old: Annotated[str | None, as_option("VALUE", "Its value before the change.", default="the last but one")] = None
    new: Annotated[str | None, as_option("VALUE", "Its value after it.", default="the last one")] = None
    at_least: Annotated[
        float,
        as_option(
            "PERCENT",
            "Changes count if their 95 % interval excludes all that are smaller, such as 2%.",
            default="0%",
            parse=percentage_of,
        ),
    ] = 0.0
    seed: Seed = 0


@dataclass(frozen=True)
class Result:
    """The test of a change between two values of a context.

    Attributes:
        request: the request.
        nfp: the property.
        unit: its unit, None if it is not known.
        old: the value of the context before the change.
        new: the value after it.
        test: the test.
        only_old: the number of configurations that were measured before the change only.
        only_new: the number of those measured after it only.
        notes: what the user should know.
    """

    request: Request
    nfp: str
    unit: str | None
    old: str
    new: str
    test: ChangeTest
    only_old: int
    only_new: int
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Test whether a property changed between two values of a context.

    Args:
        request: the measurements, the context and its values.

    Raises:
        InputError: if a file cannot be read, or too few configurations were measured with both values.
        RequestError: if the context has no such value.
    """
    if request.at_least >= 100:
        raise RequestError("a change of 100 % or more is not tested; use a number below 100", "at_least")
    request = with_context(request, request.by)
    project = request.project()
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        parts = request.read_by(project, space, notes, request.by)
        old, new = _values(request, list(parts))
        nfp = project.resolve_property(parts[new])
        notes += run_notes([parts[old], parts[new]], nfp)
        before, after = (_measured(parts[value], nfp, request.by, value) for value in (old, new))
        rows = before.configurations.find(after.configurations)
        common = rows >= 0
        first, second = before.column(nfp)[rows[common]], after.column(nfp)[common]
        positive = (first > 0) & (second > 0)
        pairs = after.configurations[np.flatnonzero(common)[positive]]
        if left_out := int((~positive).sum()):
            pairs_text = plural(left_out, "pair is", "pairs are")
            notes.append(Note(f"{pairs_text} left out: values that are not positive have no ratio", warning=True))
        if len(pairs) < MIN_PAIRS:
            raise MeasurementError(_too_few(len(pairs), request.by, old, new, before.report.source))
        columns: dict[str, Array] = {option.name: pairs.value(option.name) for option in pairs.system.options}
        ratio = request.at_least / 100
        test = change_test(columns, first[positive], second[positive], at_least=ratio, seed=request.seed)
        notes += _method_notes(test)
        unmatched = (len(before.configurations) - int(common.sum()), int((~common).sum()))
        return Result(request, nfp, after.unit(nfp), old, new, test, *unmatched, tuple(notes))


def _values(request: Request, values: Sequence[str]) -> tuple[str, str]:
    """Return the values before and after the change: by default the last two in natural order."""
    for field, value in (("old", request.old), ("new", request.new)):
        if value is not None and value not in values:
            hint = unknown_name_hint(value, values)
            raise RequestError(f"{request.by!r} has no value {value!r}", field, hint=hint)
    if request.old is not None and request.old == request.new:
        listing = ", ".join(map(shown_value, values))
        hint = f"name another one; {request.by!r} has: {listing}"
        raise RequestError(f"both values of {request.by!r} are {request.old!r}", "old", "new", hint=hint)
    new = request.new or next((text for text in reversed(values) if text != request.old), "")
    earlier = values[: values.index(new)] if new else values
    old = request.old or next(reversed(earlier or values), "")
    if not new or old == new:
        listing = ", ".join(map(shown_value, values))
        raise RequestError(f"two values of {request.by!r} are compared; it has: {listing}", "old", "new")
    return old, new


def _measured(part: Measurements, nfp: str, by: str, value: str) -> Measurements:
    """Return the configurations that have a value of the property."""
    if nfp not in part.properties:
        raise MeasurementError(Problem(f"{by} {shown_value(value)} has no values of {nfp!r}", part.report.source))
    return part.measured(nfp)


def _too_few(pairs: int, by: str, old: str, new: str, source: str | None) -> Problem:
    text = (
        f"{plural(pairs, 'configuration was', 'configurations were')} measured with {by} {shown_value(old)} and "
        f"{shown_value(new)}; the test needs at least {MIN_PAIRS}"
    )
    hint = f"measure the same configurations with both, in turn; without pairs, splc learn --by {by} compares models"
    return Problem(text, source, hint=hint)


def _method_notes(test: ChangeTest) -> list[Note]:
    """Return the limits of the test."""
    notes = []
    if test.factor_changed:
        text = "the common factor may also be the load of the machine, unless the runs of both alternated"
        notes.append(Note(text, about=Rank.LIMIT))
    if any(influence.alternatives for influence in test.influences):
        text = "options that are equal in all pairs cannot be told apart; further pairs in which they differ can"
        notes.append(Note(text, about=Rank.LIMIT))
    return notes
