"""The columns that a search is about where there are many more options than rows.

Source: Wang 2009, "Forward regression for ultra-high dimensional variable screening".
"""

from __future__ import annotations

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.kernel import KernelDesign
from splc.models.basis.orthogonal_fit import OrthogonalFit
from splc.types import Array

# Scores that agree to this are equal: the first column is taken.
_SAME_SCORE = 1e-7
# A share of the squared norm of a column, or of the targets, that is left by others.
_LEFT, _NOTHING = 1e-4, 1e-10


def screened_blocks(design: KernelDesign, z: Array) -> Array | None:
    """Return the positions of the blocks that may have an influence, ascending; None where all are searched.

    These are what forward regression selects, and then the blocks that correlate most with the targets.

    `z`: standardised targets, shape (n,).
    """
    blocks = len(design.starts) - 1
    if not is_screened(blocks, len(z)):
        return None
    centred = design.columns - design.columns.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    columns = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    correlations = abs(z @ columns)
    selected = _forward(columns, z, min(constants.SCREENED, len(z)) // 2)
    # The order of Python's sort is stable: the first of equal columns.
    rounded = np.round(correlations, 9)
    order = [*selected, *sorted(range(len(norms)), key=lambda column: -rounded[column])]
    fixed = range(blocks - design.unscreened, blocks)
    kept = dict.fromkeys([*fixed, *design.owners[order].tolist()])
    return np.array(sorted([*kept][: constants.SCREENED]))


def is_screened(blocks: int, rows: int) -> bool:
    """Return whether a search is about some of so many blocks only."""
    return blocks > max(constants.SCREENED, constants.OPTIONS_PER_ROW * rows)


def _forward(columns: Array, z: Array, steps: int) -> list[int]:
    """Return the columns of unit norm that lower the sum of squares most, one after another."""
    fit, selected = OrthogonalFit(z), []
    left, moments = (columns**2).sum(axis=0), z @ columns
    for _ in range(steps):
        scores = np.divide(moments**2, left, out=np.zeros_like(left), where=left > _LEFT)
        best = float(scores.max(initial=0.0))
        if best <= _NOTHING * float(z @ z):
            break
        selected.append(int(np.flatnonzero(scores >= best * (1 - _SAME_SCORE))[0]))
        fit.add(columns[:, selected[-1]])
        along = fit.basis[-1] @ columns
        moments = moments - fit.parts[-1] * along
        left = left - along**2
    return selected
