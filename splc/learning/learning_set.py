"""Match sampled configurations to measured ones."""

from __future__ import annotations

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, SpecError, plural
from splc.system.options import BinaryOption
from splc.types import Array, Missing

POLICIES: tuple[Missing, ...] = ("error", "drop", "nearest")
_SAMPLED = "sampled configuration was", "sampled configurations were"


def match(
    measurements: Measurements, sampled: Configurations, missing: Missing = "error", instead: str = ""
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of sampled configurations among the measured ones, and notes.

    `missing`: the policy for sampled configurations that were not measured: 'error'; 'drop' leaves them out; 'nearest'
    takes the measured configuration with the same binary options whose numeric options are the fewest steps away (SPL
    Conqueror's rule), or leaves them out if there is none.
    """
    if missing not in POLICIES:
        raise SpecError(f"unknown policy {missing!r} for missing configurations", hint=f"one of {', '.join(POLICIES)}")
    positions = measurements.configurations.find(sampled)
    absent = np.flatnonzero(positions < 0)
    notes: tuple[str, ...] = ()
    if len(absent) and missing == "error":
        listed = [describe_configuration(sampled, int(row)) for row in absent[:10]]
        omitted_text = [f"… and {len(absent) - 10} more"] if len(absent) > 10 else []
        raise LearningError(
            Problem(
                f"{len(absent):,} of {plural(len(sampled), 'sampled configuration', 'sampled configurations')} "
                f"{'was' if len(absent) == 1 else 'were'} not measured:\n    " + "\n    ".join(listed + omitted_text),
                hint=f"measure them, {instead}or choose --missing drop or nearest (in Python the argument missing)",
            )
        )
    if len(absent) and missing == "nearest":
        replaced = nearest(measurements.configurations, sampled[absent])
        positions[absent] = replaced
        replaced_count = int((replaced >= 0).sum())
        if replaced_count:
            notes = (f"{plural(replaced_count, *_SAMPLED)} not measured and replaced by the nearest measured one",)
        absent = np.flatnonzero(positions < 0)
    if len(absent):
        notes += (f"{plural(len(absent), *_SAMPLED)} not measured and left out",)
    present = positions[positions >= 0]
    _, first = np.unique(present, return_index=True)
    if len(first) < len(present):
        duplicate_text = plural(len(present) - len(first), "sampled configuration has", "sampled configurations have")
        notes += (f"{duplicate_text} the same nearest measured one as another",)
    return present[np.sort(first)], notes


def rows_of(
    measurements: Measurements, learning_set: Configurations | Array | None, missing: Missing
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of a learning set among the measured configurations, and notes.

    `learning_set`: configurations, or positions or a mask of measured configurations; None is all of them. `missing`:
    see `match`.
    """
    if isinstance(learning_set, Configurations):
        return match(measurements, learning_set, missing)
    all_rows = np.arange(len(measurements))
    if learning_set is None:
        return all_rows, ()
    selected_rows = np.asarray(learning_set)
    return all_rows[selected_rows if selected_rows.size else selected_rows.astype(np.int64)], ()


def nearest(measured: Configurations, wanted: Configurations) -> Array:
    """Return the nearest measured configuration with the same binary options for each wanted one, or -1.

    The distance is the sum over the numeric options of the steps between the values; a deselected option is as far away
    as its domain has values.
    """
    binary = np.array([isinstance(option, BinaryOption) for option in measured.system.options], dtype=bool)
    steps = measured.indices.astype(np.int64)
    result = np.full(len(wanted), -1)
    for i, indices in enumerate(wanted.indices):
        row = indices.astype(np.int64)
        candidates = np.flatnonzero((steps[:, binary] == row[binary]).all(axis=1))
        if len(candidates):
            result[i] = candidates[np.argmin(np.abs(steps[candidates][:, ~binary] - row[~binary]).sum(axis=1))]
    return result
