"""Contexts (version, workload, machine) of experiments in CSV: columns of text, and those that the user names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from splc.formats.measurements.columns import ColumnChoice, columns_of
from splc.formats.measurements.contexts import require_constant, selected, separated, with_notes
from splc.formats.measurements.rows import MeasurementRows


@dataclass(frozen=True)
class SelectedRows:
    """The rows of a table that are in the selected contexts."""

    rows: tuple[int, ...]  # their positions
    columns: tuple[int, ...]  # the positions of the columns that are neither contexts nor ignored
    contexts: dict[str, str]  # context → its value in these rows
    notes: tuple[str, ...] = ()  # what the user should know


def select_rows(
    file: str, header: Sequence[str], body: Sequence[Sequence[str]], choice: ColumnChoice, taken: Collection[str]
) -> tuple[SelectedRows, ...]:
    """Return the selected rows, separately for each value of `choice.by`.

    `taken`: columns that cannot be contexts.
    """
    cells = {name: [row[at] for row in body] for at, name in enumerate(header) if name not in taken}
    columns = columns_of(cells, choice, file, options=taken)
    no_indices = np.zeros((len(body), 0), dtype=np.int64)
    positions = np.arange(len(body))
    rows = MeasurementRows(positions, no_indices, {}, {}, {}, np.ones(len(body), dtype=int), contexts=columns.contexts)
    selected_rows = selected(rows, choice, file)
    parts = separated(selected_rows, choice.by)
    require_constant(parts, file)
    parts = tuple(with_notes(part, choice) for part in parts)
    dropped = (*columns.contexts, *columns.ignored)
    indices = tuple(at for at, name in enumerate(header) if name not in dropped)
    return tuple(
        SelectedRows(tuple(part.lines.tolist()), indices, part.values_of_contexts, part.notes) for part in parts
    )
