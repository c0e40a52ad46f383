"""The measures of a study's models: against the analytical model, and against the measurements."""

from __future__ import annotations

from splc.io.tables import cell_text
from splc.report.page import Block, Section, TextTable
from splc.study.archive import StudyArchive
from splc.study.results import TERMS, grouped, in_table, titles
from splc.study.tables import CAPTIONS, spread


def study_scores_section(archive: StudyArchive) -> Section | None:
    """Return the measures of all learners and samplings; None where nothing was compared."""
    blocks = [table for group in ("analytical_learned", "measured_learned") if (table := _table(archive, group))]
    return Section("scores", "Models compared", tuple[Block, ...](blocks)) if blocks else None


def _table(archive: StudyArchive, group: str) -> TextTable | None:
    """Return a table with a row for each learner and sampling, and a column for each measure; None without values."""
    labels = {
        key: title
        for key, title in titles(group).items()
        if key not in TERMS and any(f"{group}.{key}" in run.values for run in archive.runs)
    }
    if not labels:
        return None
    rows = tuple(
        (
            learner,
            sampling,
            *(
                cell_text(spread([in_table(key, run.values.get(f"{group}.{key}")) for run in runs if not run.reason]))
                for key in labels
            ),
        )
        for learner, samplings in grouped(archive.runs).items()
        for sampling, runs in samplings.items()
        # Learners without terms are not compared.
        if any(f"{group}.{key}" in run.values for run in runs for key in labels)
    )
    header = ("learner", "sampling", *labels.values())
    return TextTable(header, rows, frozenset(range(2, len(header))), caption=CAPTIONS[group], name=group)
