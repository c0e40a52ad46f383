"""The report of a study: its learners and samplings by their errors, their scores, and all runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from splc.errors import plural
from splc.io.numbers import percentage, short_number
from splc.io.tables import cell_text
from splc.report.page import Block, Page, Section, TextTable
from splc.study.archive import ArchivedRun, StudyArchive
from splc.study.results import LEARNING, TERMS, errors_of, grouped, in_table, titles
from splc.study.tables import CAPTIONS, curves_chart, learning_curves, spread
from splc.workflows.views import Facts

_COLUMNS = ("learned_from", "error", "error_all", "learning_error", "terms")
CURVES = "Error by the number of configurations learned from"


def study_page(archives: Sequence[StudyArchive]) -> Page:
    """Return the page about the results of a study, or of a study of each value of a context."""
    first, *more = archives
    notes = tuple(dict.fromkeys(note for archive in archives for note in archive.notes))
    names = _object(first.manifest.get("owner"))
    title = f"Study of {names.get('system', '?')}: {first.manifest.get('nfp', '?')}"
    if not more:
        sections = (_learners(first), _scores(first), _runs(first), _files(first))
        title = ", ".join(filter(None, (title, first.contexts)))
        return Page(title, tuple(_answer(first)), tuple(filter(None, sections)), notes)
    files = (
        replace(_files(archive), name=f"provenance-{number}", title=f"Where it comes from: {archive.contexts}")
        for number, archive in enumerate(archives, 1)
    )
    answer = tuple(f"{archive.contexts}: {next(_answer(archive))}" for archive in archives)
    return Page(title, answer, (_contexts(archives), *files), notes)


def _answer(archive: StudyArchive) -> Iterator[str]:
    """Yield which learner and sampling have the least error, and with which learner few configurations go furthest."""
    curves = learning_curves(errors_of(archive.runs))
    points = [(point.error, point.size, learner, point.sampling) for learner, line in curves.items() for point in line]
    learners, samplings = len({run.learner for run in archive.runs}), len({run.sampling for run in archive.runs})
    counted = f"{plural(learners, 'learner', 'learners')} and {plural(samplings, 'sampling', 'samplings')}"
    runs = f"{plural(len(archive.runs), 'run', 'runs')} with {counted}"
    if not points:
        yield f"{runs}; no error on configurations outside of the learning sets"
        return
    error, size, learner, sampling = min(points)
    whose = f"{learner} with {sampling}" if learners > 1 else sampling
    yield f"Least error on all others: {percentage(error, 3)}, {whose} ({size:g} configurations); {runs}"
    sizes = [size for _, size, _, _ in points]
    for number in sorted({min(sizes), max(sizes)}) if learners > 1 else ():
        errors = sorted((error, learner) for error, size, learner, _ in points if size == number)
        if len(errors) > 1:
            ranked = ", ".join(f"{name} {percentage(value, 3)}" for value, name in errors[:4])
            yield f"Learned from {number:g} configurations: {ranked}"
    if failed := sum(bool(run.reason) for run in archive.runs):
        yield f"{plural(failed, 'run has', 'runs have')} no result"


def _learners(archive: StudyArchive) -> Section:
    """Return the errors of all learners and samplings, and the learning curves."""
    groups = grouped(archive.runs)
    cells = []
    for learner, sampling, runs in _rows(archive):
        known = [run for run in runs if "learned_from" in run.values]
        columns = ([run.values.get(key) for run in known] for key in _COLUMNS)
        # Equal values, such as numbers of configurations, have no deviation to show.
        texts = (cell_text(spread(values[:1] if len(set(values)) == 1 else values)) for values in columns)
        cells.append((learner, sampling, f"{len(known)} of {len(runs)}", *texts))
    header = ("learner", "sampling", "models", *(LEARNING[key] for key in _COLUMNS))
    # Learners without terms only have no such column.
    used = [at for at in range(len(header)) if at < 3 or any(row[at] != "-" for row in cells)]
    caption = "Errors by learner and sampling"
    if any(len(runs) > 1 for samplings in groups.values() for runs in samplings.values()):
        caption += ": means over the seeds, ± standard deviation in % of the mean"
    table = _table(
        tuple(header[at] for at in used), [tuple(row[at] for at in used) for row in cells], caption, "learners"
    )
    chart = curves_chart({CURVES: errors_of(archive.runs)}, CURVES)
    return Section("learners", "Learners and samplings", (table,) if chart is None else (chart, table))


def _rows(archive: StudyArchive) -> Iterator[tuple[str, str, list[ArchivedRun]]]:
    """Yield each learner and sampling with their runs."""
    for learner, samplings in grouped(archive.runs).items():
        for sampling, runs in samplings.items():
            yield learner, sampling, runs


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], caption: str, name: str) -> TextTable:
    """Return a table whose first two columns are texts."""
    return TextTable(header, tuple(rows), frozenset(range(2, len(header))), caption=caption, name=name)


def _scores(archive: StudyArchive) -> Section | None:
    """Return the measures of models against the analytical one and the measurements; None without a comparison."""
    tables = []
    for group in ("analytical_learned", "measured_learned"):
        known = {key for run in archive.runs for key in run.values}
        labels = {key: title for key, title in titles(group).items() if key not in TERMS and f"{group}.{key}" in known}
        rows = [
            (
                *(learner, sampling),
                *(
                    cell_text(
                        spread([in_table(key, run.values.get(f"{group}.{key}")) for run in runs if not run.reason])
                    )
                    for key in labels
                ),
            )
            for learner, sampling, runs in _rows(archive)
            # Learners without terms are not compared.
            if any(f"{group}.{key}" in run.values for run in runs for key in labels)
        ]
        if labels:
            tables.append(_table(("learner", "sampling", *labels.values()), rows, CAPTIONS[group], group))
    return Section("scores", "Models compared", tuple(tables)) if tables else None


def _runs(archive: StudyArchive) -> Section:
    """Return a table of all runs, and one of those without a result."""
    keys = [key for key in LEARNING if any(key in run.values for run in archive.runs)]
    rows = [
        (run.learner, run.sampling, run.seed, *(short_number(run.values.get(key), 4) for key in keys))
        for run in archive.runs
    ]
    header = ("learner", "sampling", "seed")
    blocks: list[Block] = [_table((*header, *(LEARNING[key] for key in keys)), rows, "Each run", "runs")]
    if refused := tuple((run.learner, run.sampling, run.seed, run.reason) for run in archive.runs if run.reason):
        blocks.append(
            TextTable((*header, "reason"), refused, frozenset({2}), caption="Without a result", name="failed")
        )
    return Section("runs", "Runs", tuple(blocks))


def _contexts(archives: Sequence[StudyArchive]) -> Section:
    """Return the error of each learner and sampling at each value of a context, and the learning curves."""
    errors = {archive.contexts: errors_of(archive.runs) for archive in archives}
    pairs = dict.fromkeys(
        (learner, sampling) for grid in errors.values() for learner in grid for sampling in grid[learner]
    )
    rows = []
    for learner, sampling in pairs:
        points = (grid.get(learner, {}).get(sampling, ()) for grid in errors.values())
        cells = (cell_text(spread([error for size, error in each if size is not None])) for each in points)
        rows.append((learner, sampling, *cells))
    table = _table(("learner", "sampling", *errors), rows, "Error on all others, %", "contexts")
    chart = curves_chart(errors, CURVES)
    return Section("contexts", "Learners at each value", (table,) if chart is None else (chart, table))


def _files(archive: StudyArchive) -> Section:
    manifest = archive.manifest
    items = [("study", str(_object(manifest.get("owner")).get("file", ""))), ("SHA-256", archive.sha256)]
    study = _object(manifest.get("study"))
    for name, settings in _object(study.get("learners")).items():
        stated = (f"{key} = {value}" for key, value in _object(settings).items() if value not in (None, [], ""))
        items.append((f"learner {name}", ", ".join(stated)))
    rules = ("scale", "missing", "invalid", "duplicates", "aggregate")
    items += [(key, str(study[key])) for key in rules if key in study]
    for role, file in _object(manifest.get("inputs")).items():
        entry = _object(file)
        items += [(role, str(entry.get("path", ""))), ("SHA-256", str(entry.get("sha256", "")))]
    versions = _object(manifest.get("versions"))
    items += [(f"version of {name}", str(value)) for name, value in versions.items() if value]
    return Section("provenance", "Where it comes from", (Facts(tuple(items)),))


def _object(content: Any) -> Mapping[str, Any]:
    """Return an object of JSON; one without keys for another value."""
    return content if isinstance(content, dict) else {}
