"""The report of a model: the answer, what matters, how well it predicts, and what to choose."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from splc.data.configurations import describe_configuration, value_table
from splc.data.property_unit import readable, titled
from splc.data.table import text_values
from splc.errors import listed, plural
from splc.formats.models.program import program_of, space_object
from splc.io.numbers import count_text, percentage, short_number
from splc.plotting.charts import predictions as charts
from splc.report import explanation
from splc.report.page import Block, Explorer, Page, RowTexts, Section, text_table, without_empty
from splc.report.subject import ModelSubject, differing_texts
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.importance import OptionImportance, aliases, choices_of, positions
from splc.workflows.optimize.optimize import NO_INFLUENCE, TOO_GOOD, Result
from splc.workflows.optimize.view import measured_text, predicted_columns, view_of_rated
from splc.workflows.prediction_notes import EVERY, NEW, ExpectedError
from splc.workflows.subspace import all_of
from splc.workflows.views import Facts, Message, Rows

OTHERS = "on measured configurations not learned from"  # where the error to expect was measured
# The configurations with the largest errors that are listed, and the most values of an option with a panel of errors.
WORST, MAX_VALUES = 10, 24
MAX_OPTIONS = 150  # systems with more options have no explorer: hundreds of controls are of no use, and slow
MAX_INTERVAL_ROWS = 400  # full models of more configurations would take seconds for their first interval
# The number of sets of options that are named, and the fewest rows that have a drift.
MAX_SETS, MIN_ROWS = 10, 16


def model_page(subject: ModelSubject, best: Result | None) -> Page:
    """Return the page about a model."""
    sections = (
        explanation.importance_section(subject),
        explanation.effects_section(subject),
        explanation.interactions_section(subject),
        explanation.influences_by_context(subject),
        explanation.formula_section(subject),
        _predictions(subject),
        None if best is None else _best(subject, best),
        _explorer(subject, best),
        _sample(subject),
        provenance_section(subject),
    )
    rows = subject.rows
    texts = RowTexts() if rows is None else RowTexts.of(rows.texts, rows.measured, rows.predicted)
    notes = list(subject.notes)
    if subject.measurements is not None and subject.shown is not None:
        count = len(subject.measurements.measured(subject.nfp))
        if len(subject.shown) < count:
            notes.append(f"{len(subject.shown):,} of {count:,} measured configurations are shown, which were drawn")
    return Page(subject.title, tuple(_answer(subject, best)), tuple(filter(None, sections)), tuple(notes), texts)


def _answer(subject: ModelSubject, best: Result | None) -> Iterator[str]:
    terms = plural(len(subject.stored.model.terms), "term", "terms")
    count = subject.content.get("learning_configurations")
    learned = f"; learned from {plural(int(count), 'configuration', 'configurations')}" if count else ""
    if (error := _error(subject)) is not None:
        yield f"{error[0].upper()}{error[1:]}; {terms}{learned}"
    else:
        unknown = "its error on new configurations is not known"
        if subject.rows is None and not subject.content:
            unknown = "its file states no error, and there are no measurements to judge it by"
        yield f"A model of {subject.nfp} with {terms}{learned}; {unknown}"
    if leading := [f"{option.name} ({percentage(100 * option.share, 2)})" for option in subject.overview.leading]:
        of = " of the logarithm" if subject.overview.product else ""
        yield f"What matters most for {subject.nfp}: {listed(leading)} of the variance{of}"
    maximize = best is not None and best.objectives[0].maximize
    levers = [lever for option in subject.overview.options if (lever := _lever(option, maximize=maximize))]
    if levers:
        yield f"Greatest lever: {max(levers)[1]}, on average over all other options"
    if best is not None and best.candidates:
        text = f"Best prediction: {subject.value_text(best.candidates[0].values[0].predicted)}"
        measured = None if best.best_measured is None else best.best_measured.values[0].measured
        if measured is not None:
            text += f"; best measured value: {subject.value_text(measured)}"
        yield f"{text}; {TOO_GOOD}" if best.unreached else text


def _error(subject: ModelSubject) -> str | None:
    """Return the error to expect as text, in the words of `splc learn` where its file states it; None if unknown."""
    content, rows = subject.content, subject.rows
    stored = content.get("expected_error")
    if not isinstance(stored, dict):
        percent, how = _percent_error(subject)
        return None if percent is None else f"{NEW} {percentage(percent, 2)} ({how})"
    expected = ExpectedError.of_values(stored)
    every = content.get("learning_configurations") == subject.valid_configurations
    if expected.verdict == "unknown" and every:
        constant = content.get("termination") == "constant"
        printed = None if constant else (content.get("printed") or {}).get("learning_error")
        return f"{EVERY}{expected.of_learned(content.get('learning_error'), printed)}"
    return expected.text(np.zeros(0) if rows is None else rows.measured, subject.stored.unit, every=every)


def _percent_error(subject: ModelSubject) -> tuple[float | None, str]:
    """Return the expected error in percent, and how it is known."""
    content, rows = subject.content, subject.rows
    if isinstance(content.get("error"), int | float):
        return float(content["error"]), OTHERS
    crossed = content.get("cross_validated")
    if isinstance(crossed, dict) and isinstance(crossed.get("mean"), int | float):
        return float(crossed["mean"]), "cross-validated"
    # Of a model without its rows it is not known which of the measured ones it was learned from.
    errors = np.zeros(0) if rows is None or not rows.held_out else np.abs(rows.errors[~rows.learned])
    return (float(np.nanmean(errors)), OTHERS) if np.isfinite(errors).any() else (None, "")


def _lever(option: OptionImportance, *, maximize: bool) -> tuple[float, str] | None:
    """Return how much the values of an option change the mean prediction, and what to choose; None for no change."""
    values = [value for value in option.values if value.change is not None]
    # Ratios of values that are not positive say nothing.
    if len(values) < 2 or min(value.mean for value in values) <= 0:
        return None
    low, high = (extreme(values, key=lambda value: value.mean) for extreme in (min, max))
    better, worse = (high, low) if maximize else (low, high)
    if better.mean == worse.mean:
        return None
    choice, other = f"set {option.name} = {better.label}", f"{option.name} = {worse.label}"
    if len(option.options) == 1 and {value.label for value in option.values} == {"-", "selected"}:
        choice = f"{'select' if better.label == 'selected' else 'deselect'} {option.name}"
        other = option.name if worse.label == "selected" else f"without {option.name}"
    ratio = better.mean / worse.mean
    percent = percentage(100 * (ratio - 1), 2).replace("-", "−")
    return abs(math.log(ratio)), f"{choice}: {percent} against {other}"


def _predictions(subject: ModelSubject) -> Section | None:
    """Return predictions beside measured values, and the largest errors; None without measurements."""
    rows = subject.rows
    if rows is None or not len(rows):
        return None
    measured, predicted, errors, learned = rows.measured, rows.predicted, rows.errors, rows.learned
    blocks: list[Block] = [
        charts.prediction_chart(measured, predicted, errors, learned, subject.quantity, held_out=rows.held_out)
    ]
    used = [option for option in subject.overview.options if 1 < len(option.values) <= MAX_VALUES]
    labels = {option.name: tuple(value.label for value in option.values) for option in used}
    options = [(option.name, labels[option.name], positions(option, rows.configurations)) for option in used]
    if options:
        blocks.append(charts.residual_chart(options, errors, learned))
    order = np.argsort(-np.nan_to_num(np.abs(errors), nan=-1), kind="stable")[:WORST]
    worst = order[np.isfinite(errors[order])].tolist()
    texts, alike = differing_texts((rows.configurations, row) for row in worst)
    cells, (factor, unit) = [], readable(subject.stored.unit, measured.tolist())
    for row, text in zip(worst, texts, strict=True):
        numbers = (short_number(values[row] * factor) for values in (measured, predicted))
        cells.append((text, *numbers, percentage(errors[row], 3), "yes" if learned[row] else "no"))
    columns = (titled(name, unit or None) for name in ("measured", "predicted"))
    header = ("configuration", *columns, "error", "learned from")
    caption = "The configurations with the largest relative errors"
    blocks.append(text_table(header, cells, caption, "worst", words=(0, 4), keys=worst))
    return Section("predictions", "Predicted and measured", (*blocks, *alike))


def _best(subject: ModelSubject, result: Result) -> Section:
    unit = subject.stored.unit
    word = "greatest" if result.objectives[0].maximize else "least"
    of = "all valid configurations" if result.exhaustive else "the examined configurations"
    count = plural(len(result.candidates), "configuration", "configurations")
    caption = f"The {count} with the {word} prediction of {of}"
    caption += ", with 90 % intervals" * (result.candidates[0].values[0].interval is not None)
    table, *alike = view_of_rated(result.candidates, predicted_columns("predicted", unit, result.like(0), 0))
    assert isinstance(table, Rows)
    blocks: list[Block] = [f"{NO_INFLUENCE.capitalize()}."] if result.without_influence else []
    blocks += [without_empty(replace(table, caption=caption, name="best")), *map(str, alike)]
    if result.best_measured is not None:
        found = describe_configuration(result.best_measured.configuration, 0)
        blocks.append(f"Best measured: {found}, with {measured_text(result.best_measured, unit, result.like(0))}.")
    if result.failures is not None:
        blocks.append(f"Left out: {'; '.join(result.failures.texts)}.")
    if result.free:
        free = ", ".join(map(subject.named, result.free))
        blocks.append(f"Not used by the model, any value predicts the same: {free}.")
    return Section("best", "The best configurations", tuple(blocks))


def _explorer(subject: ModelSubject, best: Result | None) -> Section | None:
    """Return controls for all options, with the prediction of the chosen configuration.

    None for models of many options, of observed variables, or with parameters.
    """
    stored, system, rows = subject.stored, subject.space.system, subject.rows
    if len(system.options) > MAX_OPTIONS or system.observed or stored.model.parameters:
        return None
    found = None if best is None or not best.candidates else best.candidates[0].configuration
    if (start := found) is None:
        start = rows.configurations[[0]] if rows else subject.space.draw(1, np.random.default_rng(0))
    space = space_object(system)
    for constraint in (*space["clauses"], *space["comparisons"]):
        constraint["text"] = subject.named(constraint["text"])
    content = {
        "program": program_of(stored),
        "space": space,
        "controls": _controls(system),
        "start": start.indices[0].tolist(),
        "best": None if found is None else found.indices[0].tolist(),
        "terms": [subject.named(term.text(stored.model.order)) for term, value in stored.model.terms if value != 0],
        "intervals": rows is None or int(rows.learned.sum()) <= MAX_INTERVAL_ROWS,
    }
    text = "Choose a value of each option: the page computes the prediction, and says which constraint a choice breaks."
    return Section("explorer", "Try a configuration", (text, Explorer(content)))


def _controls(system: VariabilityModel) -> list[dict[str, Any]]:
    """Return the controls: one for each option and each alternative group, with what each of its values sets."""
    texts, controls = text_values(system), []
    for title, members in zip(*choices_of(system), strict=True):
        option = system.options[members[0]]
        if len(members) == 1:
            if option.size < 2 or option.name in system.mandatory:
                continue
            kind = "checkbox" if isinstance(option, BinaryOption) else "number"
            labels = ["deselected" if math.isnan(value) else f"{value:g}" for value in value_table(option).tolist()]
            states = [[[members[0], index]] for index in range(option.size)]
        else:
            kind = "choice"
            # The last one may be their parent.
            parent = system.positions.get(option.parent or "", -1)
            values = [index for index in members if index != parent]
            labels = [texts.get(name, ("", name))[1] for name in (system.names[position] for position in values)]
            states = [[[index, int(index in (position, parent))] for index in members] for position in values]
            # One of the group is selected wherever its parent is.
            if option.parent not in (None, *system.mandatory):
                labels, states = ["(none)", *labels], [[[position, 0] for position in members], *states]
        controls.append({"name": title, "kind": kind, "labels": labels, "states": states})
    return controls


def _sample(subject: ModelSubject) -> Section | None:
    """Return the coverage of values, options that cannot be separated, and scatter; None without measurements."""
    rows = subject.rows
    if rows is None or not len(rows):
        return None
    system = subject.space.system
    configurations = rows.configurations[np.flatnonzero(rows.learned)] if rows.learned.any() else rows.configurations
    indices = configurations.indices
    values = []
    for option in subject.overview.options:
        at = positions(option, configurations)
        for code, value in enumerate(option.values):
            values.append((f"{option.name} = {value.label}", int((at == code).sum()), value.fraction))
    blocks: list[Block] = [charts.coverage_chart(values, len(indices))] if values else []
    titles, choices = choices_of(system)
    by_title = dict(zip(titles, choices, strict=True))
    places = {option.name: by_title.get(option.name, ()) for option in subject.overview.options}
    changing = [name for name, own in places.items() if any(len(set(indices[:, at].tolist())) > 1 for at in own)]
    if len(changing) > 1 and len(indices) > 1:
        blocks.append(charts.alias_chart(changing, charts.associations(indices, [by_title[name] for name in changing])))
    sets = aliases(indices, choices)
    if texts := [" and ".join(subject.named(system.names[position]) for position in group) for group in sets]:
        text = "Options that always change together in the sample, so that it cannot separate them"
        blocks.append(Message(f"{text}: {listed(texts, MAX_SETS)}.", "warning"))
    if subject.shown is not None:
        repetitions = subject.shown.values[subject.nfp]
        if (np.isfinite(repetitions).sum(axis=1) > 1).any():
            blocks.append(charts.repetition_chart(repetitions, subject.quantity))
    if len(rows) >= MIN_ROWS:
        blocks.append(charts.drift_chart(rows.errors, rows.learned))
    return Section("sample", "The sample", tuple(blocks)) if blocks else None


def provenance_section(subject: ModelSubject) -> Section:
    """Return the files, the settings and the version that produced the model."""
    return Section("provenance", "Where it comes from", (Facts(tuple(_provenance(subject))),))


def _provenance(subject: ModelSubject) -> Iterator[tuple[str, str]]:
    stored, content, system = subject.stored, subject.content, subject.space.system
    yield "model", stored.name or subject.file
    yield "system", f"{system.name}: {len(system.names)} options"
    if (count := subject.valid_configurations) is not None:
        yield all_of(system), count_text(count)
    for key, title in (("sampling", "sampling"), ("learner", "learner"), ("splc", "version of splc")):
        if isinstance(value := stored.provenance.get(key), str):
            yield title, value
    for name in ("preset", "seed", "learning_configurations"):
        if content.get(name) is not None:
            yield name.replace("_", " "), _setting(content[name])
    settings = content.get("settings")
    if isinstance(settings, dict) and settings:
        texts = (f"{name} = {_setting(value)}" for name, value in settings.items() if value is not None)
        yield "settings", ", ".join(texts)
    files = stored.provenance.get("files")
    for role, file in files.items() if isinstance(files, dict) else ():
        if isinstance(file, dict):
            yield f"{role} file", str(file.get("name") or file.get("path") or "")
            if file.get("sha256"):
                yield f"{role} SHA-256", str(file["sha256"])


def _setting(value: object) -> str:
    return short_number(value) if isinstance(value, float) else str(value)
