"""The request to measure configurations."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from splc.workflows.common_fields import Binary, Numeric, Sampling, Seed, System
from splc.workflows.field_values import names_of
from splc.workflows.fields import as_flag, as_option, request
from splc.workflows.measure.turns import Contexts, contexts_of

COMMAND = "Command"
REPETITIONS = "Repetitions and order"
RESULTS = "Output"
BATCHES = "Commands that measure many configurations"
MACHINES = "Several machines"


@request
class Request:
    """A request to measure configurations."""

    command: Annotated[
        str | None,
        as_option(
            "TEXT",
            "The command, run without a shell: './solver -n {nx} {cache?--cache} -P {= px*py}', "
            "or with '{options}' for the options' output strings.",
            COMMAND,
            default="that of the journal, with its settings",
        ),
    ] = None
    sampling: Sampling = None
    binary: Binary = None
    numeric: Numeric = None
    configurations: Annotated[
        str | None,
        as_option("FILE", "The configurations to measure (CSV). Without a description their columns are the options."),
    ] = None
    seed: Seed = 0
    properties: Annotated[
        tuple[str, ...],
        as_option(
            "NAME=SOURCE",
            "What to record: NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN "
            "(its first group). Can be repeated.",
            COMMAND,
            names="--property",
            default="seconds=time",
        ),
    ] = ()
    cwd: Annotated[str | None, as_option("FOLDER", "The folder in which the command runs.", COMMAND)] = None
    env: Annotated[
        tuple[str, ...], as_option("NAME=VALUE", "An environment variable of the command. Can be repeated.", COMMAND)
    ] = ()
    contexts: Annotated[
        Contexts,
        as_option(
            "COLUMN=VALUE",
            "A column of the table: the machine, the version; '{COLUMN}' in the command is its value. Can be "
            "repeated; several values of a column are measured in turn.",
            COMMAND,
            names="--context",
            parse=contexts_of,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    timeout: Annotated[float | None, as_option("SECONDS", "End a run (or batch) after this time.", COMMAND)] = None
    repeat: Annotated[int, as_option("N", "Repetitions.", REPETITIONS, minimum=1)] = 1
    warmup: Annotated[
        int, as_option("N", "Runs of each configuration before the repetitions, not used.", REPETITIONS, minimum=0)
    ] = 0
    order: Annotated[
        Literal["repetition", "random"],
        as_option("repetition|random", "All configurations once, then all again; or shuffled, by --seed.", REPETITIONS),
    ] = "repetition"
    max_deviation: Annotated[
        float | None,
        as_option(
            "X",
            "Repeat a configuration until the relative standard deviation of the first property is at most X "
            "(0.1: 10 %).",
            REPETITIONS,
        ),
    ] = None
    max_repeat: Annotated[
        int | None,
        as_option("N", "The greatest number of repetitions for --max-deviation.", REPETITIONS, minimum=1, default="10"),
    ] = None
    batch: Annotated[
        bool,
        as_flag(
            "--batch",
            "One process measures many configurations: it reads them as CSV on standard input, or from the file "
            "{configurations}, and prints CSV with a row for each as it is done.",
            BATCHES,
        ),
    ] = False
    batch_by: Annotated[
        tuple[str, ...],
        as_option(
            "OPTION,…",
            "A batch command; one process for each combination of these options, which the command may name.",
            BATCHES,
            parse=names_of,
        ),
    ] = ()
    output: Annotated[str, as_option("FILE", "The measurements.", RESULTS, names="--output -o")] = "measurements.csv"
    journal: Annotated[
        str | None, as_option("FILE", "The record of every run.", RESULTS, default="in the folder of the output")
    ] = None
    resume: Annotated[bool, as_flag("--resume", "Continue an existing journal.", RESULTS)] = False
    append: Annotated[
        bool, as_flag("--append", "Add these configurations to an existing journal, and to its table.", RESULTS)
    ] = False
    retry_failed: Annotated[
        bool, as_flag("--retry-failed", "When resuming, repeat failed runs, also with another command.", RESULTS)
    ] = False
    keep_going: Annotated[
        bool, as_flag("--keep-going", "Measure on although the first 3 runs failed for the same reason.", RESULTS)
    ] = False
    scheduler: Annotated[
        str | None,
        as_option(
            "ADDRESS",
            "The dask scheduler, or its scheduler file; one run at a time on each machine.",
            MACHINES,
            default="one is started here",
        ),
    ] = None
    system: System = None

    @property
    def batched(self) -> bool:
        """True if one process measures several configurations."""
        return self.batch or bool(self.batch_by)

    @property
    def continues(self) -> bool:
        """True if an existing journal is continued."""
        return self.resume or self.append
