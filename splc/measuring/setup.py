"""The setup of a measurement: everything that its sessions must have in common."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from splc.data.configurations import Configurations
from splc.errors import InputError, OutputError, Problem, Problems, SpecError, listed, unknown_name_hint
from splc.formats.measurements.csv_table import option_texts, table_text
from splc.formats.measurements.group_columns import with_groups
from splc.io.files import sha256_of
from splc.measuring.command import BoundCommand
from splc.measuring.execution import Job
from splc.measuring.journal import Record
from splc.measuring.plan import Plan
from splc.measuring.properties import Property
from splc.measuring.run_results import Run
from splc.measuring.template import OPTIONS, Template
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel

FORMAT = 1
# The words for differences between a journal and a request.
_WORDS = {
    "system": "the system's options and values",
    "configurations": "the configurations",
    "command": "the command",
    "commands": "the command lines",
    "properties": "the properties",
    "folder": "the folder in which the command runs",
    "environment": "the environment variables",
    "timeout": "the time limit",
    "batch": "what a batch has in common",
    "contexts": "the contexts",
    "repeat": "the number of repetitions",
    "warmup": "the number of warm-ups",
    "order": "the order",
    "seed": "the seed",
    "max_deviation": "the largest deviation",
    "max_repeat": "the largest number of repetitions",
    # The entries of tuning runs.
    "budget": "the budget",
    "default": "the default",
    "maximize": "whether large values are good",
    "maximize_only": "the properties whose greatest values are wanted",
    "limits": "the limits",
    "fixed": "the fixed values",
    "verify": "the number of runs that verify",
    "explore": "the share that is explored",
    "until": "the gain that ends the search",
    "race": "the factor at which runs are ended",
    "cost": "the cost",
    "from": "the earlier measurements",
}
# Counts that may grow from session to session, since recorded runs stay valid.
_GROWING = ("repeat", "max_repeat", "budget")
# The ways to continue a journal, also with other settings.
CONTINUATION = "continue it with --resume, add configurations to it with --append"
CORRECTION = "--append adds configurations, and --resume --retry-failed repeats failed runs with another command"


@dataclass(frozen=True)
class Setup:
    """A measurement before it starts.

    Attributes:
        command: the command, bound to the configurations.
        configurations: n of them, distinct.
        properties: what is read from each run; the deviation is that of the first.
        plan: how often and in which order.
        executables: first argument → the path of the program; without an entry workers search it.
        folder: where the command runs, None: where this process does.
        environment: variables added to the environment.
        timeout: seconds of a run (or batch), None: no limit.
        batch: None: one process per run; else the options that the configurations of one process agree in.
        contexts: columns of the table that are the same in all rows: context (machine, version) → value.
        turns: contexts of several values, alternative groups of the system → the option of each value → this value.
    """

    command: BoundCommand
    configurations: Configurations
    properties: tuple[Property, ...]
    plan: Plan
    executables: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    batch: tuple[str, ...] | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    turns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise SpecError(f"the time limit must be positive, not {self.timeout:g} s")

    @property
    def property_names(self) -> tuple[str, ...]:
        """The names of the properties."""
        return tuple(prop.name for prop in self.properties)

    @property
    def property_columns(self) -> tuple[str, ...]:
        """The columns that a batch command has to print."""
        return tuple(prop.argument for prop in self.properties)

    def job(self, run: Run, **extras: str) -> Job:
        """Return the run as a worker needs it."""
        row, repetition = run
        # Counted from 1; a warm-up is 0.
        arguments = self.command.arguments(row, {"repetition": str(max(repetition + 1, 0)), **extras})
        executable = self.executables.get(arguments[0])
        return Job(arguments, self.properties, executable, self.folder, self.environment, self.timeout)

    def assignment(self, row: int) -> dict[str, float | None]:
        """Return a configuration as option → value, None where deselected."""
        return {name: None if math.isnan(values[row]) else values[row] for name, values in self._columns.items()}

    @cached_property
    def _columns(self) -> dict[str, list[float]]:
        return {name: self.configurations.value(name).tolist() for name in self.configurations.system.names}

    def description(self) -> dict[str, Any]:
        """Return the description that a journal must match to be continued."""
        plan = asdict(self.plan)
        if self.plan.max_deviation is None:
            plan["max_repeat"] = None
        lines = [self.command.arguments(row) for row in range(len(self.configurations))]
        return {
            "kind": "plan",
            "format": FORMAT,
            "system": system_description(self.configurations.system),
            "configurations": {
                "count": len(self.configurations),
                "sha256": sha256_of(b"".join(self.configurations.keys.tolist())),
            },
            "command": self.command.template.text,
            "commands": {"sha256": _hash(lines)},
            "properties": [str(prop) for prop in self.properties],
            "folder": self.folder,
            "environment": dict(self.environment),
            "timeout": self.timeout,
            "batch": None if self.batch is None else list(self.batch),
            # Journals of measurements without contexts do not state them.
            **({"contexts": {**self.contexts, **self.turns}} if self.contexts or self.turns else {}),
            **plan,
            # Not compared: configurations can be added to these (`splc.measuring.continuation`).
            "table": table_text(*self.option_columns()),
        }

    def option_columns(self) -> tuple[list[str], list[Sequence[str]]]:
        """Return the header and the columns of the configurations in tables."""
        return with_groups(self.configurations.system, option_texts(self.configurations))


def option_header(system: VariabilityModel) -> list[str]:
    """Return the columns of options in tables."""
    return with_groups(system, [[]] * len(system.names))[0]


def system_description(system: VariabilityModel) -> dict[str, str]:
    """Return the name of a system, and a hash of its options and their values."""
    options = [
        [option.name, "binary"]
        if isinstance(option, BinaryOption)
        else [option.name, list(option.values), option.deselected_flag]
        for option in system.options
    ]
    return {"name": system.name, "sha256": _hash(options)}


def _hash(value: Any) -> str:
    return sha256_of(json.dumps(value))


def require_same(
    records: Sequence[Record],
    wanted: Mapping[str, Any],
    path: str,
    allowed: Collection[str] = (),
    correction: str = CORRECTION,
) -> bool:
    """Check that a journal belongs to a measurement.

    Args:
        records: the journal.
        wanted: the description of the measurement.
        path: the file of the journal.
        allowed: what may differ.
        correction: how a journal is continued with other settings.

    Returns:
        Whether more repetitions, or runs, are requested than before.
    """
    plans = [record for record in records if record.get("kind") == "plan"]
    if not plans or records[0].get("kind") != "plan":
        raise InputError(Problem("the journal has no description of its measurement", path, 1))
    plan = plans[-1]
    if plan.get("format") != FORMAT:
        hint = "continue with the version of splc that wrote it"
        raise InputError(Problem(f"this journal has format {plan.get('format')}, not {FORMAT}", path, 1, hint=hint))
    problems = Problems(path)
    grown = False
    system = plan.get("system") != wanted["system"]
    for key, words in _WORDS.items():
        was, current = plan.get(key), wanted.get(key)
        if (
            key in allowed
            or was == current
            or (key == "commands" and (system or plan.get("command") != wanted["command"]))
        ):
            continue
        if key in _GROWING and isinstance(was, int) and isinstance(current, int) and current > was:
            grown = True
            continue
        problems.add(f"the journal is of another measurement: {words} {_difference_text(was, current)}")
    if len(problems):
        hint = f"give the same options as before, or measure into another file with --output; {correction}"
        problems.add("a journal can only be continued with its own options", hint=hint)
    problems.raise_if_any(InputError)
    return grown


def require_unsuccessful(records: Sequence[Record], path: str, continuation: str = CONTINUATION) -> None:
    """Refuse to begin a measurement anew whose journal has a successful run.

    `continuation`: the ways to continue it.
    """
    if any(record.get("kind") == "run" and record.get("status") == "ok" for record in records):
        hint = f"{continuation}, measure into another file with --output, or remove it"
        raise OutputError(Problem("this journal of measurements exists already", path, hint=hint))


def _difference_text(was: Any, current: Any) -> str:
    """Return how two values differ, without hashes."""
    if isinstance(was, dict) and isinstance(current, dict) and "sha256" in current:
        differing = [key for key in current if key != "sha256" and was.get(key) != current[key]]
        if not differing:
            return "differ"
        return "differ: " + ", ".join(
            f"{key} {_text(was.get(key))} there, {_text(current[key])} now" for key in differing
        )
    if isinstance(was, list) and isinstance(current, list):
        return f"differ: {listed([str(item) for item in was]) or 'none'} there, {listed(current) or 'none'} now"
    return f"differ{'s' if not isinstance(current, dict) else ''}: {_text(was)} there, {_text(current)} now"


def _text(value: Any) -> str:
    return "none" if value is None or value == {} else repr(value) if isinstance(value, str) else str(value)


def require_batchable(names: Sequence[str], template: Template, system: VariabilityModel) -> None:
    """Check that a batch command depends only on options in which the configurations of a batch agree."""
    problems = Problems()
    for name in names:
        if name not in system.positions:
            problems.add(f"--batch-by: unknown option {name!r}", hint=unknown_name_hint(name, list(system.names)))
    for name in template.option_names:
        if name not in names:
            hint = f"one process measures several values of it; add it: --batch-by {','.join([*names, name])}"
            problems.add(f"the batch command has the placeholder {name!r}", hint=hint)
    if OPTIONS in template.extras:
        problems.add("a batch command cannot have {options}, which differ in a batch")
    problems.raise_if_any(SpecError)
