"""The configurations that the samplings of a script select."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from sampling import Space, draw_sample
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.scripts.samplings import spec_of
from splc.formats.scripts.strategies import Sampling
from splc.learning.learning_set import match
from splc.types import Array
from splc.workflows.scripts.paths import located
from splc.workflows.scripts.state import MatchedRows


def sampled(samplings: Sequence[Sampling], space: Space, script: str) -> Configurations | None:
    """Return the configurations that samplings select together, distinct; None without samplings.

    Several binary ones are joined, so are several numeric ones; the sample is the product of both.

    Raises:
        SplcError: if a sampling cannot be drawn, or a file cannot be read.
    """
    binary: list[Sampling | None] = [each for each in samplings if each.kind == "binary"]
    numeric: list[Sampling | None] = [each for each in samplings if each.kind == "numeric"]
    whole = [spec_of([each], space.system) for each in samplings if each.kind == "hybrid"]
    found = [draw_sample(space.system, spec, 0, None, space).configurations for spec in whole]
    pairs = itertools.product(binary or [None], numeric or [None]) if binary or numeric else ()
    found += [_product(one, other, space, script) for one, other in pairs]
    return Configurations.concatenate(found).unique() if found else None


def _product(binary: Sampling | None, numeric: Sampling | None, space: Space, script: str) -> Configurations:
    joined = [each for each in (binary, numeric) if each is not None]
    files = [located(script, each.file) for each in joined if each.file is not None]
    spec = spec_of(joined, space.system, *files)
    return draw_sample(space.system, spec, 0, None, space).configurations


def learning_rows(
    samplings: Sequence[Sampling], everything: bool, measured: Measurements, nfp: str, space: Space, script: str
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
    known = measured[usable]
    sets: list[Array | None] = []
    notes: list[str] = []
    for validation in (False, True):
        chosen = sampled([each for each in samplings if each.validation == validation], space, script)
        if chosen is None:
            sets.append(None)
            continue
        rows, remarks = match(known, chosen, "nearest")
        notes += remarks
        sets.append(usable[rows] if len(rows) else None)
    learning, judging = sets
    if learning is None and judging is None:
        hint = "choose another sampling, or select-all-measurements true"
        raise LearningError("none of the sampled configurations was measured", hint=hint)
    if learning is None:
        assert judging is not None
        return MatchedRows(judging, None, tuple(notes))
    return MatchedRows(learning, judging, tuple(notes))
