"""Write a report: a page about a result that can be looked at and sent around, or that a notebook shows."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any
from urllib.parse import quote

from comparison import Comparison
from comparison.result import Comparisons
from sampling import Space
from splc.errors import OutputError, Problem, RequestError, SpecError
from splc.formats import detect
from splc.formats.experiments.read import is_profile
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.formats.models.read import learned_content
from splc.formats.models.stored_model import choice_of
from splc.io.files import STANDARD, Source, read_source, require_writable, write_whole
from splc.io.json import parse_json, picked, plain_values
from splc.learning.result import LearningResult
from splc.plotting import plot_format
from splc.plotting.charts.drawing import Picture, chart_file
from splc.plotting.style import PRINT
from splc.report.comparison import change_page, comparison_page
from splc.report.model import model_page
from splc.report.page import Page, page_html, page_markdown
from splc.report.profile import profile_page
from splc.report.runs import SCHEMA, study_page, tuning_page
from splc.report.subject import ModelSubject, best_of
from splc.study import StudyResult
from splc.study.folder import archive_folders, read_archive
from splc.workflows import compare, explain, scale, tune
from splc.workflows.fields import argument, flag, option, request
from splc.workflows.inputs import ModelInputs, predicting
from splc.workflows.note import Noted, Notes, direction_notes
from splc.workflows.prediction_notes import negative_notes
from splc.workflows.tune.view import as_json as as_json_of_tuning
from splc.workflows.views import UNWATCHED, Detail, Verb, View, Watch

SUFFIXES = (".html", ".htm", ".md")
HEIGHT = 800  # the height of a page in a notebook, in pixels
RELOAD = 5  # the seconds after which a browser loads the page of a tuning run again that is running


@request
class Request(ModelInputs):
    """Write a report of a model: one HTML file with pictures, which needs nothing else.

    It has the answer, what matters, the effect of each option, interactions, the formula of each size, predictions
    beside measured values, the best configurations, a form to try configurations, and the sample. Of two models it says
    what changed; a model text is compared with a learned model; of a profile it ranks the call paths.
    """

    models: tuple[str, ...] = argument(("learned.log",), "[MODEL...]")(
        "The model; two models (of two versions, or model text and a learned one); a profile; results of a study; the "
        "JSON of splc tune."
    )
    scale: float | None = option(None, "FACTOR")("Multiply the model text.")
    output: str | None = option(None, "FILE", names="--output -o", default="report.html; NAME.svg")(
        "The page to write (.html, .md); with --picture .svg, .png, .pdf."
    )
    picture: str | None = option(None, "NAME")("Write a picture of the page only.")
    maximize: bool = flag("--maximize")("The greatest values are the best, not the least.")


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """A written report."""

    page: Page  # its content
    output: str  # the file
    picture: str | None = None  # the picture that it has; None for the page


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Write a report."""
    if STANDARD in request.models or not 1 <= len(request.models) <= 2:
        raise RequestError("a report needs the files of one model or of two", "models")
    output = request.output or ("report.html" if request.picture is None else f"{request.picture}.svg")
    if request.picture is None:
        require_format(output)
    else:
        drawn = plot_format(output)
    first, alone = request.models[0], len(request.models) == 1
    tuned = _tuned(first) if alone else None
    results = archive_folders(first) if alone else ()
    profile = alone and tuned is None and not results and (Path(first).is_dir() or is_profile(read_source(first)))
    of_models = not (tuned is not None or results or profile)
    require_writable(output, (*request.models, *(request.project_of_models(request.models).files if of_models else ())))
    notes = Notes()
    with notes:
        if tuned is not None:
            page = tuning_page(tuned, first)
        elif results:
            page = study_page(list(map(read_archive, results)))
        elif profile:
            roles = {name: getattr(request, name) for name in ("context", "ignore", "where")}
            fitted = scale.run(scale.Request(profile=first, write=False, **roles), watch)
            notes.add(fitted.notes)
            page = page_of(fitted)
        else:
            page = _page(request, notes, watch)
        if request.picture is None:
            write_page(page, output)
        else:
            write_whole(output, chart_file(page.chart(request.picture), drawn, PRINT))
    return Result(page, output, request.picture, notes=tuple(notes))


def require_format(output: str) -> None:
    """Raise an error if reports are not written in the format of a file name, before anything is computed.

    Names without a suffix, such as standard output, are HTML.
    """
    if Path(output).suffix and not output.lower().endswith(SUFFIXES):
        hint = f"the name must end in {', '.join(SUFFIXES)}"
        raise OutputError(Problem("reports are not written in this format", output, hint=hint))


