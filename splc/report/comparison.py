"""The reports of two models: of a comparison by terms and predictions, and of what changed, option by option."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comparison.changes import SETTLED
from comparison.result import Comparison, Comparisons
from splc.data.accuracy import signed_errors
from splc.data.configurations import Configurations, describe_configuration, value_table
from splc.data.property_unit import titled
from splc.errors import InputError, Problem, listed
from splc.io.numbers import percentage
from splc.plotting.charts.effects import TwoEffects, change_chart
from splc.plotting.charts.influences import importance_chart, sets_chart, term_chart, terms_of
from splc.plotting.charts.predictions import agreement_chart, error_chart
from splc.report.model import provenance_section
from splc.report.page import Block, Page, RowTexts, Section, text_table
from splc.report.subject import ModelSubject
from splc.types import Array
from splc.workflows.compare.models import Basis
from splc.workflows.compare.view import measures_table, term_table
from splc.workflows.explain.importance import OptionImportance, interval_ends, shares_of
from splc.workflows.note import Note
from splc.workflows.views import Column, Facts, Rows, rows_of

_MAX_VALUES = 24  # options with more values have no panel of errors
ROUNDING = 1e-9  # smaller relative differences of equal models, and smaller ones in percentage points, are rounding

Ends = tuple[float, float, float]


def comparison_page(
    compared: Comparisons,
    basis: Basis | None = None,
    files: Mapping[str, Any] | None = None,
    notes: Sequence[Note] = (),
) -> Page:
    """Return the page about two compared models."""
    basis = basis or Basis()
    pair = compared.comparisons[0]
    # The tables of `splc compare`.
    measures = replace(rows_of(measures_table(compared, basis)), name="scores")
    terms = replace(rows_of(term_table(pair)), name="terms")
    drawn = (term_chart([pair]), terms) if terms_of(pair) else (terms,)
    sections = [Section("scores", "Scores", (measures,)), Section("terms", "Terms", drawn)]
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
            rows = RowTexts.of(texts, measured, last[index])
    facts = []
    for model in compared.models:
        facts += [] if model.file is None else [(model.name, model.file), ("SHA-256", model.sha256)]
    for role, entry in (files or {}).items():
        facts.append((role, f"{entry.get('path', '')}  SHA-256 {entry.get('sha256', '')}"))
    sections.append(Section("provenance", "Where it comes from", (Facts(tuple(facts)),)))
    models = " and ".join([pair.first, *(comparison.second for comparison in compared.comparisons)])
    title = models if basis.configurations is None else f"{basis.configurations.system.name}: {models}"
    warnings = tuple(note.text for note in notes if note.warning)
    return Page(title, tuple(_answer_of_pair(compared, pair)), tuple(sections), warnings, rows)


def _answer_of_pair(compared: Comparisons, pair: Comparison) -> Iterator[str]:
    for judged in compared.judged:
        if (error := judged.semantic.values.get("error_rate")) is not None:
            yield f"{judged.model} predicts measured values with a mean error of {percentage(error, 3)}"
    if pair.option_sets is not None and (overlap := pair.option_sets.overlap) is not None:
        yield f"Both attribute {percentage(100 * overlap, 2)} of their contributions to the same sets of options"
    if pair.same_link and (score := pair.syntactic.normalized) is not None:
        yield f"Their terms agree to {score:.2f} of 1 (syntactic score {pair.syntactic.score:.4g})"


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


@dataclass(frozen=True)
class ValueChange:
    """The effect of a value of an option, against its first value, in two models; in percent of the first value."""

    option: str  # the option
    value: str  # the value
    first: str  # the value that it is compared with
    old: Ends  # the effect in the first model, and the ends of its interval, NaN where they are not known
    new: Ends  # the same in the second model

    @property
    def size(self) -> float:
        """The difference of the two effects, in percentage points."""
        return self.new[0] - self.old[0]

    @property
    def settled(self) -> bool:
        """True if the difference is clearly larger than its uncertainty, since many effects are compared."""
        widths = [(effect[2] - effect[1]) / 2 for effect in (self.old, self.new)]
        return abs(self.size) > SETTLED * math.hypot(*widths)


def change_page(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Page:
    """Return the page about two models."""
    if not set(old.space.system.names) & set(new.space.system.names):
        raise InputError(Problem("the two models have no option in common", new.file))
    if old.nfp != new.nfp:
        message = f"the models predict different properties: {old.nfp} and {new.nfp}"
        raise InputError(Problem(message, new.file, hint="compare models of one property"))
    changes = _value_changes(old, new)
    named = tuple(zip(names, (old, new), strict=True))
    shares = [(name, subject.nfp, shares_of(subject.overview)) for name, subject in named]
    charts = [importance_chart(own, f"{nfp} ({name})") for name, nfp, own in shares if own]
    parts = [(name, provenance_section(subject)) for name, subject in named]
    # The terms of both printed models beside each other.
    terms = []
    for subject in (old, new):
        model = subject.stored.model
        terms.append({subject.named(term.text(model.order)): f"{influence:.6g}" for term, influence in model.terms})
    rows = tuple((term, *(column.get(term, "-") for column in terms)) for term in terms[0] | terms[1])
    formulas = text_table(("term", *names), rows, "The printed models", "formulas")
    sections = (
        _changes(old, new, names, changes),
        Section("importance", "What matters", tuple(charts)),
        Section("formula", "The formulas", (formulas,)),
        *(
            replace(part, name=f"{part.name}-{number}", title=f"{part.title}: {name}")
            for number, (name, part) in enumerate(parts, 1)
        ),
    )
    title = f"{new.space.system.name}: {new.nfp}, {names[0]} and {names[1]}"
    notes = tuple(dict.fromkeys([*old.notes, *new.notes]))
    return Page(title, tuple(_answer(old, new, names, changes)), sections, notes)


def _answer(old: ModelSubject, new: ModelSubject, names: tuple[str, str], changes: list[ValueChange]) -> Iterator[str]:
    before, after = old.overview.mean, new.overview.mean
    mean = f"{old.value_text(before)} with {names[0]}, {new.value_text(after)} with {names[1]}"
    if before > 0 and after > 0:
        change = after / before - 1
        text = "is unchanged" if abs(change) < ROUNDING else f"changed by {_percent(100 * change)}"
        yield f"{new.nfp} {text} on average over all valid configurations ({mean})"
    else:
        yield f"Mean {new.nfp} over all valid configurations: {mean}"
    if settled := list(dict.fromkeys(change.option for change in changes if change.settled)):
        yield f"The effects of these options changed: {listed(settled, 10)}"
    else:
        yield "No effect of an option changed by more than its uncertainty"


def _value_changes(old: ModelSubject, new: ModelSubject) -> list[ValueChange]:
    """Return the changes of the effects of all values, the settled and larger ones first."""
    options = {option.name: option for option in old.overview.options}
    changes = []
    for option in new.overview.options:
        before = _effects(old, options[option.name]) if option.name in options else {}
        first = option.values[0].label
        effects = [
            (value, effect) for value, effect in _effects(new, option).items() if value in before and value != first
        ]
        changes += [ValueChange(option.name, value, first, before[value], effect) for value, effect in effects]
    return sorted(changes, key=lambda change: (not change.settled, -abs(change.size)))


def _effects(subject: ModelSubject, option: OptionImportance) -> dict[str, Ends]:
    """Return the effect of each value against the first one, in percent of the mean at the first one."""
    effects: dict[str, Ends] = {}
    base = option.values[0].mean
    for value in option.values:
        if value.change is not None and base:
            ends = [math.nan if end is None else end for end in (value.change, value.low, value.high)]
            change, low, high = (100 * (end - 1) if subject.product else 100 * end / abs(base) for end in ends)
            effects[value.label] = (change, low, high)
    return effects


def _changes(old: ModelSubject, new: ModelSubject, names: tuple[str, str], changes: list[ValueChange]) -> Section:
    blocks: list[Block] = []
    if rows := [change for change in changes if change.settled]:
        effects = [Column(name, at, _effect, right=True) for name, at in zip(names, ("old", "new"), strict=True)]
        value = Column("value", lambda row: f"{row.option}: {row.value} against {row.first}")
        shown = (value, *effects, Column("change", "size", _points))
        caption = "Effects that changed by more than twice their uncertainty"
        blocks.append(Rows(rows, shown, caption=caption, name="changes"))
    if unsettled := [abs(change.size) for change in changes if not change.settled]:
        count = f"{len(unsettled)} further effects" if rows else "all effects"
        most = f"differences of at most {_points(max(unsettled))}"
        blocks.append(f"The rest: {count} did not change beyond their uncertainty ({most}).")
    for first, second, name in ((old, new, names[0]), (new, old, names[1])):
        if only := sorted(set(first.space.system.names) - set(second.space.system.names)):
            blocks.append(f"Options of {name} only: {listed(only, 10)}.")
    before, after = ({option.name: option for option in subject.overview.options} for subject in (old, new))
    charts = []
    for option in dict.fromkeys(change.option for change in changes):
        known = {value.label for value in before[option].values}
        labels = tuple(value.label for value in after[option].values if value.label in known)
        columns = (_with_ends(old, before[option], labels), _with_ends(new, after[option], labels))
        charts.append(TwoEffects(option, labels, *columns))
    if charts:
        blocks.append(change_chart(charts, names, new.nfp))
    return Section("changes", "What changed", tuple(blocks))


def _with_ends(subject: ModelSubject, option: OptionImportance, labels: tuple[str, ...]) -> Array:
    """Return the mean at each of some values with the ends of its interval, shape (3, k)."""
    means = np.array([value.mean for value in option.values])
    ends = [interval_ends(option.values, means, end, product=subject.product) for end in ("low", "high")]
    indices = [at for at, value in enumerate(option.values) if value.label in labels]
    return np.array([means, *ends])[:, indices]


def _percent(value: float) -> str:
    return percentage(value, 3).replace("-", "−")


def _effect(effect: Ends) -> str:
    value, low, high = map(_percent, effect)
    return f"{value} ({low} to {high})"


def _points(size: float) -> str:
    return "0 points" if abs(size) < ROUNDING else f"{size:+.3g} points".replace("-", "−")
