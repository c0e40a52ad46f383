"""Pick configurations to measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sampling import Sample, SamplingSpec, Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.data.configurations import Configurations
from splc.errors import RequestError, SpecError, listed, plural
from splc.formats.measurements.prediction_inputs import read_prediction_inputs
from splc.io.numbers import percentage
from splc.io.outputs import require_writable
from splc.learning.contexts.change_test import MIN_PAIRS, detectable_change
from splc.workflows.common_fields import Binary, Numeric, Sampling, Seed
from splc.workflows.fields import as_option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, notes_of, reading_notes

# The noise of measurements for which the power of pairs is stated, in percent.
NOISES = (2, 5)


@request
class Request(SystemInputs):
    """A request to sample configurations."""

    measured: ClassVar[bool | None] = None

    sampling: Sampling = None
    binary: Binary = None
    numeric: Numeric = None
    seed: Seed = 0
    extend: Annotated[
        str | None,
        as_option("FILE", "An existing sample (configurations or measurements): only what it lacks is picked."),
    ] = None
    pairs: Annotated[
        int | None,
        as_option("K", "Draw K configurations to measure with two versions (splc changed), and state the power."),
    ] = None
    output: Annotated[
        str | None, as_option("FILE", "The file to write.", names="--output -o", default="standard output")
    ] = None


@dataclass(frozen=True)
class Result:
    """Sampled configurations.

    Attributes:
        sample: the configurations, with the spec and the seed that they come from.
        notes: what the user should know.
    """

    sample: Sample
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Sample configurations.

    Raises:
        SpecError: if the spec is wrong.
        InputError: if a file cannot be found or read.
        OutputError: if the output is an input or cannot be written.
    """
    spec = _spec(request)
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
            read = read_prediction_inputs(request.extend, space.system, request.policy(space, project), request.nfp)
            existing = read.configurations
            notes += reading_notes(read.report)
        sample = draw_sample(space.system, spec, request.seed, measured, space, existing)
        power = () if request.pairs is None else _power(sample.configurations)
        return Result(sample, (*notes, *notes_of((*sample.notes, *power))))


def _spec(request: Request) -> SamplingSpec:
    if request.pairs is None:
        return parse_spec(request.sampling, binary=request.binary, numeric=request.numeric)
    for name in ("sampling", "binary", "numeric", "extend"):
        if getattr(request, name) is not None:
            raise RequestError("pairs are drawn from all valid configurations", "pairs", name)
    if request.pairs < MIN_PAIRS:
        raise RequestError(f"a test needs at least {MIN_PAIRS} pairs", "pairs")
    return parse_spec(f"random:{request.pairs}")


def _power(configurations: Configurations) -> tuple[str, ...]:
    """Return which change of one influence the pairs find, by the noise of a measurement."""
    columns = {option.name: configurations.value(option.name) for option in configurations.system.options}
    sizes = {noise: detectable_change(columns, noise / 100) for noise in NOISES}
    names = [
        f"{percentage(100 * (size - 1), 2)} if measurements deviate by {noise} %"
        for noise, size in sizes.items()
        if size is not None
    ]
    pairs = plural(len(configurations), "pair finds", "pairs find")
    return (f"{pairs} a change of one influence in three of four cases from {listed(names)}",) if names else ()
