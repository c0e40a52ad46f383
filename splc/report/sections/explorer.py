"""The explorer: controls for all options, with the prediction of the chosen configuration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from splc.data.configurations import value_table
from splc.data.value_texts import text_values
from splc.formats.models.programs.program import program_object, program_of
from splc.formats.models.programs.space import space_object
from splc.report.page import Explorer, Paragraph, Section
from splc.report.subject import ModelSubject
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.overview import choices_of
from splc.workflows.optimize.optimize import Result as Optimized

# Systems with more options have no explorer: hundreds of controls are of no use, and slow.
MAX_OPTIONS = 150
# A full model that was learned from more configurations would take seconds for its first interval.
MAX_INTERVAL_ROWS = 400


def explorer_section(subject: ModelSubject, best: Optimized | None) -> Section | None:
    """Return the explorer; None for models of many options, of observed variables, or with parameters."""
    stored, system = subject.stored, subject.space.system
    if len(system.options) > MAX_OPTIONS or system.observed or stored.model.parameters:
        return None
    start = None if best is None or not best.candidates else best.candidates[0].configuration
    rows = subject.rows
    if start is None and rows is not None and len(rows):
        start = rows.configurations[[0]]
    if start is None:
        start = subject.space.draw(1, np.random.default_rng(0))
    space = space_object(system)
    for constraint in (*space["clauses"], *space["comparisons"]):
        constraint["text"] = subject.named(constraint["text"])
    content = {
        "program": program_object(program_of(stored)),
        "space": space,
        "controls": _controls(system),
        "start": start.indices[0].tolist(),
        "best": None if best is None or not best.candidates else best.candidates[0].configuration.indices[0].tolist(),
        "terms": [subject.named(term.text(stored.model.order)) for term, value in stored.model.terms if value != 0],
        "intervals": rows is None or int(rows.learned.sum()) <= MAX_INTERVAL_ROWS,
    }
    text = "Choose a value of each option: the page computes the prediction, and says which constraint a choice breaks."
    return Section("explorer", "Try a configuration", (Paragraph(text), Explorer(content)))


def _controls(system: VariabilityModel) -> list[dict[str, Any]]:
    """Return the controls: one for each option and each alternative group, with what each of its values sets."""
    titles, choices = choices_of(system)
    texts, controls = text_values(system), []
    for title, positions in zip(titles, choices, strict=True):
        if len(positions) == 1:
            (position,) = positions
            option = system.options[position]
            labels = [_label(number) for number in value_table(option).tolist()]
            if option.size < 2 or option.name in system.mandatory:
                continue
            kind = "checkbox" if isinstance(option, BinaryOption) else "number"
            states = [[[position, index]] for index in range(option.size)]
            controls.append({"name": title, "kind": kind, "labels": labels, "states": states})
            continue
        labels = [texts.get(name, ("", name))[1] for name in (system.names[position] for position in positions)]
        states = [[[index, int(index == position)] for index in positions] for position in positions]
        # One of the group is selected wherever its parent is.
        if system.options[positions[0]].parent not in (None, *system.mandatory):
            labels, states = ["(none)", *labels], [[[position, 0] for position in positions], *states]
        controls.append({"name": title, "kind": "choice", "labels": labels, "states": states})
    return controls


def _label(number: float) -> str:
    return "deselected" if math.isnan(number) else f"{number:g}"
