"""`splc sample`: pick configurations to measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from sampling import Sample, Space, command_strings, draw_sample, parse_spec
from sampling.designs.whole import Measured
from splc.errors import RequestError, SpecError, listed, plural
from splc.formats.measurements.csv import write_configurations
from splc.io.files import require_writable, write_whole
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.workflows.fields import OutputFile, Sampling, Seed, flag, option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Noted, Notes, notes_of, reading_notes
from splc.workflows.views import UNWATCHED, Detail, Output, Verb, View, Watch, counted

AS_COMMANDS = "As command lines"
NOISES = (2, 5)  # the noise of measurements for which the power of pairs is stated, in percent


@request
class Request(SystemInputs):
    """Pick configurations to measure, and write them as CSV."""

    measured: ClassVar[bool | None] = None

    sampling: Sampling = None
    seed: Seed = 0
    extend: str | None = option(None, "FILE")(
        "An existing sample (configurations or measurements): only what it lacks is picked."
    )
    pairs: int | None = option(None, "K")(
        "Draw K configurations to measure with two versions (splc changed), and state the power."
    )
    output: OutputFile = None
    command_lines: bool = flag("--command-lines", AS_COMMANDS)(
        "Write command lines as SPL Conqueror's printconfigs does, not a table."
    )
    prefix: str = option("", "TEXT", AS_COMMANDS)("The beginning of every line.")
    postfix: str = option("", "TEXT", AS_COMMANDS)("The end of every line.")


@dataclass(frozen=True)
class Result(Noted):
    """Sampled configurations."""

    sample: Sample  # the configurations, with the spec and the seed that they come from
    commands: Sequence[str] | None = None  # the command lines that are written instead of a table; None for a table
    output: str | None = None  # the file; None is standard output


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Sample configurations."""
    if (request.prefix or request.postfix) and not request.command_lines:
        raise RequestError("they need --command-lines", "prefix", "postfix")
    pairs = request.pairs
    for name in ("sampling", "extend") if pairs is not None else ():
        if getattr(request, name) is not None:
            raise RequestError("pairs are drawn from all valid configurations", "pairs", name)
    if pairs is not None:
        from splc.learning.contexts.change_test import MIN_PAIRS, detectable_change

        if pairs < MIN_PAIRS:
            raise RequestError(f"a test needs at least {MIN_PAIRS} pairs", "pairs")
    spec = parse_spec(request.sampling if pairs is None else f"random:{pairs}")
    project = request.project()
    require_writable(request.output, (request.extend, *spec.files, *project.files))
    with Notes() as notes:
        space = Space(request.read_system(project, notes, observed=False))
        measured = None
        if isinstance(spec.whole, Measured):
            if project.inference is not None and not project.inference.properties:
                hint = "random:N draws from the valid configurations; --property names a measured column"
                raise SpecError(f"no configuration of {project.inference.source.name} was measured", hint=hint)
            measured = request.read_measurements(project, space, notes).configurations
        existing = None
        if request.extend is not None:
            from splc.formats.measurements.configurations import read_inputs

            read = read_inputs(request.extend, space.system, request.policy(space, project), request.nfp)
            existing = read.configurations
            notes += reading_notes(read.report)
        sample = draw_sample(space.system, spec, request.seed, measured, space, existing)
        power: tuple[str, ...] = ()
        if pairs is not None:
            # The change of one influence that the pairs find, by the noise of a measurement.
            columns = {option.name: sample.configurations.value(option.name) for option in space.system.options}
            sizes = [(noise, detectable_change(columns, noise / 100)) for noise in NOISES]
            known = [(noise, percentage(100 * (size - 1), 2)) for noise, size in sizes if size is not None]
            names = [f"{change} if measurements deviate by {noise} %" for noise, change in known]
            finding = plural(len(sample.configurations), "pair finds", "pairs find")
            text = f"{finding} a change of one influence in three of four cases from {listed(names)}"
            power = (text,) if names else ()
        prefix, postfix = request.prefix, request.postfix
        lines = command_strings(sample.configurations, prefix, postfix) if request.command_lines else None
        notes += notes_of((*sample.notes, *power))
        return Result(sample, lines, request.output, notes=tuple(notes))


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a sample, with the configurations or command lines unless a file holds them."""
    sample = result.sample
    more: dict[str, Any] = {} if sample.extended is None else {"extended": sample.extended}
    if result.output is None:
        lines = result.commands
        more |= {"rows": sample.configurations.assignments()} if lines is None else {"commands": lines}
    return {
        "schema": "splc.sample/1",
        **picked(sample, "sampling = spec, seed"),
        "configurations": len(sample.configurations),
        **picked(sample, "removed, notes"),
        "output": result.output,
        **more,
    }


def view(result: Result, detail: Detail) -> View:
    """Yield the table of configurations, or the command lines, and the notes."""
    configurations, lines = result.sample.configurations, result.commands
    write = partial(write_configurations, configurations)
    if lines is not None:
        write = partial(write_whole, content=(f"{line}\n".encode() for line in lines))
    yield Output(result.output, write, counted(len(configurations), "configuration"))
    yield result.notes


EXAMPLES = (
    "splc sample --sampling pb:9,3",
    "splc sample --sampling random:20 --seed 1 -o configurations.csv",
    "splc sample --sampling random:50 --extend configurations.csv -o more.csv",
)
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="sampling", without=("nfp", "aggregate"))
