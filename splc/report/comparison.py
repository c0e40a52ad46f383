"""The report of a comparison: two models by their terms, their sets of options and their predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from comparison.measures import measure
from comparison.result import Comparison, Comparisons
from splc.data.accuracy import signed_errors
from splc.data.configurations import Configurations, describe_configuration, value_table
from splc.data.property_unit import titled
from splc.io.numbers import percentage, short_number
from splc.plotting.charts.influences import sets_chart, term_chart, terms_of
from splc.plotting.charts.predictions import agreement_chart, error_chart
from splc.report.page import Block, Page, RowTexts, Section, TextTable
from splc.types import Array
from splc.workflows.compare.models import Basis
from splc.workflows.note import Note
from splc.workflows.views import Facts

# Options with more values have no panel of errors.
_MAX_VALUES = 24


def comparison_page(
    compared: Comparisons,
    system: str,
    basis: Basis | None = None,
    files: Mapping[str, Any] | None = None,
    notes: Sequence[Note] = (),
) -> Page:
    """Return the page about two compared models."""
    basis = basis or Basis()
    pair = compared.comparisons[0]
    sections = [_scores(compared, basis, pair), _terms(pair)]
    if pair.option_sets is not None and (found := pair.option_sets.sets):
        sets = [(", ".join(row.options) or "constant", 100 * row.first, 100 * row.second) for row in found]
        sections.append(Section("sets", "Sets of options", (sets_chart((pair.first, pair.second), sets),)))
    rows = RowTexts()
    if basis.configurations is not None and basis.measured is not None:
        index = np.flatnonzero(np.isfinite(basis.measured))
        part, measured = basis.configurations[index], basis.measured[index]
        if len(index):
            sections.append(_predictions(compared, part, index, measured, titled(basis.nfp or "value", basis.unit)))
            texts = [describe_configuration(part, row) for row in range(len(part))]
            last = compared.models[-1].predicted
            assert last is not None
            rows = RowTexts.of(texts, zip(measured.tolist(), last[index].tolist(), strict=True))
    facts = []
    for model in compared.models:
        facts += [] if model.file is None else [(model.name, model.file), ("SHA-256", model.sha256)]
    for role, entry in (files or {}).items():
        facts.append((role, f"{entry.get('path', '')}  SHA-256 {entry.get('sha256', '')}"))
    sections.append(Section("provenance", "Where it comes from", (Facts(tuple(facts)),)))
    models = " and ".join([pair.first, *(comparison.second for comparison in compared.comparisons)])
    title = f"{system}: {models}" if system else models
    warnings = tuple(note.text for note in notes if note.warning)
    return Page(title, tuple(_answer(compared, pair)), tuple(sections), warnings, rows)


def _answer(compared: Comparisons, pair: Comparison) -> Iterator[str]:
    for judged in compared.judged:
        if (error := judged.semantic.values.get("error_rate")) is not None:
            yield f"{judged.model} predicts measured values with a mean error of {percentage(error, 3)}"
    if pair.option_sets is not None and (overlap := pair.option_sets.overlap) is not None:
        yield f"Both attribute {percentage(100 * overlap, 2)} of their contributions to the same sets of options"
    if pair.same_link and (score := pair.syntactic.normalized) is not None:
        yield f"Their terms agree to {score:.2f} of 1 (syntactic score {pair.syntactic.score:.4g})"


def _scores(compared: Comparisons, basis: Basis, pair: Comparison) -> Section:
    """Return the measures of predictions: of the models against each other, and of each against the measurements."""
    columns = [] if pair.semantic is None else [(f"{pair.first} and {pair.second}", pair.semantic)]
    columns += [(f"measured and {judged.model}", judged.semantic) for judged in compared.judged]
    rows = tuple(
        (measure(key).title, *(short_number(score.values.get(key), 4, "-") for _, score in columns))
        for key in dict.fromkeys(key for _, score in columns for key in score.values)
        if any(score.values.get(key) is not None for _, score in columns)
    )
    if not rows:
        return Section("scores", "Scores", ("There are no configurations: only terms are compared.",))
    of = f" ({basis.text})" if basis.configurations is not None else ""
    caption = f"Measures of the predictions on {columns[0][1].configurations:,} configurations{of}"
    header = ("measure", *(name for name, _ in columns))
    table = TextTable(header, rows, frozenset(range(1, len(header))), caption=caption, name="scores")
    return Section("scores", "Scores", (table,))


def _terms(pair: Comparison) -> Section:
    rows = []
    for group in pair.syntactic.classes:
        options = ", ".join(group.options) or "constant"
        for term in group.terms:
            influences = (short_number(value, 4, "-") for value in (term.first, term.second))
            rows.append((options, term.text, *influences, term.found, short_number(term.score, 3)))
    header = ("set of options", "term", pair.first, pair.second, "found", "score")
    low, high = pair.syntactic.lower, pair.syntactic.upper
    caption = f"All terms of both models; the scores add up to {pair.syntactic.score:.4g} of {low:g} to {high:g}"
    table = TextTable(header, tuple(rows), frozenset({2, 3, 5}), caption=caption, name="terms")
    return Section("terms", "Terms", (term_chart([pair]), table) if terms_of(pair) else (table,))


def _predictions(
    compared: Comparisons, configurations: Configurations, index: Array, measured: Array, quantity: str
) -> Section:
    shown = [(model.name, model.predicted[index]) for model in compared.models if model.predicted is not None]
    names, predicted = [name for name, _ in shown], [values for _, values in shown]
    blocks: list[Block] = [agreement_chart(names, predicted, measured, quantity)]
    options = []
    for option in configurations.system.options:
        codes = configurations.indices[:, configurations.system.positions[option.name]]
        used = np.unique(codes)
        if 1 < len(used) <= _MAX_VALUES:
            labels = tuple(f"{value:g}" for value in value_table(option)[used].tolist())
            options.append((option.name, labels, np.searchsorted(used, codes)))
    if options:
        blocks.append(error_chart(names, [signed_errors(values, measured) for values in predicted], options))
    return Section("predictions", "Predictions", tuple(blocks))
