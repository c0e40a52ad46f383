"""The configurations that the samplings of a script select."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from sampling import Space, draw_sample
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import EmptySampleError, LearningError
from splc.formats.scripts.samplings import spec_of
from splc.formats.scripts.strategies import Sampling
from splc.learning.learning_set import match
from splc.splconqueror.scripts.paths import located
from splc.splconqueror.scripts.state import MatchedRows
from splc.types import Array

# The note about a design that differs from that of the program.
OTHER_DESIGN = "kexchange: this D-optimal design has other rows than that of SPL Conqueror's program"


def sampled(samplings: Sequence[Sampling], space: Space, script: str) -> tuple[Configurations | None, tuple[str, ...]]:
    """Return the configurations that samplings select together, distinct, and notes; None without samplings.

    Several binary ones are joined, so are several numeric ones; the sample is the product of both. It may be empty.

    Args:
        samplings: the samplings.
        space: the valid configurations.
        script: the file whose folder the files of samplings are relative to.

    Raises:
        SplcError: if a sampling cannot be drawn, or a file cannot be read.
    """
    combinations: list[list[Sampling]] = [[sampling] for sampling in samplings if sampling.kind == "hybrid"]
    binary = [[sampling] for sampling in samplings if sampling.kind == "binary"]
    numeric = [[sampling] for sampling in samplings if sampling.kind == "numeric"]
    if binary or numeric:
        combinations += [[*first, *second] for first, second in itertools.product(binary or [[]], numeric or [[]])]
    system = space.system
    parts = [Configurations(system, np.zeros((0, len(system.options)), dtype=np.uint8))]
    notes: list[str] = []
    for combination in combinations:
        notes += (OTHER_DESIGN for sampling in combination if sampling.spec.startswith("dopt:"))
        files = [located(script, sampling.file) for sampling in combination if sampling.file is not None]
        try:
            sample = draw_sample(system, spec_of(combination, system, *files), 0, None, space)
        except EmptySampleError as error:
            notes += (problem.message for problem in error.problems)
            continue
        parts.append(sample.configurations)
        notes += sample.notes
    return Configurations.concatenate(parts).unique() if combinations else None, tuple(dict.fromkeys(notes))


def learning_rows(
    samplings: Sequence[Sampling],
    everything: bool,
    measured: Measurements,
    nfp: str,
    space: Space,
    script: str,
) -> MatchedRows:
    """Return the measured configurations to learn from and to judge candidates by.

    A sampled configuration that was not measured is replaced by the nearest one, or left out. Without a learning set
    the validation set is learned from.

    Raises:
        LearningError: if there is nothing to learn from.
    """
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if everything:
        return MatchedRows(usable)
    usable_measurements = measured[usable]
    sets: list[Array | None] = []
    notes: list[str] = []
    all_empty = True
    for validation in (False, True):
        set_samplings = [sampling for sampling in samplings if sampling.validation == validation]
        configurations, sampling_notes = sampled(set_samplings, space, script)
        notes += sampling_notes
        if configurations is None:
            sets.append(None)
            continue
        all_empty = all_empty and not len(configurations)
        rows, remarks = match(usable_measurements, configurations, "nearest")
        notes += remarks
        sets.append(usable[rows] if len(rows) else None)
    learning, judging = sets
    if learning is None and judging is None:
        hint = "choose another sampling, or select-all-measurements true"
        reason = "; ".join(dict.fromkeys(notes)) if all_empty else "none of the sampled configurations was measured"
        raise LearningError(f"there is nothing to learn from: {reason}", hint=hint)
    if learning is None:
        assert judging is not None
        return MatchedRows(judging, None, tuple(notes))
    return MatchedRows(learning, judging, tuple(notes))
