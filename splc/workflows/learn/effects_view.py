"""The view of the terms or factors of a learned model, grouped by options."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from splc.errors import plural
from splc.io.json_object import JsonObject, at
from splc.io.numbers import share_text, short_number
from splc.learning.effects import SMALL_SHARE, Effect, OptionEffects
from splc.workflows.views import Column, Prose, Rows, View

MAX_LINES = 20
INDENT = "  "
# Columns that are left out where the terminal is too narrow, the first one first.
OPTIONAL = {"std. error": 1, "folds": 2, "90 % interval": 3}
SUM = tuple(
    Column(title, index, right=0 < index < 6, signed=title == "influence", optional=OPTIONAL.get(title, 0))
    for index, title in enumerate(("term", "influence", "std. error", "90 % interval", "share", "folds", "remark"))
)
PRODUCT = tuple(
    Column(title, index)
    for index, title in enumerate(("if selected", "factor", "90 % interval", "range", "folds", "remark"))
)
UNSETTLED = "sign not settled"
UNSETTLED_MARK = "?"
# Sets of options with more levels than these have one line for all levels of an alternative group.
MAX_LEVELS = 4
CONSTANT = "1"
WIDEST_FACTOR = 80
NO_BREAK = "\u00a0"


class EffectObject(JsonObject):
    """A term with its effect, or a factor of a product as text; shares are in percent."""

    text: str
    influence: float | None
    share: float | None
    factor: str | None = at(lambda effect: effect.factor or None)
    low: float | None
    high: float | None
    folds: int | None = at("estimate.folds")
    sign_settled: bool | None = at(lambda effect: None if effect.estimate is None else not effect.unsettled)


class OptionEffectsObject(JsonObject):
    """The effects of a set of options."""

    options: list[str]
    share: float | None
    levels: bool
    terms: list[EffectObject] = at("effects")


def view_of_effects(groups: Sequence[OptionEffects], rows: int) -> View:
    """Yield the terms of a sum, or the factors of a product (`splc.learning.effects`).

    `rows`: the number of configurations that shares are averaged over.
    """
    product = any(effect.factor for group in groups for effect in group.effects)
    groups, left_out = _worth_a_line(groups)
    lines, marked = _lines(groups, product)
    if product:
        yield Rows([row for line in lines for row in _wrapped(line)], PRODUCT)
    else:
        yield Rows(lines, SUM)
    where = plural(rows, "configuration", "configurations")
    notes: list[str] = []
    if product:
        notes.append("The prediction is the product of the factors whose options are selected.")
        if any(_line(effect, product)[3] for group in groups for effect in group.effects):
            notes.append(f"range: least and greatest value of the factor on the {where} learned from.")
    elif any(effect.share is not None for group in groups for effect in group.effects):
        absolute = any(effect.absolute for group in groups for effect in group.effects)
        sizes = "mean |contribution| / their sum over all terms, which cancel,"
        meaning = f"share: {sizes if absolute else 'mean contribution / mean prediction'}"
        notes.append(f"{meaning} on the {where} learned from (negative: it lowers the prediction)")
    if left_out:
        small = f"without a settled sign and with a share below {SMALL_SHARE:g} %"
        noun = ("factor", "factors") if product else ("term", "terms")
        count = plural(left_out, *noun)
        notes.append(f"not shown: {count} {'close to 1 and without a settled sign' if product else small}")
    if any(_support(effect) for group in groups for effect in group.effects):
        notes.append("folds: of how many the own model has a term of the same options")
    if marked:
        notes.append(f"{UNSETTLED_MARK}: {UNSETTLED}")
    if notes:
        yield Prose("\n" + "\n".join(notes))


def _worth_a_line(groups: Sequence[OptionEffects]) -> tuple[list[OptionEffects], int]:
    """Return the groups without negligible effects, and the number of these; a table has at least one line."""
    result = []
    for group in groups:
        effects = tuple(effect for effect in group.effects if not effect.negligible)
        # The levels of an alternative group belong together.
        result += [group if group.levels else replace(group, effects=effects)] if effects else []
    result = result or list(groups[:1])
    return result, sum(len(group.effects) for group in groups) - sum(len(group.effects) for group in result)


def _lines(groups: Sequence[OptionEffects], product: bool) -> tuple[list[tuple[str, ...]], bool]:
    """Return the lines of the table, and whether one has a mark; what exceeds the most lines is summed up."""
    lines: list[tuple[tuple[str, ...], Sequence[Effect]]] = []
    marked: list[bool] = []
    for group in groups:
        compact = group.levels and len(group.effects) > MAX_LEVELS
        rows = _rows(group) if compact else {effect.text: [effect] for effect in group.effects}
        indent = INDENT if len(rows) > 1 else ""
        if indent:
            lines.append((_header(group, product), ()))
            marked.append(False)
        title = " * ".join(group.options)
        for text, effects in rows.items():
            line = _levels(text if indent else title, effects, product) if compact else _line(effects[0], product)
            lines.append(((indent + line[0], *line[1:]), effects))
            marked.append(compact and any(effect.unsettled for effect in effects))
    if len(lines) <= MAX_LINES:
        return [line for line, _ in lines], any(marked)
    count = MAX_LINES - 1
    if not lines[count - 1][1]:
        count -= 1
    hidden = [effect for _, effects in lines[count:] for effect in effects]
    noun = "factor" if product else "term"
    text = f"{len(hidden)} more {noun}s"
    shares = [effect.share for effect in hidden if effect.share is not None]
    if shares:
        text += f", together {share_text(sum(shares))}"
    width = len(PRODUCT if product else SUM)
    return [*(line for line, _ in lines[:count]), (text, *[""] * (width - 1))], any(marked[:count])


def _wrapped(line: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a line of factors, with further rows for a long factor, which is divided before operators."""
    name, factor, *cells = line
    for operator in "*+-":
        factor = factor.replace(f" {operator} ", f" {operator}{NO_BREAK}")
    factor = factor.replace(": ", f":{NO_BREAK}")
    wrapped = textwrap.wrap(factor, WIDEST_FACTOR, subsequent_indent=INDENT, break_long_words=False) or [""]
    first, *parts = (part.replace(NO_BREAK, " ") for part in wrapped)
    yield (name, first, *cells)
    yield from (("", part, *[""] * len(cells)) for part in parts)


