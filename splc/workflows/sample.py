"""Pick configurations to measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sampling import Sample, Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.errors import SpecError
from splc.formats.measurements.prediction_inputs import read_prediction_inputs
from splc.io.outputs import require_writable
from splc.workflows.common_fields import Binary, Numeric, Sampling, Seed
from splc.workflows.fields import as_option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, notes_of, reading_notes


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
    spec = parse_spec(request.sampling, binary=request.binary, numeric=request.numeric)
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
        return Result(sample, (*notes, *notes_of(sample.notes)))
