"""The sections of a model's report that explain it: what matters, effects, interactions, the formula, and contexts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from splc.errors import SplcError, listed, plural
from splc.io.numbers import percentage, share_text, short_number
from splc.learning.contexts.contrasts import ContextInfluences, in_half_widths, joint_ensemble
from splc.models.influence import TermShares, term_shares
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.curves import size_chart
from splc.plotting.charts.effects import course_chart, effects_chart, surface_chart
from splc.plotting.charts.influences import Influence, importance_chart, influence_chart, interaction_chart
from splc.report.page import Block, Section, Steps, text_table, without_empty
from splc.report.subject import ModelSubject
from splc.workflows.explain.importance import effect_of, shares_of, variations_table
from splc.workflows.learn.effects import joint_course
from splc.workflows.pictures import response_surface
from splc.workflows.views import Column, Rows

# Options with smaller shares of the variance are not drawn, and interactions with smaller ones are not listed.
MIN_EFFECT, MIN_INTERACTION = 0.002, 0.0005
# The greatest numbers of values in a matrix of all pairs, of values with a column, and of named options.
MAX_MATRIX, MAX_COLUMNS, MAX_NAMED = 12, 6, 5
ENDS = "factor (90 % interval)"


def importance_section(subject: ModelSubject) -> Section | None:
    """Return the options by their share of the variance; None where the prediction is constant."""
    if not (shares := shares_of(subject.overview)):
        return None
    blocks: list[Block] = [importance_chart(shares, subject.nfp)]
    if unused := subject.overview.unused:
        blocks.append(f"Without influence in the model: {listed([*map(subject.named, unused)], 20)}.")
    return Section("importance", "What matters", tuple(blocks))


def effects_section(subject: ModelSubject) -> Section | None:
    """Return the effect of each value of the most important options; None where no option matters."""
    rows = subject.rows
    table = None if rows is None else rows.configurations
    shown = [option for option in subject.overview.options if option.share >= MIN_EFFECT and len(option.values) > 1]
    effects = [effect_of(option, table, product=subject.product) for option in shown]
    if not effects:
        return None
    measured = np.zeros(0) if rows is None else rows.measured
    return Section("effects", "The effect of each option", (effects_chart(effects, measured, subject.quantity),))


def interactions_section(subject: ModelSubject) -> Section | None:
    """Return the interactions of options; None where there are none."""
    shown = [entry for entry in subject.overview.interactions if entry.share >= MIN_INTERACTION]
    pairs = {frozenset(entry.names): 100 * entry.share for entry in shown if len(entry.names) == 2}
    blocks: list[Block] = []
    if pairs:
        blocks.append(interaction_chart([option.name for option in subject.overview.options], pairs, subject.nfp))
    if (surface := _surface(subject)) is not None:
        blocks.append(surface)
    larger = [entry for entry in shown if len(entry.names) > 2]
    if larger:
        rows = tuple((" and ".join(entry.names), share_text(100 * entry.share)) for entry in larger)
        header, caption = ("options", "share of the variance"), "Interactions of three and more options"
        blocks.append(text_table(header, rows, caption, "interactions"))
    return Section("interactions", "Interactions", tuple(blocks)) if blocks else None


def _surface(subject: ModelSubject) -> Chart | None:
    """Return the response surface of the two numeric options that interact, or else matter, most."""
    large = [option for option in subject.overview.options if option.share >= MIN_INTERACTION]
    numeric = [option.name for option in large if sum(value.number is not None for value in option.values) > 2]
    if len(numeric) < 2 or subject.space.system.observed:
        return None
    pairs = [pair for pair in subject.overview.interactions if len(pair.names) == 2 and set(pair.names) <= set(numeric)]
    first, second = max(pairs, key=lambda pair: pair.share).names if pairs else numeric[:2]
    stored = subject.stored
    try:
        surface = response_surface(stored.predictor, stored.model.link, subject.space, (first, second))
    except SplcError:
        return None
    return surface_chart(surface.names, surface.x, surface.y, surface.predicted, subject.quantity)


def formula_section(subject: ModelSubject) -> Section | None:
    """Return the printed model with intervals, and shorter and longer ones; None for a model without terms."""
    model, content = subject.stored.model, subject.content
    if not model.terms:
        return None
    blocks: list[Block] = []
    if subject.stored.full is not None:
        distance = (content.get("printed") or {}).get("distance")
        far = f", and differs from it by {percentage(distance, 3)} on average" if distance is not None else ""
        blocks.append(f"This short formula follows the full model, which makes the predictions on this page{far}.")
    if subject.product:
        blocks.append("The prediction is the exponential of the sum of these terms: each multiplies it by a factor.")
    else:
        blocks.append("The prediction is the sum of these terms.")
    path = [{**step, "terms": int(step["terms"])} for step in content.get("path", ()) if isinstance(step, dict)]
    estimates = {row.get("term"): row for row in content.get("estimates", ()) if isinstance(row, dict)}
    blocks.append(_with_path(subject, path, _terms(subject, estimates)))
    if influences := _influences(subject, estimates):
        blocks.append(influence_chart(influences, subject.quantity, product=subject.product))
    if len(path) > 1:
        expected = (content.get("cross_validated") or {}).get("mean")
        sizes, errors = ([step[key] for step in path] for key in ("terms", "error"))
        blocks.append(size_chart(sizes, errors, len(model.terms), expected))
    return Section("formula", "The formula", tuple(blocks))


def _terms(subject: ModelSubject, estimates: Mapping[Any, Any]) -> Rows:
    """Return the terms with their intervals, and what else the file knows of them."""
    model, folds = subject.stored.model, subject.stored.folds
    shares = TermShares((None,) * len(model.terms))
    if subject.rows is not None:
        shares = term_shares(model, subject.rows.configurations)
    rows = []
    for (term, influence), share in zip(model.terms, shares.values, strict=True):
        text = term.text(model.order)
        low, high, known = (estimates.get(text, {}).get(key) for key in ("low", "high", "folds"))
        interval = "" if low is None or high is None else f"{short_number(low, 4)} to {short_number(high, 4)}"
        support = "" if known is None or not folds else f"{known:.0f}/{folds}"
        rows.append((subject.named(text), short_number(influence), interval, share_text(share), support))
    whole = "all contributions" if shares.absolute else "the prediction"
    kind = "model" if subject.stored.full is None else "printed model"
    # Products have no shares, analytical models no intervals.
    header = ("term", "influence", "90 % interval", f"share of {whole}", "folds")
    return without_empty(text_table(header, rows, f"The {kind}, {plural(len(rows), 'term', 'terms')}", "model"))


def _with_path(subject: ModelSubject, path: Sequence[Mapping[str, Any]], table: Rows) -> Rows | Steps:
    """Return the models on the path as states of a slider, the printed one as it is; that alone without a path."""
    steps = [step for step in path if step.get("formula")]
    if len(steps) < 2:
        return table
    states: list[tuple[str, tuple[Block, ...]]] = []
    chosen = 0
    for step in steps:
        count = f"{step['terms']} {'term' if step['terms'] == 1 else 'terms'}"
        name = f"{count}, expected error {percentage(step['error'], 3)}"
        if step["terms"] == len(subject.stored.model.terms):
            chosen = len(states)
            states.append((f"{name} (printed)", (table,)))
            continue
        rows = [(subject.named(term["term"]), short_number(term["influence"])) for term in step["formula"]]
        states.append((name, (text_table(("term", "influence"), rows, f"The best model of {count}", "model"),)))
    return Steps("Number of terms", tuple(states), chosen)


def _influences(subject: ModelSubject, estimates: Mapping[Any, Any]) -> list[Influence]:
    """Return the mean contributions of the terms with intervals, without the constant; of products in percent."""
    rows, model = subject.rows, subject.stored.model
    if rows is None:
        return []
    influences = []
    means = np.mean(model.contributions(rows.configurations), axis=0).tolist()
    for (term, influence), mean in zip(model.terms, means, strict=True):
        text = term.text(model.order)
        estimate = estimates.get(text, {})
        if not term.options or not math.isfinite(mean):
            continue
        scale = mean / influence if influence else 0.0
        ends = [math.nan if estimate.get(end) is None else estimate[end] * scale for end in ("low", "high")]
        values = [mean, min(ends), max(ends)]
        if subject.product:
            values = [100 * math.expm1(min(value, 600.0)) for value in values]
        influences.append(Influence(subject.named(text), *values))
    return influences


def influences_by_context(subject: ModelSubject) -> Section | None:
    """Return how values and influences differ between the values of the context; None of a model of one value."""
    full = joint_ensemble(subject.stored.full)
    influences = None if full is None else ContextInfluences.of(full)
    if full is None or influences is None:
        return None
    # The context has the value that the model is about.
    assert full.basis.context is not None
    context = full.basis.context.names[full.basis.context.place]
    by = next((name for name, value in subject.stored.contexts.items() if value == context), "context")
    names = influences.names
    ordered = influences.ordered
    if ordered or len(names) == 2:
        contrasts = [influences.contrast(first, second) for first, second in pairwise(names)]
        chart = course_chart(joint_course(influences, names, contrasts), names, by, f"Influences by {by}", "")
        blocks: list[Block] = [_neighbours(influences), chart]
    else:
        blocks = [_matrix(influences)]
    # The limit of changes is stricter in tables that compare all pairs of values.
    limit = in_half_widths(influences.threshold(influences.pairs))
    if influences.pairs != 1:
        limit += f", as {plural(influences.pairs, 'pair', 'pairs')} of values are compared"
    caption = "Influences: factor between the greatest and the least value of an option, or selected and not; "
    caption += f"{'may differ' if influences.few_rows() else 'differ'} unless they are not known to: {limit}"
    table = variations_table(influences)
    blocks.append(replace(table, most=None, caption=caption, name="context-influences"))
    points = influences.change_points() if ordered and len(names) > 2 else ()
    if points:
        shown = (
            Column("what changed", lambda point: point.option or "common factor"),
            Column("between", lambda point: f"{point.first} → {point.second}"),
            Column(ENDS, _ends),
        )
        caption = f"Where changes {'may have ' * influences.few_rows()}happened: {limit}"
        blocks.append(Rows(points, shown, caption=caption, name="context-change-points"))
    return Section("contexts", f"What differs with {by}", tuple(blocks))


def _ends(change: Any) -> str:
    """Return the factor of a change with its interval."""
    factor, low, high = (short_number(value, 4) for value in (change.factor, change.low, change.high))
    return f"{factor} ({low} to {high})"


def _neighbours(influences: ContextInfluences) -> Rows:
    """Return the factor and the changed influences between consecutive values."""
    rows = []
    for first, second in pairwise(influences.names):
        contrast = influences.contrast(first, second)
        changed = listed([f"{change.option}: {_ends(change)}" for change in contrast.settled], MAX_NAMED)
        # Values with few rows show that something changed, but often name the wrong options.
        may = "may have changed: " if contrast.few_rows else ""
        rows.append((f"{first} → {second}", _ends(contrast), f"{may}{changed}" if contrast.settled else "none"))
    caption = f"Changes between consecutive values: influences that changed {in_half_widths(influences.threshold(1))}"
    header = ("change", f"common {ENDS}", "changed influences (90 % interval)")
    return text_table(header, rows, caption, "context-changes", words=range(3))


def _matrix(influences: ContextInfluences) -> Rows:
    """Return the factor between each pair of values, with the number of influences that differ."""
    names = influences.names[:MAX_MATRIX]
    rows = []
    for first in names:
        contrasts = (None if first == second else influences.contrast(first, second) for second in names)
        cells = ("" if one is None else f"{short_number(one.factor, 4)}; {len(one.settled)}" for one in contrasts)
        rows.append((first, *cells))
    differ = "may differ, as values have few rows," if influences.few_rows() else "differ"
    limit = in_half_widths(influences.threshold(1))
    caption = f"Common factor of the column's value relative to the row's; number of influences that {differ} {limit}"
    return text_table(("", *names), rows, caption, "context-pairs")
