"""The output of `splc changed`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from splc.cli.show.blocks import Column, counted, interval_text, show_rows
from splc.cli.terminal import say, tell
from splc.errors import listed
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at
from splc.io.numbers import percentage, short_number, signed_percentage
from splc.learning.contexts.change_test import LEVEL, ChangedInfluence, ChangeTest
from splc.workflows.changed import Result

# The number of changed influences in the first line.
MAX_NAMED = 3
# Logarithms that deviate less are equal except for rounding.
ROUNDING = 1e-9


def detectable(result: Result) -> float | None:
    """Return the change that is found in three of four cases, in percent."""
    return None if result.test.detectable is None else (result.test.detectable - 1) * 100


class ChangedInfluenceObject(JsonObject):
    """A changed influence: its factor after relative to before, with its 95 % interval."""

    options: list[str]
    alternatives: list[list[str]]
    factor: float
    low: float
    high: float
    probability: float
    relevant: bool


class ChangedObject(JsonObject, schema="splc.changed/1"):
    """A test of a change between two values of a context; `at_least` and `detectable` are in percent."""

    by: str = at("request.by")
    old: str
    new: str
    nfp: str
    unit: str | None
    pairs: int = at("test.pairs")
    only_old: int
    only_new: int
    changed: bool = at("test.changed")
    factor: float = at("test.factor")
    low: float = at("test.low")
    high: float = at("test.high")
    probability: float = at("test.probability")
    factor_changed: bool = at("test.factor_changed")
    influences: list[ChangedInfluenceObject] = at("test.influences")
    deviation: float = at("test.deviation")
    detectable: float | None = at(detectable)
    at_least: float = at("request.at_least")


def show(result: Result) -> None:
    """Print the answer, the common factor and the changed influences."""
    test = result.test
    tell(_answer(result), "answer")
    values = f"{shown_value(result.new)} / {shown_value(result.old)}"
    unpaired = result.only_old + result.only_new
    extra = f"; {unpaired:,} with one of them only" if unpaired else ""
    tell(f"{result.nfp}: {result.request.by} {values}, {counted(test.pairs, 'pair')} of runs{extra}")
    rows: list[tuple[str, ChangeTest | ChangedInfluence, str]] = [
        ("common factor", test, _remark(result, test.probability, counts=test.factor_changed))
    ]
    rows += [(_title(term), term, _remark(result, term.probability, counts=term.relevant)) for term in test.influences]
    show_rows(rows, CHANGES)
    for term in test.influences:
        if term.alternatives:
            say(
                f"{_title(term)} cannot be told apart from {listed([_joined(names) for names in term.alternatives], 4)}"
            )


def _answer(result: Result) -> str:
    """Return the first line: what changed, or the change that would have been found."""
    test = result.test
    changes = [(_title(influence), influence.factor) for influence in test.influences if influence.relevant]
    changes = [*([("common factor", test.factor)] if test.factor_changed else []), *changes]
    size = percentage(detectable(result), 2) if test.deviation > ROUNDING else ""
    power = f"{counted(test.pairs, 'pair')} find a change of {size} of one influence in three of four cases"
    if not changes:
        limit = f" of {result.request.at_least:g} % or more" if result.request.at_least else ""
        return f"no change{limit} found" + (f"; {power}" if size else "")
    shown = listed([f"{name} {_percent(factor)}" for name, factor in changes], MAX_NAMED)
    return f"changed: {shown}" + (f"; {power}" if size else "")


def _remark(result: Result, probability: float, *, counts: bool) -> str:
    """Return why a factor does not count as a change; empty if it does."""
    if counts:
        return ""
    return "no change" if probability > LEVEL / 2 else f"not clearly {result.request.at_least:g} % or more"


def _percent(factor: float) -> str:
    """Return a factor as a signed percentage."""
    return signed_percentage((factor - 1) * 100, 3)


def _joined(names: Sequence[str]) -> str:
    return " * ".join(names)


def _title(influence: ChangedInfluence) -> str:
    return _joined(influence.options)


CHANGES = (
    Column("change", 0),
    Column("factor", "1.factor", partial(short_number, digits=4)),
    Column(
        "95 % interval",
        lambda row: interval_text((row[1].low, row[1].high), partial(short_number, digits=4)),
        right=True,
    ),
    Column("", 2),
)
