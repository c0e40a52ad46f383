"""All generated blocks of the pages of the case studies."""

from __future__ import annotations

from collections.abc import Sequence

from casestudies.report import communication, facts, further, noise, questions, tables
from casestudies.report.figures import FIGURES, name_of
from casestudies.report.studies import Case
from splc.io.tables import Table, markdown_text

_DIGITS = 3


def case_blocks(case: Case) -> dict[str, str]:
    """Return the blocks of one case: its two tables."""
    models, analytical = (f"table-{number}" for number in case.kind.tables)
    return {models: text(tables.of_models(case)), analytical: text(tables.of_analytical(case))}


def report_blocks(cases: Sequence[Case]) -> dict[str, str]:
    """Return the blocks of `README.md`: name → Markdown."""
    return {
        **measured_blocks(cases),
        "overview": text(tables.overview(cases)),
        "errors": text(tables.errors(cases)),
        "further": text(further.figures()),
        "rq1": text(questions.influences(cases)) + "\n" + questions.term_counts(cases),
        "rq2": text(questions.samplings(cases)),
        "rq3": text(questions.syntactic_only(cases)),
        "rq5": text(questions.with_error_rate(cases)),
    }


def thesis_blocks(cases: Sequence[Case]) -> dict[str, str]:
    """Return the blocks of `thesis.md`: the tables and figures of the thesis, and what is behind the answers."""
    found: dict[str, str] = {}
    for case in cases:
        found |= case_blocks(case)
    return found | {
        "learners": text(tables.learners(cases[-1])),
        "default": joined(*map(tables.default_learner, cases)),
        "noise": noise_block(cases),
        "wall": text(tables.wall(cases)),
        "preferences": text(questions.preferences(cases)),
        "figures": "\n".join(caption(figure, cases) for figure in FIGURES),
    }


def noise_block(cases: Sequence[Case]) -> str:
    """Return the block of `thesis.md` about the noise that rows of one `mpirun` share; it needs no study."""
    return joined(noise.shared_noise(cases), noise.held_out(cases))


def measured_blocks(cases: Sequence[Case]) -> dict[str, str]:
    """Return the blocks of `README.md` that need no study, but the measurements only."""
    return {
        "factors": text(facts.factors(cases)),
        "parts": text(communication.parts(cases)),
        "splits": joined(*(communication.splits(case) for case in cases if case.kind.folder in communication.SPLIT)),
    }


def smg_blocks(cases: Sequence[Case]) -> dict[str, str]:
    """Return the blocks of `smg2000/README.md`."""
    return {
        "factors": text(facts.factors(cases)),
        "sizes": text(facts.sizes(cases)),
        "variations": text(facts.variations(cases)),
    }


def amg_blocks(case: Case) -> dict[str, str]:
    """Return the blocks of `boomeramg/README.md`."""
    return {
        "learned": text(facts.learned(case)),
        "sizes": text(facts.sizes([case])),
        "conventions": text(facts.conventions(case)),
        "levels": text(facts.levels(case)),
        "variations": text(facts.variations([case])),
    }


def pages(cases: Sequence[Case]) -> dict[str, dict[str, str]]:
    """Return page (relative to `casestudies`) → name → Markdown of its blocks."""
    smg, amg = [each for each in cases if each.kind.wall], next(each for each in cases if not each.kind.wall)
    return {
        "README.md": report_blocks(cases),
        "thesis.md": thesis_blocks(cases),
        "smg2000/README.md": smg_blocks(smg),
        "boomeramg/README.md": amg_blocks(amg),
    }


def caption(figure: str, cases: Sequence[Case]) -> str:
    """Return a figure with its caption."""
    folder, multiplied = FIGURES[figure]
    case = next(each for each in cases if each.kind.folder == folder)
    best = tables.best_of(case)
    assert best is not None
    scaled = f", times {case.study.scale:g}," if multiplied and case.study.scale != 1 else ""
    said = f"{case.kind.title}: the analytical model{scaled} and the best learned one ({tables.label(best)})"
    return f"**Figure {figure}**, {said}\n\n![Figure {figure}](figures/{name_of(figure)})\n"


def joined(*several: Table) -> str:
    """Return tables as Markdown, one below the other."""
    return "\n".join(map(text, several))


def text(table: Table) -> str:
    """Return a table as Markdown."""
    return markdown_text(table, _DIGITS)
