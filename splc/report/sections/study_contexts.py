"""The learners of a study of each value of a context."""

from __future__ import annotations

from collections.abc import Sequence

from splc.io.tables import cell_text
from splc.plotting.charts.curves import learning_curve_chart
from splc.report.page import Block, Section, TextTable
from splc.study.archive import StudyArchive
from splc.study.learning_curves import learning_curves
from splc.study.tables import spread


def contexts_section(archives: Sequence[StudyArchive]) -> Section:
    """Return the error of each learner and sampling at each value, and the learning curves.

    Args:
        archives: the results of each value.
    """
    errors = [archive.errors for archive in archives]
    pairs = dict.fromkeys((learner, sampling) for grid in errors for learner in grid for sampling in grid[learner])
    rows = tuple(
        (
            *pair,
            *(
                cell_text(spread([error for size, error in grid.get(pair[0], {}).get(pair[1], ()) if size is not None]))
                for grid in errors
            ),
        )
        for pair in pairs
    )
    header = ("learner", "sampling", *(archive.contexts for archive in archives))
    numeric = frozenset(range(2, len(header)))
    blocks: list[Block] = [
        TextTable(header, rows, numeric, caption="Error on all others, %", name="contexts"),
    ]
    curves = {archive.contexts: learning_curves(table) for archive, table in zip(archives, errors, strict=True)}
    if any(line and line[0].size < line[-1].size for lines in curves.values() for line in lines.values()):
        panels = {
            name: {learner: [(at.size, at.error, at.deviation) for at in line] for learner, line in lines.items()}
            for name, lines in curves.items()
        }
        learners = list(dict.fromkeys(learner for lines in panels.values() for learner in lines))
        blocks.insert(0, learning_curve_chart(panels, learners, "Error by the number of configurations learned from"))
    return Section("contexts", "Learners at each value", tuple(blocks))
