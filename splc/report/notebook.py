"""Reports of results in memory, which notebooks show."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

from comparison import Comparison
from comparison.result import Comparisons
from sampling import Space
from splc.errors import Problem, SpecError, SplcError
from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import learned_json_text
from splc.io.files import Source
from splc.io.json import parse_json
from splc.learning.result import LearningResult
from splc.plotting.charts.drawing import Picture, chart_file
from splc.report.comparison import comparison_page
from splc.report.html import page_html
from splc.report.model import model_page
from splc.report.page import Page
from splc.report.profile import profile_page
from splc.report.report import require_format, write_page
from splc.report.study import study_page
from splc.report.subject import ModelSubject, best_of
from splc.study import StudyResult
from splc.study.archive import read_archive
from splc.workflows import compare, explain, scale
from splc.workflows.note import Notes
from splc.workflows.prediction_notes import negative_notes

# The height of a page in a notebook, in pixels.
HEIGHT = 800


@dataclass(frozen=True, repr=False)
class Report:
    """A page about a result."""

    page: Page  # its content

    @property
    def html(self) -> str:
        """The page as one HTML file."""
        return page_html(self.page)

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of its pictures."""
        return tuple(self.page.charts)

    def picture(self, name: str) -> Picture:
        """Return a picture by its name, which notebooks show and `save` writes (.svg, .png, .pdf)."""
        return Picture(partial(chart_file, self.page.chart(name)))

    def save(self, file: str | Path) -> None:
        """Write the page (.html, .md)."""
        require_format(str(file))
        write_page(self.page, str(file))

    def __repr__(self) -> str:
        return f"<Report: {self.page.title!r}>"

    def _repr_html_(self) -> str:
        # A page of its own keeps its styles and scripts apart from the notebook.
        return (
            f'<iframe title="{html.escape(self.page.title)}" width="100%" height="{HEIGHT}" '
            f'sandbox="allow-scripts" srcdoc="{html.escape(self.html)}"></iframe>'
        )


def report_of(result: Any, file: str | Path | None = None) -> Report:
    """Return the page about a result."""
    if file is not None:
        require_format(str(file))
    report = Report(page_of(result))
    if file is not None:
        report.save(file)
    return report


@singledispatch
def page_of(result: Any) -> Page:
    """Return the page about a result."""
    raise SpecError(f"there is no report of a {type(result).__name__}")


@page_of.register
def _(result: LearningResult) -> Page:
    if result.rows is None or result.system is None:
        raise SpecError("the measurements are not part of this result", hint="learn it in this program: splc.learn")
    text = learned_json_text(result, result.system)
    stored = parse_stored_json(Source("model", text.encode()))
    space, notes = Space(result.system), Notes()
    overview = explain.model_overview(stored, space, notes)
    predicted = explain.checked_predictions(stored, None, space)
    measured = result.rows.measured
    notes += negative_notes(predicted, result.nfp, None, space, stored.full, measured.column(result.nfp))
    warnings = [note.text for note in notes if note.warning]
    subject = ModelSubject("", stored, space, overview, measured, warnings, parse_json(text))
    best = best_of(subject)
    return model_page(subject, None if isinstance(best, SplcError) else best)


@page_of.register
def _(result: compare.Result) -> Page:
    configurations = result.basis.configurations
    system = "" if configurations is None else configurations.system.name
    return comparison_page(result.comparisons, system, result.basis, result.files, result.notes)


@page_of.register
def _(result: Comparisons) -> Page:
    if not result.comparisons:
        raise SpecError("a report of a comparison needs two models")
    return comparison_page(result, "")


@page_of.register
def _(result: Comparison) -> Page:
    return comparison_page(Comparisons((), (result,)), "")


@page_of.register
def _(result: scale.Result) -> Page:
    return profile_page(result, Path(result.request.profile).name)


@page_of.register
def _(result: StudyResult) -> Page:
    if result.interrupted:
        raise SpecError(Problem("the study is not finished", hint="call run_study again"))
    return study_page([read_archive(result.folder)])
