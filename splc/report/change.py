"""The report of two models of one system, such as those of two versions: what changed."""

from __future__ import annotations

from collections.abc import Iterator

from splc.errors import InputError, Problem, listed
from splc.io.numbers import percentage
from splc.plotting.charts.influences import importance_chart
from splc.report.page import Page, Section, TextTable
from splc.report.sections.changes import changes_section, is_rounding, value_changes
from splc.report.sections.provenance import provenance_section
from splc.report.subject import ModelSubject
from splc.workflows.explain.pictures import shares_of


def change_page(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Page:
    """Return the page about two models."""
    if not set(old.space.system.names) & set(new.space.system.names):
        raise InputError(Problem("the two models have no option in common", new.file))
    if old.nfp != new.nfp:
        hint = "compare models of one property"
        message = f"the models predict different properties: {old.nfp} and {new.nfp}"
        raise InputError(Problem(message, new.file, hint=hint))
    sections = (
        changes_section(old, new, names),
        _importance(old, new, names),
        _formulas(old, new, names),
        *(
            Section(f"{part.name}-{number}", f"{part.title}: {name}", part.blocks)
            for number, (name, part) in enumerate(zip(names, map(provenance_section, (old, new)), strict=True), 1)
        ),
    )
    title = f"{new.space.system.name}: {new.nfp}, {names[0]} and {names[1]}"
    warnings = tuple(dict.fromkeys([*old.notes, *new.notes]))
    return Page(title, tuple(_answer(old, new, names)), sections, warnings)


def _answer(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Iterator[str]:
    before, after = old.overview.mean, new.overview.mean
    mean = f"{old.value_text(before)} with {names[0]}, {new.value_text(after)} with {names[1]}"
    if before > 0 and after > 0:
        ratio = after / before
        change = f"changed by {percentage(100 * (ratio - 1), 3).replace('-', '−')}"
        change = "is unchanged" if is_rounding(ratio - 1) else change
        yield f"{new.nfp} {change} on average over all valid configurations ({mean})"
    else:
        yield f"Mean {new.nfp} over all valid configurations: {mean}"
    settled = list(dict.fromkeys(change.option for change in value_changes(old, new) if change.settled))
    if settled:
        yield f"The effects of these options changed: {listed(settled, 10)}"
    else:
        yield "No effect of an option changed by more than its uncertainty"


def _importance(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Section:
    charts = []
    for subject, name in zip((old, new), names, strict=True):
        if shares := shares_of(subject.overview):
            charts.append(importance_chart(shares, f"{subject.nfp} ({name})"))
    return Section("importance", "What matters", tuple(charts))


def _formulas(old: ModelSubject, new: ModelSubject, names: tuple[str, str]) -> Section:
    """Return the terms of both printed models beside each other."""
    columns = []
    for subject in (old, new):
        model = subject.stored.model
        columns.append({subject.named(term.text(model.order)): f"{influence:.6g}" for term, influence in model.terms})
    terms = dict.fromkeys([*columns[0], *columns[1]])
    rows = tuple((term, *(column.get(term, "-") for column in columns)) for term in terms)
    table = TextTable(("term", *names), rows, frozenset({1, 2}), caption="The printed models", name="formulas")
    return Section("formula", "The formulas", (table,))