def _page(request: Request, notes: Notes, watch: Watch) -> Page:
    """Return the page about one model, two learned models, or a learned model and a model text."""
    forms = (detect.format_of("model", read_source(file)) for file in request.models if len(request.models) == 2)
    if any(form is not None and form.name == "txt" for form in forms):
        inputs = {field.name: getattr(request, field.name) for field in fields(ModelInputs)}
        compared = compare.run(compare.Request(**inputs, models=request.models, scale=request.scale), watch)
        notes.add(compared.notes)
        return page_of(compared)
    if request.scale is not None:
        raise RequestError("only model text is multiplied, and none of two models is model text", "scale")
    subjects = [_subject(request, model, notes, watch) for model in request.models]
    if len(subjects) == 2:
        old, new = request.models
        # Names have no folders where they differ without.
        names = Path(old).name, Path(new).name
        return change_page(subjects[0], subjects[1], names if names[0] != names[1] else (old, new))
    return model_page(subjects[0], best_of(subjects[0], notes, maximize=request.maximize, watch=watch))


def _tuned(file: str) -> Mapping[str, Any] | None:
    """Return the JSON of a tuning run in a file, None if there is none."""
    if not Path(file).is_file():
        return None
    source = read_source(file)
    if not source.data.lstrip().startswith(b"{") or SCHEMA.encode() not in source.data:
        return None
    content = parse_json(source.text())
    return content if isinstance(content, dict) and content.get("schema") == SCHEMA else None


def _subject(request: Request, model: str, notes: Notes, watch: Watch) -> ModelSubject:
    project = request.project_of_models([model])
    messages = Notes()
    space = Space(request.read_system(project, messages))
    stored = predicting(request.read_model(model, project, space.system, messages), messages)
    overview = explain.model_overview(stored, space, messages, watch)
    predicted = explain.checked_predictions(stored, (), space)
    messages += negative_notes(predicted, stored.nfp, project, space, stored.full)
    measurements = None
    # With two models, a table in the folder may be that of neither.
    if project.has_measurements and len(request.models) == 1:
        measurements = request.read_measurements(
            project, space, messages, [stored.nfp], learned=choice_of([stored.columns])
        )
    # Model text has no property; that of the measurements, or the one the user names, is what it is about.
    if stored.nfp is None:
        only = () if measurements is None else measurements.properties
        stored = replace(stored, nfp=request.nfp or (only[0] if len(only) == 1 else None))
    if len(request.models) == 1:
        messages += direction_notes([(stored.nfp or "", stored.unit, request.maximize)], "report", request)
    notes.add(messages)
    warnings = [note.text for note in messages if note.warning]
    return ModelSubject(model, stored, space, overview, measurements, warnings, learned_content(stored, model))


def write_page(page: Page, output: str) -> None:
    """Write a page as HTML, or as Markdown with its pictures."""
    if not output.lower().endswith(".md"):
        write_whole(output, page_html(page))
        return
    folder = Path(output).with_suffix("").with_name(f"{Path(output).stem}_files")
    text, pictures = page_markdown(page, quote(folder.name))
    folder.mkdir(exist_ok=True)
    for name, content in pictures.items():
        write_whole(folder / name, content)
    write_whole(output, text)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a written report."""
    sections = [section.name for section in result.page.sections]
    facts = picked(result.page, "title, answer, warnings")
    return {"schema": "splc.report/1", "output": result.output, **facts, "sections": sections}


def view(result: Result, detail: Detail) -> View:
    """Yield the answer and the file."""
    if result.output != STANDARD:
        yield from result.page.answer
        yield f"\n{'report' if result.picture is None else 'picture'}  {result.output}"
    yield result.notes


EXAMPLES = (
    "splc report",
    "splc report learned.log -o report.html",
    "splc report analytical.txt learned.log --scale 500",
)
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="explaining", without=("where", "aggregate"))


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
    predicted = explain.checked_predictions(stored, (), space)
    measured = result.rows.measured
    notes += negative_notes(predicted, result.nfp, None, space, stored.full, measured.column(result.nfp))
    warnings = [note.text for note in notes if note.warning]
    subject = ModelSubject("", stored, space, overview, measured, warnings, parse_json(text))
    return model_page(subject, best_of(subject, notes))


@page_of.register
def _(result: compare.Result) -> Page:
    return comparison_page(result.comparisons, result.basis, result.files, result.notes)


@page_of.register
def _(result: Comparisons) -> Page:
    if not result.comparisons:
        raise SpecError("a report of a comparison needs two models")
    return comparison_page(result)


@page_of.register
def _(result: Comparison) -> Page:
    return comparison_page(Comparisons((), (result,)))


@page_of.register
def _(result: scale.Result) -> Page:
    return profile_page(result, Path(result.request.profile).name)


@page_of.register
def _(result: tune.Result) -> Page:
    page = tuning_page(plain_values(as_json_of_tuning(result)), "splc tune")
    return replace(page, title=f"{page.title} (running)", reloaded=RELOAD) if result.running else page


@page_of.register
def _(result: StudyResult) -> Page:
    if result.interrupted:
        raise SpecError(Problem("the study is not finished", hint="call run_study again"))
    return study_page([read_archive(result.folder)])
