"""All runs of a study."""

from __future__ import annotations

from splc.io.numbers import short_number
from splc.report.page import Block, Section, TextTable
from splc.study.archive import StudyArchive
from splc.study.results import LEARNING


def runs_section(archive: StudyArchive) -> Section:
    """Return a table of all runs, and one of those without a result."""
    keys = [key for key in LEARNING if any(key in run.values for run in archive.runs)]
    rows = tuple(
        (run.learner, run.sampling, run.seed, *(short_number(run.values.get(key), 4) for key in keys))
        for run in archive.runs
    )
    header = ("learner", "sampling", "seed", *(LEARNING[key] for key in keys))
    numeric = frozenset(range(2, len(header)))
    blocks: list[Block] = [TextTable(header, rows, numeric, caption="Each run", name="runs")]
    refused = tuple((run.learner, run.sampling, run.seed, run.reason) for run in archive.runs if run.reason)
    if refused:
        names = ("learner", "sampling", "seed", "reason")
        blocks.append(TextTable(names, refused, frozenset({2}), caption="Without a result", name="failed"))
    return Section("runs", "Runs", tuple(blocks))
