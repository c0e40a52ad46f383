"""The view of the terms or factors of a learned model, grouped by options."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from splc.errors import plural
from splc.io.json import picked
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


def effects_as_json(group: OptionEffects) -> dict[str, Any]:
    """Return the JSON object of the effects of a set of options; shares are in percent."""
    terms = [
        {
            **picked(effect, "text, influence, share"),
            "factor": effect.factor or None,
            **picked(effect, "low, high, folds = estimate.folds"),
            "sign_settled": None if effect.estimate is None else not effect.unsettled,
        }
        for effect in group.effects
    ]
    return {**picked(group, "options, share, levels"), "terms": terms}


def view_of_effects(groups: Sequence[OptionEffects], rows: int) -> View:
    """Yield the terms of a sum, or the factors of a product (`splc.learning.effects`).

    `rows`: the number of configurations that shares are averaged over.
    """
    product = any(effect.factor for group in groups for effect in group.effects)
    groups, left_out = _worth_a_line(groups)
    effects = [effect for group in groups for effect in group.effects]
    lines, marked = _lines(groups, product)
    yield Rows([row for line in lines for row in _wrapped(line)], PRODUCT) if product else Rows(lines, SUM)
    where = f"on the {plural(rows, 'configuration', 'configurations')} learned from"
    shares = "mean contribution / mean prediction"
    if any(effect.absolute for effect in effects):
        shares = "mean |contribution| / their sum over all terms, which cancel,"
    small = f"without a settled sign and with a share below {SMALL_SHARE:g} %"
    hidden = plural(left_out, "term", "terms")
    if product:
        hidden, small = plural(left_out, "factor", "factors"), "close to 1 and without a settled sign"
    has_shares = not product and any(effect.share is not None for effect in effects)
    has_ranges = product and any(_line(effect, product)[3] for effect in effects)
    notes = (
        (product, "The prediction is the product of the factors whose options are selected."),
        (has_ranges, f"range: least and greatest value of the factor {where}."),
        (has_shares, f"share: {shares} {where} (negative: it lowers the prediction)"),
        (left_out, f"not shown: {hidden} {small}"),
        (any(map(_support, effects)), "folds: of how many the own model has a term of the same options"),
        (marked, f"{UNSETTLED_MARK}: {UNSETTLED}"),
    )
    if texts := [text for applies, text in notes if applies]:
        yield Prose("\n" + "\n".join(texts))


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
    # Each line with its effects, and whether it has a mark.
    lines: list[tuple[tuple[str, ...], Sequence[Effect], bool]] = []
    for group in groups:
        compact = group.levels and len(group.effects) > MAX_LEVELS
        rows: dict[str, list[Effect]] = {}
        for effect in group.effects:
            # What effects have in common besides the member of an alternative group.
            rows.setdefault(effect.rest if compact else effect.text, []).append(effect)
        indent = INDENT if len(rows) > 1 else ""
        title = " * ".join(group.options)
        if indent:
            header = _cells(product, title or CONSTANT, group.share, "levels" if group.levels else "")
            lines.append((header, (), False))
        for text, effects in rows.items():
            line = _levels(text if indent else title, effects, product) if compact else _line(effects[0], product)
            marked = compact and any(effect.unsettled for effect in effects)
            lines.append(((indent + line[0], *line[1:]), effects, marked))
    count = len(lines)
    if count > MAX_LINES:
        # No header without a line of its group.
        count = MAX_LINES - 1 if lines[MAX_LINES - 2][1] else MAX_LINES - 2
    shown = [line for line, _, _ in lines[:count]]
    if hidden := [effect for _, effects, _ in lines[count:] for effect in effects]:
        text = f"{len(hidden)} more {'factor' if product else 'term'}s"
        shares = [effect.share for effect in hidden if effect.share is not None]
        shown.append(_cells(product, text + (f", together {share_text(sum(shares))}" if shares else "")))
    return shown, any(marked for _, _, marked in lines[:count])


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


def _cells(product: bool, title: str, share: float | None = None, remark: str = "", value: str = "") -> tuple[str, ...]:
    """Return a line without an interval."""
    return (title, value, "", "", "", remark) if product else (title, value, "", "", share_text(share), "", remark)


def _levels(title: str, effects: Sequence[Effect], product: bool) -> tuple[str, ...]:
    """Return the line of a table of levels: members of an alternative group with their influences or factors."""
    parts = []
    for effect in sorted(effects, key=lambda effect: (len(effect.level), effect.level)):
        value = effect.factor if effect.influence is None else f"{effect.influence:.4g}"
        if effect.influence is None and not any(map(str.isalpha, value)):
            value = f"{float(value):.4g}"
        parts.append(f"{effect.level}: {value}{UNSETTLED_MARK if effect.unsettled else ''}")
    shown = ", ".join(parts)
    if product:
        return _cells(product, title, remark="levels", value=shown)
    influences = [effect.influence for effect in effects if effect.influence is not None]
    ends = dict.fromkeys(f"{end:.4g}" for end in (min(influences), max(influences)))
    return _cells(product, title, sum(effect.share or 0.0 for effect in effects), shown, " to ".join(ends))


def _line(effect: Effect, product: bool) -> tuple[str, ...]:
    estimate, remark = effect.estimate, UNSETTLED if effect.unsettled else ""
    if product:
        ends = interval = ""
        if not any(map(str.isalpha, effect.factor)):
            if estimate is not None:
                interval = " to ".join(f"{math.exp(min(end, 700.0)):.4g}" for end in (estimate.low, estimate.high))
        elif effect.low is not None and effect.high is not None:
            ends = f"{effect.low:.4g} to {effect.high:.4g}"
        return (effect.text or "(always)", effect.factor, interval, ends, _support(effect), remark)
    if estimate is None:
        return _cells(product, effect.text, effect.share, remark, short_number(effect.influence))
    influence, error = short_number(effect.influence), f"{estimate.standard_error:.2g}"
    interval = f"{estimate.low:.4g} to {estimate.high:.4g}"
    return (effect.text, influence, error, interval, share_text(effect.share), _support(effect), remark)


def _support(effect: Effect) -> str:
    """Return how many of the folds have a term of the same options."""
    estimate = effect.estimate
    if estimate is None or estimate.folds is None or not effect.folds or not estimate.term.options:
        return ""
    return f"{estimate.folds}/{effect.folds}"
