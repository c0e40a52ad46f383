"""Pick configurations to measure."""

from __future__ import annotations

from dataclasses import dataclass

from sampling import Sample, Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.formats.measurements.prediction_inputs import read_prediction_inputs
from splc.io.outputs import require_writable
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, notes_of, reading_notes


@dataclass(frozen=True, kw_only=True)
class Request(SystemInputs):
    """A request to sample configurations.

    Attributes:
        sampling: the sampling spec, None where its parts are given.
        binary: the sampling of the binary options.
        numeric: the sampling of the numeric options.
        seed: the seed of what is drawn.
        extend: a file of configurations or measurements that the sample is added to.
        output: the file that the caller writes; it is checked not to be one of the inputs.
    """

    sampling: str | None = None
    binary: str | None = None
    numeric: str | None = None
    seed: int = 0
    extend: str | None = None
    output: str | None = None


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
            measured = request.read_measurements(project, space, notes).configurations
        existing = None
        if request.extend is not None:
            read = read_prediction_inputs(request.extend, space.system, request.policy(space, project), request.nfp)
            existing = read.configurations
            notes += reading_notes(read.report)
        sample = draw_sample(space.system, spec, request.seed, measured, space, existing)
        return Result(sample, (*notes, *notes_of(sample.notes)))
