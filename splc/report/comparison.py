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
from splc.report.page import Block, Page, Paragraph, RowTexts, Section, TextTable
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
    configurations, measured = basis.configurations, basis.measured
    index = None if configurations is None or measured is None else np.flatnonzero(np.isfinite(measured))
    sections = [_scores(compared, basis, pair), _terms(pair)]
    if (sets := _sets(pair)) is not None:
        sections.append(sets)
    rows = RowTexts()
    if index is not None and len(index) and configurations is not None and measured is not None:
        part = configurations[index]
        sections.append(_predictions(compared, part, index, measured[index], titled(basis.nfp or "value", basis.unit)))
        texts = [describe_configuration(part, row) for row in range(len(part))]
        last = compared.models[-1].predicted
        assert last is not None
        rows = RowTexts.of(texts, zip(measured[index].tolist(), last[index].tolist(), strict=True))
    sections.append(_files(compared, files or {}))
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
    measured = dict.fromkeys(key for _, score in columns for key in score.values)
    keys = [key for key in measured if any(score.values.get(key) is not None for _, score in columns)]
    rows = tuple(
        (measure(key).title, *(short_number(score.values.get(key), 4, "-") for _, score in columns)) for key in keys
    )
    if not rows:
        return Section("scores", "Scores", (Paragraph("There are no configurations: only terms are compared."),))
    header = ("measure", *(name for name, _ in columns))
    of = f" ({basis.text})" if basis.configurations is not None else ""
    caption = f"Measures of the predictions on {columns[0][1].configurations:,} configurations{of}"
    numeric = frozenset(range(1, len(header)))
    return Section("scores", "Scores", (TextTable(header, rows, numeric, caption=caption, name="scores"),))


def _terms(pair: Comparison) -> Section:
    rows = tuple(
        (
            ", ".join(group.options) or "constant",
            term.text,
            short_number(term.first, 4, "-"),
            short_number(term.second, 4, "-"),
            term.found,
            short_number(term.score, 3),
        )
        for group in pair.syntactic.classes
        for term in group.terms
    )
    header = ("set of options", "term", pair.first, pair.second, "found", "score")
    low, high = pair.syntactic.lower, pair.syntactic.upper
    caption = f"All terms of both models; the scores add up to {pair.syntactic.score:.4g} of {low:g} to {high:g}"
    table = TextTable(header, rows, frozenset({2, 3, 5}), caption=caption, name="terms")
    chart = (term_chart([pair]),) if terms_of(pair) else ()
    return Section("terms", "Terms", (*chart, table))


def _sets(pair: Comparison) -> Section | None:
    if pair.option_sets is None or not pair.option_sets.sets:
        return None
    sets = [(", ".join(row.options) or "constant", 100 * row.first, 100 * row.second) for row in pair.option_sets.sets]
    return Section("sets", "Sets of options", (sets_chart((pair.first, pair.second), sets),))


def _predictions(
    compared: Comparisons, configurations: Configurations, index: Array, measured: Array, quantity: str
) -> Section:
    models = [model for model in compared.models if model.predicted is not None]
    names = [model.name for model in models]
    predicted = [model.predicted[index] for model in models if model.predicted is not None]
    blocks: list[Block] = [agreement_chart(names, predicted, measured, quantity)]
    errors = [signed_errors(values, measured) for values in predicted]
    options = []
    for option in configurations.system.options:
        codes = configurations.indices[:, configurations.system.positions[option.name]]
        used = np.unique(codes)
        if 1 < len(used) <= _MAX_VALUES:
            labels = tuple(f"{value:g}" for value in value_table(option)[used].tolist())
            options.append((option.name, labels, np.searchsorted(used, codes)))
    if options:
        blocks.append(error_chart(names, errors, options))
    return Section("predictions", "Predictions", tuple(blocks))


def _files(compared: Comparisons, files: Mapping[str, Any]) -> Section:
    items = []
    for model in compared.models:
        if model.file is not None:
            items += [(model.name, model.file), ("SHA-256", model.sha256)]
    for role, entry in files.items():
        items.append((role, f"{entry.get('path', '')}  SHA-256 {entry.get('sha256', '')}"))
    return Section("provenance", "Where it comes from", (Facts(tuple(items)),))
