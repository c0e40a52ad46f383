"""The report of a model: the answer, what matters, how well it predicts, and what to choose."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from splc.errors import listed, plural
from splc.io.numbers import percentage
from splc.report.page import Page, RowTexts, Section
from splc.report.sections.best import best_section
from splc.report.sections.effects import effects_section
from splc.report.sections.explorer import explorer_section
from splc.report.sections.formula import formula_section
from splc.report.sections.importance import importance_section
from splc.report.sections.influences_by_context import influences_by_context
from splc.report.sections.interactions import interactions_section
from splc.report.sections.predictions import predictions_section
from splc.report.sections.provenance import provenance_section
from splc.report.sections.sample import sample_section
from splc.report.subject import ModelSubject
from splc.workflows.explain.overview import OptionImportance, OptionValue
from splc.workflows.learn.expected_error import EVERY, NEW, ExpectedError
from splc.workflows.optimize.best import TOO_GOOD
from splc.workflows.optimize.optimize import Result as Optimized

# Where the error to expect was measured.
OTHERS = "on measured configurations not learned from"


def model_page(subject: ModelSubject, best: Optimized | None) -> Page:
    """Return the page about a model."""
    sections: tuple[Section | None, ...] = (
        importance_section(subject),
        effects_section(subject),
        interactions_section(subject),
        influences_by_context(subject),
        formula_section(subject),
        predictions_section(subject),
        None if best is None else best_section(subject, best),
        explorer_section(subject, best),
        sample_section(subject),
        provenance_section(subject),
    )
    present = tuple(section for section in sections if section is not None)
    rows = subject.rows
    texts = RowTexts()
    if rows is not None:
        values = zip(rows.measured.tolist(), rows.predicted.tolist(), strict=True)
        texts = RowTexts.of(rows.texts, values)
    notes = list(subject.notes)
    if subject.measurements is not None and subject.shown is not None:
        count = len(subject.measurements.measured(subject.nfp))
        if len(subject.shown) < count:
            notes.append(f"{len(subject.shown):,} of {count:,} measured configurations are shown, which were drawn")
    return Page(subject.title, tuple(_answer(subject, best)), present, tuple(notes), texts)


def _answer(subject: ModelSubject, best: Optimized | None) -> Iterator[str]:
    content = subject.content
    terms = plural(len(subject.stored.model.terms), "term", "terms")
    rows = content.get("learning_configurations")
    learned = f"; learned from {plural(int(rows), 'configuration', 'configurations')}" if rows else ""
    if (error := _error(subject)) is None:
        unknown = "its error on new configurations is not known"
        if subject.rows is None and not subject.content:
            unknown = "its file states no error, and there are no measurements to judge it by"
        yield f"A model of {subject.nfp} with {terms}{learned}; {unknown}"
    else:
        yield f"{error[0].upper()}{error[1:]}; {terms}{learned}"
    important = [f"{option.name} ({percentage(100 * option.share, 2)})" for option in subject.overview.leading]
    if important:
        of = " of the logarithm" if subject.overview.product else ""
        yield f"What matters most for {subject.nfp}: {listed(important)} of the variance{of}"
    if (lever := _lever(subject, maximize=best is not None and best.objectives[0].maximize)) is not None:
        yield lever
    if best is not None and best.candidates:
        value = best.candidates[0].values[0].predicted
        measured = best.best_measured
        text = f"Best prediction: {subject.value_text(value)}"
        if measured is not None and measured.values[0].measured is not None:
            text += f"; best measured value: {subject.value_text(measured.values[0].measured)}"
        if best.unreached:
            text += f"; {TOO_GOOD}"
        yield text


def _error(subject: ModelSubject) -> str | None:
    """Return the error to expect as text, in the words of `splc learn` where its file states it; None if unknown."""
    content, rows = subject.content, subject.rows
    percent, how = _percent_error(subject)
    stored = content.get("expected_error")
    if not isinstance(stored, dict):
        return None if percent is None else f"{NEW} {percentage(percent, 2)} ({how})"
    expected = ExpectedError.of_values(stored)
    every = content.get("learning_configurations") == subject.valid_configurations
    if expected.verdict == "unknown" and every:
        printed = (
            None if content.get("termination") == "constant" else (content.get("printed") or {}).get("learning_error")
        )
        return f"{EVERY}{expected.of_learned(content.get('learning_error'), printed)}"
    return expected.text(np.zeros(0) if rows is None else rows.measured, subject.stored.unit, every=every)


def _percent_error(subject: ModelSubject) -> tuple[float | None, str]:
    """Return the expected error in percent, and how it is known."""
    content = subject.content
    if isinstance(content.get("error"), int | float):
        return float(content["error"]), OTHERS
    crossed = content.get("cross_validated")
    if isinstance(crossed, dict) and isinstance(crossed.get("mean"), int | float):
        return float(crossed["mean"]), "cross-validated"
    rows = subject.rows
    # Of a model without its rows it is not known which of the measured ones it was learned from.
    if rows is None or not rows.held_out:
        return None, ""
    errors = np.abs(rows.errors[~rows.learned])
    if not np.isfinite(errors).any():
        return None, ""
    return float(np.nanmean(errors)), OTHERS


def _lever(subject: ModelSubject, *, maximize: bool) -> str | None:
    """Return which value of which single option changes the mean prediction most."""
    levers: list[tuple[float, str]] = []
    for option in subject.overview.options:
        if (change := _best_change(option, maximize=maximize)) is not None:
            ratio, better, worse = change
            percent = percentage(100 * (ratio - 1), 2).replace("-", "−")
            levers.append((abs(math.log(ratio)), f"{better}: {percent} against {worse}"))
    if not levers:
        return None
    return f"Greatest lever: {max(levers)[1]}, on average over all other options"


def _best_change(option: OptionImportance, *, maximize: bool) -> tuple[float, str, str] | None:
    """Return the ratio of the mean predictions at the best and at the worst value, and both values."""
    values = [value for value in option.values if value.change is not None]
    # Ratios of values that are not positive say nothing.
    if len(values) < 2 or min(value.mean for value in values) <= 0:
        return None
    low, high = min(values, key=lambda value: value.mean), max(values, key=lambda value: value.mean)
    better, worse = (high, low) if maximize else (low, high)
    if better.mean == worse.mean:
        return None
    return better.mean / worse.mean, _choice(option, better), _value_text(option, worse)


def _choice(option: OptionImportance, value: OptionValue) -> str:
    """Return what to do to choose a value."""
    if _is_switch(option):
        return f"{'select' if value.label == 'selected' else 'deselect'} {option.name}"
    return f"set {option.name} = {value.label}"


def _value_text(option: OptionImportance, value: OptionValue) -> str:
    if _is_switch(option):
        return option.name if value.label == "selected" else f"without {option.name}"
    return f"{option.name} = {value.label}"


def _is_switch(option: OptionImportance) -> bool:
    return len(option.options) == 1 and {value.label for value in option.values} == {"-", "selected"}
