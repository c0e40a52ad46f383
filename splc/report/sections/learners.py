"""The learners of a study: their errors by sampling and by number of configurations."""

from __future__ import annotations

from splc.io.tables import cell_text
from splc.report.page import Block, Section, TextTable
from splc.study.archive import ArchivedRun, StudyArchive
from splc.study.results import LEARNING, errors_of, grouped
from splc.study.tables import curves_chart, spread

_COLUMNS = ("learned_from", "error", "error_all", "learning_error", "terms")


def learners_section(archive: StudyArchive) -> Section:
    """Return the errors of all learners and samplings, and the learning curves."""
    groups = grouped(archive.runs)
    cells = [
        (learner, sampling, f"{len(_known(runs))} of {len(runs)}", *(_cell(runs, key) for key in _COLUMNS))
        for learner, samplings in groups.items()
        for sampling, runs in samplings.items()
    ]
    header = ("learner", "sampling", "models", *(LEARNING[key] for key in _COLUMNS))
    # Learners without terms only have no such column.
    columns = [at for at in range(len(header)) if at < 3 or any(row[at] != "-" for row in cells)]
    rows = tuple(tuple(row[at] for at in columns) for row in cells)
    spreads = any(len(runs) > 1 for samplings in groups.values() for runs in samplings.values())
    caption = "Errors by learner and sampling" + (
        ": means over the seeds, ± standard deviation in % of the mean" if spreads else ""
    )
    numeric = frozenset(range(2, len(columns)))
    blocks: list[Block] = [
        TextTable(tuple(header[at] for at in columns), rows, numeric, caption=caption, name="learners")
    ]
    title = "Error by the number of configurations learned from"
    if (chart := curves_chart({title: errors_of(archive.runs)}, title)) is not None:
        blocks.insert(0, chart)
    return Section("learners", "Learners and samplings", tuple(blocks))


def _known(runs: list[ArchivedRun]) -> list[ArchivedRun]:
    """Return the runs with a model."""
    return [run for run in runs if "learned_from" in run.values]


def _cell(runs: list[ArchivedRun], key: str) -> str:
    values = [run.values.get(key) for run in _known(runs)]
    # Equal values, such as numbers of configurations, have no deviation to show.
    return cell_text(spread(values[:1] if len(set(values)) == 1 else values))
