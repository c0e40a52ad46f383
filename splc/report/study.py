"""The report of a study: its learners and samplings by their errors, their scores, and all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from splc.errors import plural
from splc.io.numbers import percentage
from splc.report.page import Page, Section
from splc.report.sections.learners import learners_section
from splc.report.sections.runs import runs_section
from splc.report.sections.study_contexts import contexts_section
from splc.report.sections.study_scores import study_scores_section
from splc.study.archive import StudyArchive
from splc.study.results import errors_of
from splc.study.tables import learning_curves
from splc.workflows.views import Facts


def study_page(archives: Sequence[StudyArchive]) -> Page:
    """Return the page about the results of a study, or of a study of each value of a context."""
    first, *more = archives
    notes = tuple(dict.fromkeys(note for archive in archives for note in archive.notes))
    if not more:
        sections = (learners_section(first), study_scores_section(first), runs_section(first), _files(first))
        present = tuple(section for section in sections if section is not None)
        return Page(", ".join(filter(None, (_title(first), first.contexts))), tuple(_answer(first)), present, notes)
    answer = (f"{archive.contexts}: {next(_answer(archive))}" for archive in archives)
    files = (
        replace(_files(archive), name=f"provenance-{number}", title=f"Where it comes from: {archive.contexts}")
        for number, archive in enumerate(archives, 1)
    )
    return Page(_title(first), tuple(answer), (contexts_section(archives), *files), notes)


def _title(archive: StudyArchive) -> str:
    names = dict(_pairs(archive.manifest.get("owner")))
    return f"Study of {names.get('system', '?')}: {archive.manifest.get('nfp', '?')}"


def _answer(archive: StudyArchive) -> Iterator[str]:
    """Yield which learner and sampling have the least error, and with which learner few configurations go furthest."""
    curves = learning_curves(errors_of(archive.runs))
    points = [(point.error, point.size, learner, point.sampling) for learner, line in curves.items() for point in line]
    learners, samplings = len({run.learner for run in archive.runs}), len({run.sampling for run in archive.runs})
    counted = f"{plural(learners, 'learner', 'learners')} and {plural(samplings, 'sampling', 'samplings')}"
    runs = plural(len(archive.runs), "run", "runs")
    if not points:
        yield f"{runs} with {counted}; no error on configurations outside of the learning sets"
        return
    error, size, learner, sampling = min(points)
    whose = f"{learner} with {sampling}" if learners > 1 else sampling
    yield f"Least error on all others: {percentage(error, 3)}, {whose} ({size:g} configurations); {runs} with {counted}"
    if learners > 1:
        for number in sorted({min(points, key=lambda point: point[1])[1], max(points, key=lambda point: point[1])[1]}):
            errors = sorted((error, learner) for error, size, learner, _ in points if size == number)
            if len(errors) > 1:
                ranked = ", ".join(f"{name} {percentage(value, 3)}" for value, name in errors[:4])
                yield f"Learned from {number:g} configurations: {ranked}"
    failed = sum(bool(run.reason) for run in archive.runs)
    if failed:
        yield f"{plural(failed, 'run has', 'runs have')} no result"


def _files(archive: StudyArchive) -> Section:
    manifest = archive.manifest
    items = [("study", str(dict(_pairs(manifest.get("owner"))).get("file", ""))), ("SHA-256", archive.sha256)]
    study = dict(_pairs(manifest.get("study")))
    for name, settings in _pairs(study.get("learners")):
        text = ", ".join(f"{key} = {value}" for key, value in _pairs(settings) if value not in (None, [], ""))
        items.append((f"learner {name}", text))
    rules = ("scale", "missing", "invalid", "duplicates", "aggregate")
    items += [(key, str(study[key])) for key in rules if key in study]
    for role, file in _pairs(manifest.get("inputs")):
        entry = dict(_pairs(file))
        items += [(role, str(entry.get("path", ""))), ("SHA-256", str(entry.get("sha256", "")))]
    items += [(f"version of {name}", str(value)) for name, value in _pairs(manifest.get("versions")) if value]
    return Section("provenance", "Where it comes from", (Facts(tuple(items)),))


def _pairs(content: Any) -> list[tuple[str, Any]]:
    """Return the pairs of an object of JSON; none for another value."""
    return list(content.items()) if isinstance(content, dict) else []