def _rows(group: OptionEffects) -> dict[str, list[Effect]]:
    """Return what effects have in common besides the member of an alternative group → the effects."""
    rows: dict[str, list[Effect]] = {}
    for effect in group.effects:
        rows.setdefault(effect.rest, []).append(effect)
    return rows


def _levels(title: str, effects: Sequence[Effect], product: bool) -> tuple[str, ...]:
    """Return the line of a table of levels: members of an alternative group with their influences or factors."""
    parts = []
    for effect in sorted(effects, key=lambda effect: (len(effect.level), effect.level)):
        value = effect.factor if effect.influence is None else f"{effect.influence:.4g}"
        if effect.influence is None and not any(character.isalpha() for character in value):
            value = f"{float(value):.4g}"
        parts.append(f"{effect.level}: {value}{UNSETTLED_MARK if effect.unsettled else ''}")
    shown = ", ".join(parts)
    if product:
        return (title, shown, "", "", "", "levels")
    influences = [effect.influence for effect in effects if effect.influence is not None]
    ends = dict.fromkeys(f"{end:.4g}" for end in (min(influences), max(influences)))
    return (title, " to ".join(ends), "", "", share_text(sum(effect.share or 0.0 for effect in effects)), "", shown)


def _header(group: OptionEffects, product: bool) -> tuple[str, ...]:
    title = " * ".join(group.options) or CONSTANT
    remark = "levels" if group.levels else ""
    if product:
        return (title, "", "", "", "", remark)
    return (title, "", "", "", share_text(group.share), "", remark)


def _line(effect: Effect, product: bool) -> tuple[str, ...]:
    estimate, remark = effect.estimate, UNSETTLED if effect.unsettled else ""
    if product:
        ends = interval = ""
        if not any(character.isalpha() for character in effect.factor):
            interval = f"{_exponential(estimate.low)} to {_exponential(estimate.high)}" if estimate is not None else ""
        elif effect.low is not None and effect.high is not None:
            ends = f"{effect.low:.4g} to {effect.high:.4g}"
        return (effect.text or "(always)", effect.factor, interval, ends, _support(effect), remark)
    influence = short_number(effect.influence)
    if estimate is None:
        return (effect.text, influence, "", "", share_text(effect.share), "", remark)
    interval = f"{estimate.low:.4g} to {estimate.high:.4g}"
    error = f"{estimate.standard_error:.2g}"
    return (effect.text, influence, error, interval, share_text(effect.share), _support(effect), remark)


def _support(effect: Effect) -> str:
    """Return how many of the folds have a term of the same options."""
    estimate = effect.estimate
    if estimate is None or estimate.folds is None or not effect.folds or not estimate.term.options:
        return ""
    return f"{estimate.folds}/{effect.folds}"


def _exponential(value: float) -> str:
    return f"{math.exp(min(value, 700.0)):.4g}"
