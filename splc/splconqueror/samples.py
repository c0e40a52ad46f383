"""The configurations that the samplings of a script select, and those of them that were measured."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling import Space, draw_sample
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import EmptySampleError, LearningError
from splc.formats.scripts.samplings import Sampling, spec_of
from splc.learning.learner import match
from splc.models.text.log_grammar import duration_text
from splc.splconqueror.state import CommandCall, located
from splc.types import Array

# The note about a design that differs from that of the program.
OTHER_DESIGN = "kexchange: this D-optimal design has other rows than that of SPL Conqueror's program"


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """The measured configurations to learn from."""

    rows: Array  # the positions of the learning set
    # the positions of the configurations that candidates are judged by; None: the learning set
    validation: Array | None = None
    notes: tuple[str, ...] = ()  # the sampled configurations that were replaced or left out


def sampled(samplings: Sequence[Sampling], space: Space, script: str) -> tuple[Configurations | None, tuple[str, ...]]:
    """Return the configurations that samplings select together, distinct, and notes; None without samplings.

    Several binary ones are joined, so are several numeric ones; the sample is the product of both. It may be empty.
    """
    hybrid, binary, numeric = (
        [[sampling] for sampling in samplings if sampling.kind == kind] for kind in ("hybrid", "binary", "numeric")
    )
    combinations = hybrid
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
    samplings: Sequence[Sampling], everything: bool, measured: Measurements, nfp: str, space: Space, script: str
) -> MatchedRows:
    """Return the measured configurations to learn from and to judge candidates by.

    A sampled configuration that was not measured is replaced by the nearest one, or left out. Without a learning set
    the validation set is learned from.
    """
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if everything:
        return MatchedRows(usable)
    known = measured[usable]
    sets: list[Array] = []
    notes: list[str] = []
    all_empty = True
    for validation in (False, True):
        of_set = [sampling for sampling in samplings if sampling.validation == validation]
        configurations, sampling_notes = sampled(of_set, space, script)
        notes += sampling_notes
        rows = np.zeros(0, dtype=np.intp)
        if configurations is not None:
            all_empty = all_empty and not len(configurations)
            rows, remarks = match(known, configurations, "nearest")
            notes += remarks
        sets.append(usable[rows])
    learning, judging = sets
    if not len(learning) and not len(judging):
        hint = "choose another sampling, or select-all-measurements true"
        reason = "; ".join(dict.fromkeys(notes)) if all_empty else "none of the sampled configurations was measured"
        raise LearningError(f"there is nothing to learn from: {reason}", hint=hint)
    if not len(learning):
        return MatchedRows(judging, None, tuple(notes))
    return MatchedRows(learning, judging if len(judging) else None, tuple(notes))


def rows_of(call: CommandCall) -> MatchedRows:
    """Return the learning set of a script, with a line in the log."""
    started, state = time.monotonic(), call.state
    space, measured = state.known_space, state.known_measured
    rows = learning_rows(state.samplings, state.everything, measured, state.known_nfp, space, call.script)
    call.run.log.line(f"Total sampling time: {duration_text(time.monotonic() - started)}")
    call.remark(rows.notes)
    return rows
