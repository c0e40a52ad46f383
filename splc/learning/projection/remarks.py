"""Notes on a full model and on how it is printed."""

from __future__ import annotations

from splc.errors import listed, plural
from splc.io.numbers import percentage
from splc.learning.method_note import MethodNote
from splc.learning.problem import LearningProblem
from splc.learning.projection.few_rows import is_too_few, rows_needed
from splc.learning.projection.full_model import ONE_ROW, FullModel
from splc.learning.projection.sparse_model import SparseModel

# How a full model combines the effects of options, by its scale.
FORMS = {"ln y": "multiplies the effects of options", "y": "adds up the effects of options"}


def few_rows(full: FullModel, valid: int | None) -> list[str]:
    """Return a note that there are too few rows for a model with options, if so.

    `valid`: the number of valid configurations, None if there are many.
    """
    rows, needed = len(full.rows), rows_needed(full)
    if not full.basis.variables or rows >= needed:
        return []
    purpose = "a model with options" if is_too_few(full) else "the number of options"
    if valid is None or valid >= needed:
        return [f"too few measurements for {purpose}: measure at least {needed} configurations"]
    cure = f"measure {'all' if valid > 2 else 'both'} of them" if rows < valid else "rely on the measured values"
    return [f"{plural(valid, 'valid configuration is', 'valid configurations are')} too few for {purpose}: {cure}"]


def remarks(problem: LearningProblem, full: FullModel, printed: SparseModel) -> list[str]:
    """Return notes about the full model and how it is printed."""
    rows = plural(len(full.rows), "configuration", "configurations")
    if full.constant:
        return [f"the model is a constant: {full.constant}" + (f" ({rows})" if full.constant != ONE_ROW else "")]
    notes: list[str] = []
    if printed.aliases:
        distinct_pairs = [pair for at, pair in enumerate(printed.aliases) if pair[::-1] not in printed.aliases[:at]]
        pairs = listed([f"{first} and {second}" for first, second in distinct_pairs], 5)
        notes.append(f"interchangeable in your sample, either explains it as well: {pairs}")
    if len(full.rows) < len(problem.rows):
        selected = f"the terms were selected with {rows}; their influences were fitted to all {len(problem.rows):,}"
        notes.append(MethodNote(selected))
    form = f"the full model {FORMS.get(full.name, f'adds up the effects of options on {full.name}')}"
    if full.stacked is not None:
        form = f"{form}; the printed model is {percentage(100 * full.stacked.weight)} of it, as held-out rows prefer"
    notes.append(MethodNote(form))
    return notes
