"""The effects of the terms of a learned model, and how they change between two values of a context."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from comparison.changes import ModelChange, ModelCourse, SetChange, TermCourse, model_change
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError, listed, plural
from splc.formats.column_choice import shown_value
from splc.io.json import picked
from splc.io.numbers import percentage, share_text, short_number
from splc.learning.contexts.contrasts import ContextContrast, ContextInfluences, in_half_widths
from splc.learning.effects import SMALL_SHARE, Effect, OptionEffects
from splc.learning.learner import predictions
from splc.models.basis.regression import NORMAL_QUANTILE, t_quantile
from splc.workflows.learn.learn import Result
from splc.workflows.views import Column, Prose, Rows, View, columns, four_digits, interval_column, interval_text

MAX_LINES = 20
INDENT = "  "
# Columns that are left out where the terminal is too narrow, the first one first.
OPTIONAL = {"std. error": 1, "folds": 2, "90 % interval": 3}
SUM = tuple(
    Column(title, index, right=0 < index < 6, signed=title == "influence", optional=OPTIONAL.get(title, 0))
    for index, title in enumerate(("term", "influence", "std. error", "90 % interval", "share", "folds", "remark"))
)
PRODUCT = columns("if selected = 0, factor = 1, 90 % interval = 2, range = 3, folds = 4, remark = 5")
UNSETTLED, RARE = "sign not settled", "in few folds"
UNSETTLED_MARK = "?"
# Sets of options with more levels than these have one line for all levels of an alternative group.
MAX_LEVELS = 4
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
    """Yield the terms of a sum, or the factors of a product; shares are averages over so many rows."""
    product = any(effect.factor for group in groups for effect in group.effects)
    groups, left_out = _worth_a_line(groups)
    effects = [effect for group in groups for effect in group.effects]
    lines, marked = _lines(groups, product)
    yield Rows([row for line in lines for row in _wrapped(line)], PRODUCT) if product else Rows(lines, SUM)
    where = f"on the {plural(rows, 'configuration', 'configurations')} learned from"
    shares = "mean contribution / mean prediction"
    if any(effect.absolute for effect in effects):
        shares = "mean |contribution| / their sum over all terms, which cancel,"
    noun, small = "term", f"without a settled sign or in few folds, and with a share below {SMALL_SHARE:g} %"
    if product:
        noun, small = "factor", "close to 1, and without a settled sign or in few folds"
    has_shares = not product and any(effect.share is not None for effect in effects)
    has_ranges = product and any(_line(effect, product)[3] for effect in effects)
    notes = (
        (product, "The prediction is the product of the factors whose options are selected."),
        (has_ranges, f"range: least and greatest value of the factor {where}."),
        (has_shares, f"share: {shares} {where} (negative: it lowers the prediction)"),
        (left_out, f"not shown: {plural(left_out, noun, noun + 's')} {small}"),
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
            header = _cells(product, title or "1", group.share, "levels" if group.levels else "")
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
    estimate, remark = effect.estimate, UNSETTLED if effect.unsettled else RARE if effect.is_rare else ""
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


# The sets of options that a change shows.
MAX_SETS = 5
SETS = ("before", "after", "change", "in intervals")
ON_ALL = "on all values after the change, also those learned from"
CHANGE = "change: mean absolute change of the prediction beyond the common factor"
INTERVALS = "in intervals: relative to half the width of the 90 % interval of the change"
CONTRASTS = (*columns("factor", four_digits), interval_column("90 % interval", "low", "high"))
# What a few rows of a value show may be about the wrong options.
FEW_ROWS = "may have changed: one of the two values has fewer than two rows per option"
# Mean ratios differ from 1 if their interval of this level excludes 1, and by more than rounding.
LEVEL, ROUNDING = 0.99, 1e-6
# A model is clearly worse than another one if its error is this many times the cross-validated error of that one.
WORSE = 1.5
JOINT = "the joint model of all values is compared"


@dataclass(frozen=True, eq=False)
class Change:
    """The change between two values of the context."""

    first: str  # the value before the change
    second: str  # the value after it
    common: int  # the number of configurations that were measured with both values
    ratio: float | None  # the mean of measured value after / before over these; None without any
    ratio_error: float | None  # the standard error of this mean; None with fewer than two configurations
    shifted: bool  # whether the ratios differ from 1 by more than the uncertainty of their mean
    error: float | None  # the mean relative error in percent of the second value's model on its own measurements
    transferred: float | None  # the error of the first value's model on the second value's measurements
    # the changes of influences; None for models without terms, with too few configurations, or of a joint model
    influences: ModelChange | None = None
    reason: str = ""  # why there are no changes of influences
    expected: float | None = None  # the cross-validated error of the second value's model, None without one
    contrast: ContextContrast | None = None  # the change by the joint model of all values; None without one

    @property
    def title(self) -> str:
        """The two values."""
        return f"{shown_value(self.first)} → {shown_value(self.second)}"

    @property
    def settled_sets(self) -> list[SetChange]:
        """The changed sets of options that are larger than their uncertainty; none by the joint model."""
        if self.influences is None or self.contrast is not None:
            return []
        return [influence for influence in self.influences.sets if influence.settled]

    @property
    def worsened(self) -> bool:
        """True if the first value's model is clearly worse on the second value's measurements than that of these."""
        if self.expected is None or self.transferred is None:
            return False
        return self.transferred > max(WORSE * self.expected, ROUNDING)


def context_change(before: Result, after: Result, first: str, second: str, joint: ContextInfluences | None) -> Change:
    """Return what changed between two values of the context."""
    nfp = after.result.nfp
    old, new = ((table.configurations, table.column(nfp)) for table in (before.measured, after.measured))
    crossed, rows = after.result.cross_validated, after.result.rows
    assert rows is not None
    errors = after.result.error_all, rows.judge(partial(predictions, before.result.predictor)).errors["error_all"]
    expected = None if crossed is None else crossed.mean
    change = Change(first, second, *mean_ratio(before.measured, after.measured, nfp), *errors, expected=expected)
    if joint is not None and {first, second} <= {*joint.names}:
        return replace(change, contrast=joint.contrast(first, second), reason=JOINT)
    if not (before.result.readable and after.result.readable):
        return replace(change, reason=f"the learner {after.result.learner} gives no influences")
    try:
        return replace(change, influences=model_change(before.result.model, after.result.model, old, new))
    except ConfigurationError as problem:
        return replace(change, reason=problem.problems[0].message)


def joint_course(joint: ContextInfluences, values: Sequence[str], contrasts: Sequence[ContextContrast]) -> ModelCourse:
    """Return the influences by the joint model with each value, those that changed first."""
    indices = [joint.names.index(value) for value in values]
    terms = []
    for place, option in enumerate(joint.options, start=1):
        deviations = np.sqrt(np.maximum(np.diag(joint.covariances[place]), 0.0))[indices]
        changed = tuple(option in {other.option for other in contrast.settled} for contrast in contrasts)
        widths = (NORMAL_QUANTILE * deviations).tolist()
        terms.append(TermCourse(option, tuple(joint.means[indices, place].tolist()), tuple(widths), changed))
    terms.sort(key=lambda term: (not any(term.changed), -max(map(abs, term.means)), term.text))
    return ModelCourse("log", tuple(terms), (1.0,) * len(contrasts))


def mean_ratio(before: Measurements, after: Measurements, nfp: str) -> tuple[int, float | None, float | None, bool]:
    """Return the number of common configurations, the mean of after / before, its error, and whether it is not 1."""
    before, after = before.measured(nfp), after.measured(nfp)
    rows = before.configurations.find(after.configurations)
    mask = rows >= 0
    old, new = before.column(nfp)[rows[mask]], after.column(nfp)[mask]
    ratios = new[old != 0] / old[old != 0]
    count = int(mask.sum())
    if len(ratios) < 2:
        return count, next(iter(ratios.tolist()), None), None, False
    # The mean of noisy ratios is above 1 without a change; that of their logarithms is 0.
    away = np.log(ratios) if (ratios > 0).all() else ratios - 1
    error, of_away = (float(np.std(values, ddof=1)) / math.sqrt(len(values)) for values in (ratios, away))
    limit = max(t_quantile(len(ratios) - 1, 0.5 + LEVEL / 2) * of_away, ROUNDING)
    return count, float(np.mean(ratios)), error, abs(float(np.mean(away))) > limit


def change_as_json(change: Change) -> dict[str, Any]:
    """Return the JSON object of a change; errors and sizes are in percent, intervals are half widths.

    `undetermined`: the terms that the configurations of a value do not determine. `contrast`: the change by the joint
    model of all values.
    """
    influences, contrast = change.influences, change.contrast
    sets = undetermined = None
    if influences is not None:
        sets = [picked(row, "options, size, terms, intervals, settled") for row in influences.sets]
        sides = zip((change.first, change.second), influences.undetermined, strict=True)
        undetermined = [{"value": value, **picked(side, "zero, confounded")} for value, side in sides]
    return {
        **picked(change, "first, second, common_configurations = common, ratio, ratio_error, error"),
        **picked(change, "transferred_error = transferred, link = influences.link, factor = influences.factor"),
        "sets": sets,
        "undetermined": undetermined,
        "reason": change.reason if influences is None else None,
        **({"contrast": picked(contrast, "factor, low, high, influences, few_rows")} if contrast else {}),
    }


_ERRORS = columns("error, error of previous model = transferred", percentage)
CHANGES = (Column("change", "title"), *columns("common"), *columns("ratio", four_digits), *_ERRORS)


def view_of_changes(by: str, changes: Sequence[Change]) -> View:
    """Yield the table of changes, then what changed from each value to the next."""
    yield ""
    yield Rows(changes, CHANGES)
    # Columns without values are not shown.
    legend = {"ratio": "their mean after / before", "error": ON_ALL}
    shown = [name for name in legend if any(getattr(change, name) is not None for change in changes)]
    yield "; ".join(["common: configurations with both", *(f"{name}: {legend[name]}" for name in shown)])
    apart = True
    for change in changes:
        if apart or change.settled_sets:
            yield ""
        apart = bool(change.settled_sets)
        if change.contrast is not None:
            yield from _contrast(by, change.contrast)
        else:
            yield from view_of_influences(f"{by} {change.title}", change)
    if contrasts := [change.contrast for change in changes if change.contrast is not None]:
        compared = plural(len(contrasts[0].influences), "influence is", "influences are")
        yield f"\nlisted: changes {in_half_widths(contrasts[0].threshold)}, as {compared} compared"
        if any(contrast.few_rows and contrast.settled for contrast in contrasts):
            yield FEW_ROWS
    if any(change.settled_sets for change in changes):
        yield f"\n{CHANGE}\n{INTERVALS}"


def _contrast(by: str, change: ContextContrast) -> View:
    """Yield the common factor between two values of a context, and the influences that changed."""
    first, second = shown_value(change.first), shown_value(change.second)
    factor = f"{four_digits(change.factor)} ({interval_text((change.low, change.high), four_digits)})"
    yield f"{by} {second} = {factor} times {first}"
    if change.settled:
        title = "may have changed" if change.few_rows else "changed influence"
        yield Rows(change.settled, (Column(title, "option"), *CONTRASTS))
    count = len(change.influences) - len(change.settled)
    if count:
        verb = "influence is" if count == 1 else "influences are"
        limit = percentage((change.rest - 1) * 100, 2)
        yield f"{count} {'other ' * bool(change.settled)}{verb} the same within {limit}, or not known better"


def view_of_influences(title: str, whole: Change) -> View:
    """Yield the changes that are clearly larger than their uncertainty, or what is known without any."""
    change, settled = whole.influences, whole.settled_sets
    if change is None:
        yield f"{title}: {whole.reason}"
        return
    # What the values or influences have in common, and without settled changes of influences that.
    common, without = "", "which influences changed cannot be told"
    if change.factor != 1:
        common = f"factor {change.factor:.4g} on most influences"
        without = "no other influence changed by more than its uncertainty"
    elif whole.shifted:
        common = f"the values changed by a factor of {whole.ratio:.4g} on average"
    elif whole.worsened and not settled:
        common = "the error of the previous model is clearly larger"
    elif not settled:
        without = "no influence changed by more than its uncertainty" if change.sets else "no influence can be compared"
    yield ": ".join(filter(None, (title, "; ".join(filter(None, (common, "" if settled else without))))))
    reasons = []
    for value, side in zip((whole.first, whole.second), change.undetermined, strict=True):
        if side.zero:
            verb = "is" if len(side.zero) == 1 else "are"
            reasons.append(f"{listed(side.zero, MAX_SETS)} {verb} 0 in all configurations of {shown_value(value)}")
        if side.confounded:
            terms = listed(side.confounded, MAX_SETS)
            reasons.append(f"{terms} cannot be told apart by the configurations of {shown_value(value)}")
    if reasons:
        yield f"not compared: {'; '.join(reasons)}"
    if not settled:
        return
    product = change.link == "log"
    lines = [line for influence in settled[:MAX_SETS] for line in _set_lines(influence, product=product)]
    names = ("factor" if product else "term", *SETS)
    yield Rows(lines, [Column(name, index, right=index > 0) for index, name in enumerate(names)])
    if len(settled) > MAX_SETS:
        yield f"{plural(len(settled) - MAX_SETS, 'more set', 'more sets')} of options with smaller changes (--json)"


def _set_lines(change: SetChange, *, product: bool) -> list[tuple[str, ...]]:
    """Return the line of a set of options: of its only term, or of the set and of each of its terms."""

    def text(value: float) -> str:
        return f"{math.exp(min(value, 700.0)):.5g}" if product else f"{value:.5g}"

    title, size = " * ".join(change.options) or "1", percentage(change.size, 3)
    total = [(title, "", "", size, f"{change.intervals:.3g}")] if len(change.terms) > 1 else []
    indent, own = (INDENT, "") if total else ("", size)
    rows = [(indent + row.text, text(row.first), text(row.second), own, f"{row.intervals:.3g}") for row in change.terms]
    return [*total, *rows]
