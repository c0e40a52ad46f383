"""The reports of many runs: of a study, by learners and samplings, and of a tuning run, by its best configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from splc.data.property_unit import quantity, span, titled
from splc.errors import InputError, Problem, plural
from splc.io.numbers import percentage, short_number
from splc.io.tables import cell_text
from splc.plotting.charts.curves import progress_chart, tried_chart
from splc.report.page import Block, Page, Section, text_table
from splc.study.folder import ArchivedRun, StudyArchive
from splc.study.results import LEARNING, TERMS, cell_of, errors_of, grouped, titles
from splc.study.tables import CAPTIONS, curves_chart, learning_curves, spread
from splc.workflows.views import Facts

_COLUMNS = ("learned_from", "error", "error_all", "learning_error", "terms")
CURVES = "Error by the number of configurations learned from"
SCHEMA = "splc.tune/1"  # the schema of the JSON of a tuning run


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
        columns = ([cell_of(key, run.values.get(key)) for run in known] for key in _COLUMNS)
        # Equal values, such as numbers of configurations, have no deviation to show.
        texts = (cell_text(spread(values[:1] if len(set(values)) == 1 else values)) for values in columns)
        cells.append((learner, sampling, f"{len(known)} of {len(runs)}", *texts))
    header = ("learner", "sampling", "models", *(LEARNING[key] for key in _COLUMNS))
    # Learners without terms only have no such column.
    used = [at for at in range(len(header)) if at < 3 or any(row[at] != "-" for row in cells)]
    caption = "Errors by learner and sampling"
    if any(len(runs) > 1 for samplings in groups.values() for runs in samplings.values()):
        caption += ": means over the seeds, ± standard deviation in % of the mean"
    shown = [tuple(row[at] for at in used) for row in cells]
    table = _table([header[at] for at in used], shown, caption, "learners")
    chart = curves_chart({CURVES: errors_of(archive.runs)}, CURVES)
    return Section("learners", "Learners and samplings", (table,) if chart is None else (chart, table))


def _rows(archive: StudyArchive) -> Iterator[tuple[str, str, list[ArchivedRun]]]:
    """Yield each learner and sampling with their runs."""
    for learner, samplings in grouped(archive.runs).items():
        for sampling, runs in samplings.items():
            yield learner, sampling, runs


# A table whose first two columns are texts.
_table = partial(text_table, words=(0, 1))


def _scores(archive: StudyArchive) -> Section | None:
    """Return the measures of models against the analytical one and the measurements; None without a comparison."""
    tables = []
    for group in ("analytical_learned", "measured_learned"):
        known = {key for run in archive.runs for key in run.values}
        labels = {key: title for key, title in titles(group).items() if key not in TERMS and f"{group}.{key}" in known}
        rows = []
        for learner, sampling, runs in _rows(archive):
            # Learners without terms are not compared.
            if any(f"{group}.{key}" in run.values for run in runs for key in labels):
                finished = [run.values for run in runs if not run.reason]
                columns = ([cell_of(key, values.get(f"{group}.{key}")) for values in finished] for key in labels)
                rows.append((learner, sampling, *(cell_text(spread(column)) for column in columns)))
        if labels:
            tables.append(_table(("learner", "sampling", *labels.values()), rows, CAPTIONS[group], group))
    return Section("scores", "Models compared", tuple(tables)) if tables else None


def _runs(archive: StudyArchive) -> Section:
    keys = [key for key in LEARNING if any(key in run.values for run in archive.runs)]
    numbers = [[short_number(cell_of(key, run.values.get(key)), 4) for key in keys] for run in archive.runs]
    rows = [(run.learner, run.sampling, run.seed, *own) for run, own in zip(archive.runs, numbers, strict=True)]
    header = ("learner", "sampling", "seed")
    blocks: list[Block] = [_table((*header, *(LEARNING[key] for key in keys)), rows, "Each run", "runs")]
    if refused := [(run.learner, run.sampling, run.seed, run.reason) for run in archive.runs if run.reason]:
        blocks.append(text_table((*header, "reason"), refused, "Without a result", "failed", words=(0, 1, 3)))
    return Section("runs", "Runs", tuple(blocks))


def _contexts(archives: Sequence[StudyArchive]) -> Section:
    """Return the error of each learner and sampling at each value of a context, and the learning curves."""
    errors = {archive.contexts: errors_of(archive.runs) for archive in archives}
    pairs = dict.fromkeys((learner, name) for grid in errors.values() for learner in grid for name in grid[learner])
    rows = []
    for learner, sampling in pairs:
        points = (grid.get(learner, {}).get(sampling, ()) for grid in errors.values())
        columns = ([cell_of("error", error) for size, error in each if size is not None] for each in points)
        rows.append((learner, sampling, *(cell_text(spread(column)) for column in columns)))
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


def tuning_page(content: Mapping[str, Any], file: str) -> Page:
    """Return the page about the JSON of `splc tune`."""
    try:
        if content["best"] is None and not content["front"]:
            raise InputError(Problem("no run of this tuning run succeeded", file))
        title = f"Tuning: {'greatest' if content['maximize'] else 'least'} {content['nfp']}"
        found = _front(content["front"]) if content["front"] else _best(content)
        return Page(title, (*_tuning_answer(content), *content["notes"]), (found, _steps(content)))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        hint = "write it again: splc tune … --json > tuned.json"
        raise InputError(Problem("this is not what splc tune --json writes", file, hint=hint)) from None


def _tuning_answer(content: Mapping[str, Any]) -> Iterator[str]:
    unit, best, base, gain = (content[key] for key in ("unit", "best", "default", "gain"))
    runs = f"after {content['runs']:,.0f} runs"
    if front := content["front"]:
        yield f"{plural(len(front), 'configuration', 'configurations')} on the Pareto front, {runs}"
    else:
        yield f"Best {content['nfp']}: {_value(best, unit)}, {runs}"
    if base is not None and (best is None or base["configuration"] != best["configuration"]):
        more = "" if gain is None else f"; the best configuration gains {percentage(gain['percent'], 3)}"
        yield f"Default: {_value(base, unit)}{more}"
    if content["indifferent"]:
        yield f"Within 1 % whatever their value: {', '.join(content['indifferent'])}"
    if content["expected_gain"] is not None:
        yield f"A further run is expected to gain {percentage(content['expected_gain'], 2)}"


def _value(entry: Mapping[str, Any], unit: str | None) -> str:
    text = quantity(entry["value"], unit, 4)
    return text if entry["low"] is None else f"{text} ({span(entry['low'], entry['high'], unit, 4)})"


def _front(front: list[Mapping[str, Any]]) -> Section:
    names, first = list(front[0]["properties"]), front[0]["configuration"]
    options = [name for name in first if any(row["configuration"][name] != first[name] for row in front)]
    rows = []
    for row in front:
        values = (short_number(row["properties"][name]["value"], 4) for name in names)
        rows.append((*values, *(_option(row, name) for name in options)))
    caption = "The Pareto front: no other measured configuration is better in all properties"
    header = (*names, *options)
    blocks: list[Block] = [text_table(header, rows, caption, "table", words=())]
    if alike := [f"{name}={_option(front[0], name)}" for name in first if name not in options]:
        blocks.append(f"All of these have {', '.join(alike)}.")
    return Section("best", "Best configurations", tuple(blocks))


def _option(entry: Mapping[str, Any], name: str) -> str:
    return short_number(entry["configuration"][name], missing="-")


def _best(content: Mapping[str, Any]) -> Section:
    """Return the section about the best configuration, and what it changes."""
    blocks: list[Block] = []
    if content["changes"]:
        rows = []
        for row in content["changes"]:
            texts = (_plain(row[key]) for key in ("option", "from", "to"))
            rows.append((*texts, short_number(row["change"], 3), row["because"]))
        header = ("option", "default", "best", f"change of {content['nfp']} alone", "because of")
        caption = "What the best configuration changes"
        blocks.append(text_table(header, rows, caption, "changes", words=(0, 1, 2, 4)))
        blocks.append("Each change is predicted alone, from the default; they add up only without interactions.")
    values = [(name, _option(content["best"], name)) for name in content["best"]["configuration"]]
    blocks.append(text_table(("option", "value"), values, "The best configuration", "best"))
    return Section("best", "Best configuration", tuple(blocks))


def _plain(value: float | str | None) -> str:
    return "deselected" if value is None else value if isinstance(value, str) else f"{value:g}"


def _steps(content: Mapping[str, Any]) -> Section:
    """Return the best value over the runs, where they searched, and which failed."""
    steps, base = content["trajectory"], content["default"]
    whys = [step["why"] or "search" for step in steps]
    series = ([np.nan if step[key] is None else step[key] for step in steps] for key in ("value", "best"))
    values, best = (np.array(numbers, dtype=float) for numbers in series)
    default = None if base is None else base["value"]
    blocks: list[Block] = [progress_chart(whys, values, best, default, titled(content["nfp"], content["unit"]))]
    names = [name for name in steps[0]["configuration"] if len({step["configuration"][name] for step in steps}) > 1]
    first = [change["option"] for change in content["changes"]]
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    if names:
        blocks.append(tried_chart(whys, {name: [step["configuration"][name] for step in steps] for name in names}))
    failed = []
    for step in steps:
        if step["failure"]:
            run = "" if step["run"] is None else f"{step['run']:g}"
            failed.append((run, step["failure"], " ".join(f"{name}={_option(step, name)}" for name in names)))
    if failed:
        header = ("run", "reason", "configuration")
        blocks.append(text_table(header, failed, "Without a value", "failed", words=(1, 2)))
    return Section("runs", "Runs", tuple(blocks))
