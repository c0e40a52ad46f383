"""The request of `tune`, and the measurements of earlier runs that it names."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import MeasurementError, RequestError, listed, plural
from splc.formats.column_choice import ColumnChoice, shown_value
from splc.formats.measurements.configurations import with_unlisted
from splc.formats.measurements.selections import parse_assignments, with_assigned_values
from splc.io.files import read_source, sha256_of
from splc.io.numbers import parse_number
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.tuning.objective import Goal, Limit
from splc.tuning.tuner import Tuner, first_valid
from splc.workflows import fields
from splc.workflows.fields import Seed, flag, given_fields, option, refuse, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.measure.outcome import constant_contexts, contexts_of, turns_of
from splc.workflows.note import Note, Notes, reading_notes
from splc.workflows.subspace import one_configuration

COMMAND, SEARCH, RESULTS, REPLAYS = "Command", "Search", "Output", "Replays"
MOST_SEEDS = 10_000  # replays of one command, which take seconds each
# The fields that only a command has.
_OF_COMMAND = (
    *("cwd", "env", "timeout", "duration", "workers", "earlier", "dry"),
    *("journal", "resume", "keep_going", "output", "best", "model", "plot", "report"),
)
_OF_REPLAY = ("seeds", "where", "invalid", "duplicates", "aggregate")


# A file of earlier runs, and the contexts of all its rows that are stated, since it has no columns of them.
EarlierFile = tuple[str, Mapping[str, str]]


@request
class Request(SystemInputs):
    """Find the best configuration of a system: measure, learn, search, verify.

    The first runs see every value of every option. Then each run is the one that is expected to improve most on the
    best so far, by the model of all runs. The last runs verify the best configuration and the default: the reported
    value is the mean of these only. Every finished run is on disk before the next one starts; --resume continues.

    With --replay the rows of a table answer instead of the command: how well would it have worked with this budget?
    """

    measured: ClassVar[bool | None] = None

    column: tuple[str, ...] = option((), "COLUMN=VALUE", COMMAND)(
        "A column of the measurements, such as the version; '{COLUMN}' in the command is its value. Rows of --from "
        "with another value are learned from, too. Can be repeated."
    )
    command: str | None = option(None, "TEXT", COMMAND)(
        "The command, run without a shell, as for splc measure: './solver -n {nx} {cache?--cache}'."
    )
    properties: tuple[str, ...] = option((), "NAME=SOURCE", COMMAND, names="--property --nfp", default="seconds=time")(
        "The property that is to be small, read from each run as by splc measure; with --replay NAME,…, columns of "
        "the table. Repeated: properties with a --limit; others are to be small, too, which gives a Pareto front."
    )
    budget: tuple[int, ...] = option((), "N", SEARCH, parse=fields.counts_of)(
        "The number of runs. Of replays several are compared: 20,50,100."
    )
    duration: float | None = option(None, "TIME", SEARCH, names="--for", parse=fields.seconds_of)(
        "The time of all runs, with those that verify: 90s, 30m, 2h. With --budget, what ends first."
    )
    until: float | None = option(None, "P%", SEARCH, parse=fields.percentage_of)(
        "End the search when 5 runs one after the other are each expected to gain less than this: 1%."
    )
    default: str | None = option(None, "CONFIGURATION", SEARCH)(
        "The configuration in use: NAME=VALUE,… or a CSV file with one row. Options that are not named have their "
        "first valid values."
    )
    maximize: bool = flag("--maximize", SEARCH)("The greatest value is the best.")
    maximize_only: tuple[str, ...] = option((), "NAME", SEARCH)(
        "The greatest value of this property only. Can be repeated."
    )
    limits: tuple[str, ...] = option((), "LIMIT", SEARCH, names="--limit")(
        "A limit of another property: 'size <= 40' or 'quality >= 0.9'. Can be repeated."
    )
    fix: tuple[str, ...] = option((), "NAME=VALUE", SEARCH)(
        "A value that all configurations have: 'tls', 'x=4'. Can be repeated."
    )
    verify: int | None = option(
        None, "N", SEARCH, minimum=0, default="9 of at least 30; fewer where repeated runs have the same value"
    )("Runs of the budget that are kept back to choose and verify the best configuration.")
    explore: float = option(0.0, "SHARE", SEARCH, minimum=0, default="0")(
        "The share of the search that makes the model of all configurations better: 0.2."
    )
    race: float | None = option(None, "FACTOR", SEARCH)(
        "End runs of the search at this times the best value so far, such as 1.3; the property is time."
    )
    cost: str | None = option(None, "NAME", SEARCH)(
        "A property of the runs that is their cost: the expected gain per cost counts."
    )
    earlier: tuple[str, ...] = option((), "FILE", SEARCH, names="--from")(
        "Measurements of earlier runs, a table or a journal, that the search knows from the beginning; "
        "FILE:COLUMN=VALUE states the --column of all its rows. Can be repeated."
    )
    seed: Seed = 0
    replay: str | None = option(None, "TABLE", REPLAYS)(
        "The rows of a table answer instead of a command: how well would it have worked?"
    )
    seeds: int = option(1, "K", REPLAYS, minimum=1)("The number of replays, with seeds from --seed on.")
    cwd: str | None = option(None, "FOLDER", COMMAND)("The folder in which the command runs.")
    env: tuple[str, ...] = option((), "NAME=VALUE", COMMAND)("An environment variable of the command. Can be repeated.")
    timeout: float | None = option(None, "SECONDS", COMMAND)("End a run after this time; it has failed then.")
    workers: int = option(1, "N", COMMAND, minimum=1)("The number of simultaneous runs, which may disturb each other.")
    dry: bool = flag("--dry-run", COMMAND)("Only print what would be run, and the first commands.")
    output: str = option("measurements.csv", "FILE", RESULTS, names="--output -o")("The measurements.")
    journal: str | None = option(None, "FILE", RESULTS, default="in the folder of the output")(
        "The record of every run."
    )
    best: str | None = option(None, "FILE", RESULTS, default="best.csv, beside the measurements")(
        "The best configuration."
    )
    model: str | None = option(None, "FILE", RESULTS, default="learned.json, beside the measurements")(
        "The model of all runs."
    )
    plot: str | None = option(None, "FILE", RESULTS)("Draw the best value over the runs (.svg, .png, .pdf).")
    report: str | None = option(None, "FILE", RESULTS)(
        "Write a page about the runs so far (.html) after every 5 runs, which a browser reloads, and at the end."
    )
    resume: bool = flag("--resume", RESULTS)("Continue an existing journal.")
    keep_going: bool = flag("--keep-going", RESULTS)("Continue although the first 3 runs failed for the same reason.")

    @property
    def constants(self) -> Mapping[str, str]:
        """The contexts of this run: column → value."""
        contexts = contexts_of(self.column)
        for name in turns_of(contexts):
            raise RequestError(f"a tuning run has one value of {name!r}; --from learns from runs of others", "column")
        return constant_contexts(contexts)

    @property
    def earlier_files(self) -> tuple[EarlierFile, ...]:
        """The files of earlier runs."""
        files: list[EarlierFile] = []
        for text in self.earlier:
            path, colon, stated = text.rpartition(":")
            if not colon or "=" not in stated or Path(text).exists():
                files.append((text, {}))
            else:
                files.append((path, constant_contexts(contexts_of(stated.split(",")))))
        return tuple(files)

    def require_consistent(self) -> None:
        """Refuse fields that contradict each other, or have no effect."""
        live = self.replay is None
        other, names, hint = ("a replay", _OF_REPLAY, ", or --for 2h") if live else ("a command", _OF_COMMAND, "")
        missing = f"the number of runs is missing; write --budget 60{hint}"
        wrong = next((name for name in given_fields(self) if name in names), "")
        rows = "--where COLUMN=VALUE selects rows of the table"
        what = "what is to be tuned? a command, or with --replay the rows of a table"
        refuse(
            ((self.command is None) == live, what, "command"),
            (wrong, f"only {other} has it", wrong),
            (not live and self.constants, f"only a command has a value; {rows}", "column"),
            (not self.budget and self.duration is None, missing, "budget"),
            (self.seeds > MOST_SEEDS, f"at most {MOST_SEEDS:,} replays are made", "seeds"),
            (live and len(self.budget) > 1, "several budgets are compared only by replays", "budget"),
        )

    def settings(self, properties: Sequence[str]) -> dict[str, Any]:
        """Return the settings of a tuner of properties."""
        if self.cost is not None and self.cost not in properties:
            raise RequestError(f"{self.cost!r} is no property of the runs; add it with --property", "cost")
        if self.maximize and self.maximize_only:
            raise RequestError("one of them is enough: for all properties, or for some", "maximize", "maximize_only")
        limits = []
        for text in self.limits:
            relation: Literal["<=", ">="] = "<=" if "<=" in text else ">="
            name, sign, number = (part.strip() for part in text.partition(relation))
            value = parse_number(number)
            if not sign or math.isnan(value):
                raise RequestError(f"{text!r} is not NAME <= NUMBER or NAME >= NUMBER", "limits")
            if name not in properties:
                raise RequestError(f"{name!r} is no property of the runs; add it with --property", "limits")
            limits.append(Limit(name, relation, value))
        limited = {limit.nfp for limit in limits}
        goals = [name for name in properties if name == properties[0] or not (name in limited or name == self.cost)]
        for name in self.maximize_only:
            if name not in goals:
                raise RequestError(f"{name!r} is no property that is tuned", "maximize_only")
        first, *further = [Goal(name, self.maximize or name in self.maximize_only) for name in goals]
        same = {name: getattr(self, name) for name in ("verify", "explore", "until", "race", "cost")}
        return {"maximize": first.maximize, "further": tuple(further), "limits": tuple(limits), **same}


def with_default_values(text: str | None, system: VariabilityModel) -> VariabilityModel:
    """Return a system that has the values of the default, if its values were not described."""
    if text is None or _is_assignment(text, system):
        return system if text is None else with_assigned_values(text.split(","), system)
    return with_unlisted(read_source(text), system)


def _is_assignment(text: str, system: VariabilityModel) -> bool:
    return "=" in text or text.strip() in system.names


def default_of(text: str | None, space: Space) -> Configurations | None:
    """Return the default of a text: NAME=VALUE,…, or a CSV file with one row."""
    if text is None:
        return None
    if _is_assignment(text, space.system):
        return first_valid(space, parse_assignments(text.split(","), space.system))
    return one_configuration(text, space)


def tell_earlier(
    files: Sequence[EarlierFile], contexts: Mapping[str, str], system: VariabilityModel, tuner: Tuner, notes: Notes
) -> Mapping[str, Any] | None:
    """Tell a tuner the values of earlier runs; return their number and digest, None without any.

    Rows of another context are learned from only. Configurations that are not searched (they lack a fixed value) are
    left out of the others.
    """
    if not files:
        return None
    names = tuner.objective.properties
    runs: list[list[Any]] = []
    for file, stated in files:
        for part in _parts(file, stated, contexts, system, notes):
            values_of = {**part.contexts, **stated}
            differing = {name: value for name, value in values_of.items() if value != contexts.get(name, value)}
            context = ", ".join(f"{name}={value}" for name, value in differing.items()) or None
            columns = np.array([part.repetitions(name) for name in names])
            configurations = Configurations(tuner.system, part.configurations.indices)
            searched = tuner.source.valid(configurations)
            for row in range(len(configurations)) if context else np.flatnonzero(searched).tolist():
                assignment = configurations.assignment(row)
                for values in columns[:, row].T.tolist():
                    if not np.isnan(values).any():
                        tuner.tell(assignment, dict(zip(names, values, strict=True)), context=context)
                        own = [configurations.indices[row].tolist(), values]
                        runs.append(own if context is None else [*own, context])
            if context is None and (failures := part.failures) is not None:
                for row in np.flatnonzero(tuner.source.valid(failures.configurations)).tolist():
                    for _ in range(int(failures.runs[row])):
                        tuner.tell(failures.configurations.assignment(row), failed="failed in an earlier run")
                        runs.append([failures.configurations.indices[row].tolist(), None])
    if not runs:
        raise MeasurementError("no earlier run is of a configuration that is searched, with all properties")
    for others in dict.fromkeys(run[2] if run[2:] else None for run in runs):
        kept = [str(run[0]) for run in runs if (run[2] if run[2:] else None) == others]
        count = plural(len(kept), "earlier run", "earlier runs")
        text = f"{count} of {plural(len({*kept}), 'configuration', 'configurations')}"
        notes.append(Note(text if others is None else f"{text} with {others}: they are learned from, too"))
    return {"runs": len(runs), "sha256": sha256_of(json.dumps(runs))}


def _parts(
    file: str, stated: Mapping[str, str], contexts: Mapping[str, str], system: VariabilityModel, notes: Notes
) -> tuple[Measurements, ...]:
    """Return the rows of a file by their contexts; those that this run does not state have one value each."""
    named = tuple(contexts)
    columns = ColumnChoice(named, optional=frozenset(named))
    project = replace(Project.load(measurements=[file], columns=columns), learned_system=system)
    # Inferred constraints are those of other rows.
    parts = project.every_part(system, Space(replace(system, constraints=()) if system.inferred else system))
    notes.add(reading_notes(*(part.report for part in parts)))
    for name in parts[0].contexts:
        values = tuple(dict.fromkeys(part.contexts[name] for part in parts))
        if name not in contexts and len(values) > 1:
            message = f"{file}: {name!r} has {len(values)} values: {listed([*map(shown_value, values)])}"
            raise RequestError(f"{message}; state the one of this run with --column {name}=VALUE", "earlier")
    unknown = [name for name in contexts if name not in {**parts[0].contexts, **stated}]
    if unknown:
        hint = f"state the value of its rows: --from {file}:{unknown[0]}=VALUE"
        raise RequestError(f"{file} has no column {unknown[0]!r}; {hint}", "earlier")
    return parts
