"""The setup of a measurement: what its sessions have in common, what later ones may change, and its tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError, OutputError, Problem, Problems, SpecError, listed, plural, unknown_name_hint
from splc.formats.measurements.csv import option_texts, with_groups
from splc.formats.table import TableSource, table_text
from splc.io.files import Source, sha256_of
from splc.io.numbers import number_text
from splc.measuring import runner
from splc.measuring.command import OPTIONS, BoundCommand, Template
from splc.measuring.execution import Plan, Process, Run, RunResults
from splc.measuring.journal import Record
from splc.measuring.properties import Property
from splc.system.variability import VariabilityModel

FORMAT = 1
# What differs between a journal and a request.
_DIFFERENCES = {
    "system": "the system's options and values differ",
    "configurations": "the configurations differ",
    "command": "the command differs",
    "commands": "the command lines differ",
    "properties": "the properties differ",
    "folder": "the folder in which the command runs differs",
    "environment": "the environment variables differ",
    "timeout": "the time limit differs",
    "batch": "what a batch has in common differs",
    "contexts": "the contexts differ",
    "repeat": "the number of repetitions differs",
    "warmup": "the number of warm-ups differs",
    "order": "the order differs",
    "block": "the size of the blocks differs",
    "seed": "the seed differs",
    "max_deviation": "the largest deviation differs",
    "max_repeat": "the largest number of repetitions differs",
    # The entries of tuning runs.
    "budget": "the budget differs",
    "default": "the default differs",
    "maximize": "whether large values are good differs",
    "maximize_only": "the properties whose greatest values are wanted differ",
    "limits": "the limits differ",
    "fixed": "the fixed values differ",
    "verify": "the number of runs that verify differs",
    "explore": "the share that is explored differs",
    "until": "the gain that ends the search differs",
    "race": "the factor at which runs are ended differs",
    "cost": "the cost differs",
    "from": "the earlier measurements differ",
}
# Counts that may grow from session to session, since recorded runs stay valid.
_LARGER = ("repeat", "max_repeat", "budget")
# Settings that may have caused failed runs, and may be corrected; entries that change when configurations are added.
CORRECTABLE = ("command", "commands", "properties", "folder", "environment", "timeout")
GROWING = ("system", "configurations", "commands")
# The ways to continue a journal, also with other settings.
CONTINUATION = "continue it with --resume, add configurations to it with --append"
CORRECTION = "--append adds configurations, and --resume --retry-failed repeats failed runs with another command"
# The column that numbers the blocks of a measurement, from 1.
BLOCK = "block"
FAILURE_COLUMNS = ("repetition", "reason", "exit_code", "stderr")


@dataclass(frozen=True)
class Setup:
    """A measurement before it starts."""

    command: BoundCommand  # the command, bound to the configurations
    configurations: Configurations  # n of them, distinct
    properties: tuple[Property, ...]  # what is read from each run; the deviation is that of the first
    plan: Plan
    # first argument → the path of the program; without an entry workers search it
    executables: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None  # where the command runs, None: where this process does
    environment: Mapping[str, str] = field(default_factory=dict)  # variables added to the environment
    timeout: float | None = None  # seconds of a run (or batch), None: no limit
    # None: one process per run; else the options that the configurations of one process agree in
    batch: tuple[str, ...] | None = None
    # columns of the table that are the same in all rows: context (machine, version) → value
    contexts: Mapping[str, str] = field(default_factory=dict)
    # contexts of several values, alternative groups of the system → the option of each value → this value
    turns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise SpecError(f"the time limit must be positive, not {self.timeout:g} s")
        taken = (*self.configurations.system.names, *self.property_names, *self.contexts, *self.turns)
        if self.plan.block is not None and (self.batch is not None or BLOCK in taken):
            what = f"{BLOCK!r} names a column already" if self.batch is None else "a batch has an order of its own"
            raise SpecError(f"the runs cannot be in blocks: {what}")

    @property
    def property_names(self) -> tuple[str, ...]:
        """The names of the properties."""
        return tuple(prop.name for prop in self.properties)

    def process(self, run: Run, **extras: str) -> Process:
        """Return the process of a run, as a worker needs it."""
        row, repetition = run
        # Counted from 1; a warm-up is 0.
        arguments = self.command.arguments(row, {"repetition": str(max(repetition + 1, 0)), **extras})
        where: dict[str, Any] = {"executable": self.executables.get(arguments[0]), "folder": self.folder}
        return partial(runner.run, arguments, **where, environment=self.environment, timeout=self.timeout)

    @cached_property
    def assignments(self) -> list[dict[str, float | int | None]]:
        """The configurations, each as option → value."""
        return self.configurations.assignments()

    def description(self) -> dict[str, Any]:
        """Return the description that a journal must match to be continued."""
        plan = asdict(self.plan)
        if self.plan.max_deviation is None:
            plan["max_repeat"] = None
        hashed = sha256_of(b"".join(self.configurations.keys.tolist()))
        lines = [self.command.arguments(row) for row in range(len(self.configurations))]
        system = self.configurations.system
        return {
            "kind": "plan",
            "format": FORMAT,
            "system": system_description(system),
            "configurations": {"count": len(self.configurations), "sha256": hashed},
            "command": self.command.template.text,
            "commands": {"sha256": sha256_of(json.dumps(lines))},
            "properties": [str(prop) for prop in self.properties],
            "folder": self.folder,
            "environment": dict(self.environment),
            "timeout": self.timeout,
            "batch": None if self.batch is None else list(self.batch),
            # Journals of measurements without contexts do not state them.
            **({"contexts": {**self.contexts, **self.turns}} if self.contexts or self.turns else {}),
            **plan,
            # Not compared: configurations can be added to these.
            "table": table_text(*with_groups(system, option_texts(self.configurations))),
        }

    def measurements(self, recorded: RunResults) -> Measurements | None:
        """Return the values of all successful repetitions, in the order of the configurations; None if there is none.

        They depend only on the results, not on when, in which order, or in how many sessions they were measured.
        """
        blocks = () if self.plan.block is None else self.plan.blocks(len(self.configurations))
        block_of = {run: {BLOCK: float(number)} for number, block in enumerate(blocks, 1) for run in block}
        runs: dict[int, list[dict[str, float]]] = {}
        for row in range(len(self.configurations)):
            for repetition, result in recorded.of(row):
                if result.reason is None:
                    runs.setdefault(row, []).append({**result.values, **block_of.get((row, repetition), {})})
        if not runs:
            return None
        names = (*self.property_names, *((BLOCK,) if blocks else ()))
        filled = {name: np.full((len(runs), max(map(len, runs.values()))), np.nan) for name in names}
        for position, values in enumerate(runs.values()):
            for name, column in filled.items():
                column[position, : len(values)] = [run_values[name] for run_values in values]
        return Measurements(self.configurations[np.array([*runs])], filled, contexts=self.contexts)

    def failures_text(self, recorded: RunResults) -> str | None:
        """Return a CSV table of the failed runs, None if no run failed."""
        failed = recorded.failed
        if not failed:
            return None
        texts = option_texts(self.configurations[np.array([row for row, _ in failed])])
        header, columns = with_groups(self.configurations.system, texts)
        results = [recorded.results[run] for run in failed]
        columns.append([str(repetition + 1) for _, repetition in failed])
        columns.append([result.reason or "" for result in results])
        columns.append(["" if result.exit_code is None else str(result.exit_code) for result in results])
        columns.append([result.stderr.strip() for result in results])
        return table_text([*header, *FAILURE_COLUMNS], columns)


def system_description(system: VariabilityModel) -> dict[str, str]:
    """Return the name of a system, and a hash of its options and their values."""
    options: list[list[Any]] = [[option.name, "binary"] for option in system.binary_options]
    options += [[option.name, list(option.values), option.deselected_flag] for option in system.numeric_options]
    return {"name": system.name, "sha256": sha256_of(json.dumps(options))}


def require_batchable(names: Sequence[str], template: Template, system: VariabilityModel) -> None:
    """Check that a batch command depends only on options in which the configurations of a batch agree."""
    problems = Problems()
    for name in names:
        if name not in system.positions:
            problems.add(f"--batch: unknown option {name!r}", hint=unknown_name_hint(name, list(system.names)))
    for name in template.option_names:
        if name not in names:
            hint = f"one process measures several values of it; add it: --batch {','.join([*names, name])}"
            problems.add(f"the batch command has the placeholder {name!r}", hint=hint)
    if OPTIONS in template.extras:
        problems.add("a batch command cannot have {options}, which differ in a batch")
    problems.raise_if_any(SpecError)


def plan_in(records: Sequence[Record]) -> Mapping[str, Any] | None:
    """Return the latest description of the measurement in a journal, None in an empty one."""
    return next((record for record in reversed(records) if record.get("kind") == "plan"), None)


def require_same(
    records: Sequence[Record],
    wanted: Mapping[str, Any],
    path: str,
    allowed: Collection[str] = (),
    correction: str = CORRECTION,
) -> bool:
    """Check that a journal belongs to a measurement, but for what is `allowed` to differ.

    `correction`: how a journal is continued with other settings.
    """
    plan = plan_in(records)
    if plan is None or records[0].get("kind") != "plan":
        raise InputError(Problem("the journal has no description of its measurement", path, 1))
    if plan.get("format") != FORMAT:
        hint = "continue with the version of splc that wrote it"
        raise InputError(Problem(f"this journal has format {plan.get('format')}, not {FORMAT}", path, 1, hint=hint))
    if plan.get("block") is not None and set(GROWING) <= set(allowed):
        hint = "measure them into another file with --output"
        raise InputError(Problem("further configurations would change the order of the blocks", path, hint=hint))
    problems = Problems(path)
    grown = False
    # Command lines differ where one of these does.
    others = {"commands"} if any(plan.get(key) != wanted[key] for key in ("system", "command")) else set()
    for key, words in _DIFFERENCES.items():
        was, current = plan.get(key), wanted.get(key)
        if was == current or key in allowed or key in others:
            continue
        # More repetitions are another order of blocks.
        is_larger = isinstance(was, int) and isinstance(current, int) and current > was
        if key in _LARGER and is_larger and plan.get("block") is None:
            grown = True
            continue
        problems.add(f"the journal is of another measurement: {words}{_difference_text(was, current)}")
    if len(problems):
        hint = f"give the same options as before, or measure into another file with --output; {correction}"
        problems.add("a journal can only be continued with its own options", hint=hint)
    problems.raise_if_any(InputError)
    return grown


def _difference_text(was: Any, current: Any) -> str:
    """Return two values that differ, without hashes."""
    if isinstance(was, dict) and isinstance(current, dict) and "sha256" in current:
        keys = [key for key in current if key != "sha256" and was.get(key) != current[key]]
        parts = [f"{key} {_text(was.get(key))} there, {_text(current[key])} now" for key in keys]
        return f": {', '.join(parts)}" if parts else ""
    if isinstance(was, list) and isinstance(current, list):
        return f": {listed([str(item) for item in was]) or 'none'} there, {listed(current) or 'none'} now"
    return f": {_text(was)} there, {_text(current)} now"


def _text(value: Any) -> str:
    return "none" if value is None or value == {} else repr(value) if isinstance(value, str) else str(value)


def require_unsuccessful(records: Sequence[Record], path: str, continuation: str = CONTINUATION) -> None:
    """Refuse to begin a measurement anew whose journal has a successful run; name the ways to continue it."""
    if any(record.get("kind") == "run" and record.get("status") == "ok" for record in records):
        hint = f"{continuation}, measure into another file with --output, or remove it"
        raise OutputError(Problem("this journal of measurements exists already", path, hint=hint))


def corrected(records: Sequence[Record], wanted: Mapping[str, Any], failed: bool) -> tuple[str, ...]:
    """Return the settings that were corrected after failed runs; the properties keep their names.

    `wanted`: the description of the measurement. `failed`: whether there are failed runs.
    """
    plan = plan_in(records)
    if plan is None or not failed:
        return ()
    was, now = ([text.partition("=")[0] for text in each.get("properties", ())] for each in (plan, wanted))
    return tuple(key for key in CORRECTABLE if plan.get(key) != wanted.get(key)) if was == now else ()


def measured_table(records: Sequence[Record], path: str) -> TableSource:
    """Return the configurations of the measurement in a journal as a table, in the order of their rows."""
    plan = plan_in(records) or {}
    text = plan.get("table")
    if not isinstance(text, str):
        # Journals of earlier versions state no table: the configurations of the runs, if there are runs of all.
        configurations, count = _configurations(records), plan["configurations"]["count"] if plan else 0
        if not count or len(configurations) < count:
            some = f"{len(configurations)} of {plural(count, 'configuration', 'configurations')}"
            raise InputError(Problem(f"the journal has runs of {some}", path, hint="finish it with --resume first"))
        lines = [configurations[row] for row in sorted(configurations)]
        columns = [["" if line[name] is None else number_text(line[name]) for line in lines] for name in lines[0]]
        text = table_text([*lines[0]], columns)
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    # A configuration with each value of a context is one configuration.
    turns = {name for name, value in plan.get("contexts", {}).items() if not isinstance(value, str)}
    kept = [at for at, name in enumerate(header) if name not in turns]
    unique_rows = dict.fromkeys(tuple(row[at] for at in kept) for row in rows)
    return TableSource.of_rows(Source(path, text.encode()), [header[at] for at in kept], list(map(list, unique_rows)))


def _configurations(records: Sequence[Record]) -> dict[int, dict[str, Any]]:
    return {record["row"]: record["configuration"] for record in records if record.get("kind") == "run"}


def require_rows(records: Sequence[Record], setup: Setup, path: str) -> None:
    """Check that recorded runs are of the configurations that have their rows now; options may have been added."""
    for row, recorded_values in _configurations(records).items():
        configuration = setup.assignments[row] if row < len(setup.configurations) else {}
        if any(name not in configuration or configuration[name] != value for name, value in recorded_values.items()):
            message = "the recorded runs are of other configurations"
            raise InputError(Problem(message, path, hint="measure into another file with --output"))


def settings_in(records: Sequence[Record], path: str) -> dict[str, Any]:
    """Return the command of a journal and the settings of its measurement, by the names of a request."""
    plan = plan_in(records)
    if plan is None:
        raise SpecError(f"{path} has no command yet", hint="write --command '…'")
    batch = plan.get("batch")
    same = ("command", "timeout", "repeat", "warmup", "order", "seed", "max_deviation")
    contexts = plan.get("contexts", {}).items()
    return {
        **{name: plan.get(name) if name == "max_deviation" else plan[name] for name in same},
        "properties": tuple(plan["properties"]),
        "cwd": plan["folder"],
        "env": tuple(f"{name}={value}" for name, value in plan["environment"].items()),
        "batch": ("all",) if batch == [] else tuple(batch or ()),
        "contexts": {name: value if isinstance(value, str) else tuple(value.values()) for name, value in contexts},
        **({} if plan.get("max_deviation") is None else {"max_repeat": plan["max_repeat"]}),
    }
