"""The learners of a study of each value of a context."""

from __future__ import annotations

from collections.abc import Sequence

from splc.io.tables import cell_text
from splc.report.page import Block, Section, TextTable
from splc.study.archive import StudyArchive
from splc.study.results import errors_of
from splc.study.tables import curves_chart, spread


def contexts_section(archives: Sequence[StudyArchive]) -> Section:
    """Return the error of each learner and sampling at each value, and the learning curves."""
    errors = {archive.contexts: errors_of(archive.runs) for archive in archives}
    grids = errors.values()
    pairs = dict.fromkeys((learner, sampling) for grid in grids for learner in grid for sampling in grid[learner])
    rows = tuple(
        (
            *pair,
            *(
                cell_text(spread([error for size, error in grid.get(pair[0], {}).get(pair[1], ()) if size is not None]))
                for grid in grids
            ),
        )
        for pair in pairs
    )
    header = ("learner", "sampling", *errors)
    numeric = frozenset(range(2, len(header)))
    blocks: list[Block] = [
        TextTable(header, rows, numeric, caption="Error on all others, %", name="contexts"),
    ]
    if (chart := curves_chart(errors, "Error by the number of configurations learned from")) is not None:
        blocks.insert(0, chart)
    return Section("contexts", "Learners at each value", tuple(blocks))
