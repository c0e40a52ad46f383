"""The printed model: its terms with intervals, and shorter and longer ones on its path."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from splc.errors import plural
from splc.io.numbers import percentage, share_text, short_number
from splc.learning.shares import TermShares, term_shares
from splc.plotting.charts.curves import size_chart
from splc.plotting.charts.influences import Influence, influence_chart
from splc.report.page import Block, Paragraph, Section, Steps, TextTable
from splc.report.subject import ModelSubject


def formula_section(subject: ModelSubject) -> Section | None:
    """Return the printed model; None for a model without terms."""
    model = subject.stored.model
    if not model.terms:
        return None
    product = model.link == "log"
    kind = (
        "The prediction is the exponential of the sum of these terms: each multiplies it by a factor."
        if product
        else "The prediction is the sum of these terms."
    )
    blocks: list[Block] = []
    if subject.stored.full is not None:
        distance = (subject.content.get("printed") or {}).get("distance")
        far = f", and differs from it by {percentage(distance, 3)} on average" if distance is not None else ""
        text = f"This short formula follows the full model, which makes the predictions on this page{far}."
        blocks.append(Paragraph(text))
    blocks.append(Paragraph(kind))
    path = [{**step, "terms": int(step["terms"])} for step in subject.content.get("path", ()) if isinstance(step, dict)]
    table = _terms(subject)
    steps = _steps(subject, path, table)
    blocks.append(table if steps is None else steps)
    influences = _influences(subject)
    if influences:
        blocks.append(influence_chart(influences, subject.quantity, product=product))
    if len(path) > 1:
        expected = (subject.content.get("cross_validated") or {}).get("mean")
        sizes = [step["terms"] for step in path]
        errors = [step["error"] for step in path]
        blocks.append(size_chart(sizes, errors, len(model.terms), expected))
    return Section("formula", "The formula", tuple(blocks))


def _terms(subject: ModelSubject) -> TextTable:
    """Return the terms with their intervals, and what else the file knows of them."""
    model = subject.stored.model
    estimates = {row.get("term"): row for row in subject.content.get("estimates", ()) if isinstance(row, dict)}
    folds = subject.stored.folds
    shares = TermShares((None,) * len(model.terms))
    if subject.rows is not None:
        shares = term_shares(model, subject.rows.configurations)
    rows = []
    for (term, influence), share in zip(model.terms, shares.values, strict=True):
        text = term.text(model.order)
        estimate: Mapping[str, Any] = estimates.get(text, {})
        interval = ""
        if estimate.get("low") is not None and estimate.get("high") is not None:
            interval = f"{short_number(estimate['low'], 4)} to {short_number(estimate['high'], 4)}"
        support = "" if estimate.get("folds") is None or not folds else f"{estimate['folds']:.0f}/{folds}"
        rows.append((subject.named(text), short_number(influence), interval, share_text(share), support))
    whole_text = "all contributions" if shares.absolute else "the prediction"
    header = ("term", "influence", "90 % interval", f"share of {whole_text}", "folds")
    kind = "model" if subject.stored.full is None else "printed model"
    caption = f"The {kind}, {plural(len(model.terms), 'term', 'terms')}"
    # Products have no shares, analytical models no intervals.
    return TextTable.of(header, rows, caption=caption, name="model")


def _steps(subject: ModelSubject, path: Sequence[Mapping[str, Any]], table: TextTable) -> Steps | None:
    """Return the models on the path as states of a slider, the printed one as it is."""
    steps = [step for step in path if step.get("formula")]
    if len(steps) < 2:
        return None
    states: list[tuple[str, tuple[Block, ...]]] = []
    chosen = 0
    for step in steps:
        count = step["terms"]
        name = f"{count} {'term' if count == 1 else 'terms'}, expected error {percentage(step['error'], 3)}"
        if count == len(subject.stored.model.terms):
            chosen = len(states)
            states.append((f"{name} (printed)", (table,)))
            continue
        rows = tuple((subject.named(term["term"]), short_number(term["influence"])) for term in step["formula"])
        caption = f"The best model of {count} {'term' if count == 1 else 'terms'}"
        states.append((name, (TextTable(("term", "influence"), rows, frozenset({1}), caption=caption, name="model"),)))
    return Steps("Number of terms", tuple(states), chosen)


def _influences(subject: ModelSubject) -> list[Influence]:
    """Return the mean contributions of the terms with intervals, without the constant; of products in percent."""
    rows, model = subject.rows, subject.stored.model
    if rows is None:
        return []
    estimates = {row.get("term"): row for row in subject.content.get("estimates", ()) if isinstance(row, dict)}
    influences = []
    means = np.mean(model.contributions(rows.configurations), axis=0).tolist()
    for (term, influence), mean in zip(model.terms, means, strict=True):
        text = term.text(model.order)
        estimate = estimates.get(text, {})
        if not term.options or not math.isfinite(mean):
            continue
        scale = mean / influence if influence else 0.0
        ends = [math.nan if estimate.get(end) is None else estimate[end] * scale for end in ("low", "high")]
        values = (mean, min(ends), max(ends))
        influences.append(Influence(subject.named(text), *(map(_percent, values) if model.link == "log" else values)))
    return influences


def _percent(logarithm: float) -> float:
    """Return a factor, given by its logarithm, as a change in percent."""
    return 100 * math.expm1(min(logarithm, 600.0))
