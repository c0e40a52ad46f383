"""Pick configurations to measure."""

from __future__ import annotations

from dataclasses import dataclass

from sampling import Sample, Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.io.outputs import require_writable
from splc.project import Project
from splc.types import Duplicates, Invalid
from splc.workflows.note import Note, notes_of, reading_notes


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to sample configurations.

    Attributes:
        sampling: the sampling spec, None where its parts are given.
        binary: the sampling of the binary options.
        numeric: the sampling of the numeric options.
        seed: the seed of what is drawn.
        output: the file that the caller writes; it is checked not to be one of the inputs.
        system: the system description; None is the one of the project folder.
        measurements: the measurements, for the sampling `measured`; None are those of the project folder.
        invalid: what to do with measured configurations that are not valid.
        duplicates: what to do with configurations that are measured in several rows.
    """

    sampling: str | None = None
    binary: str | None = None
    numeric: str | None = None
    seed: int = 0
    output: str | None = None
    system: str | None = None
    measurements: str | None = None
    invalid: Invalid = "error"
    duplicates: Duplicates = "error"


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
    project = Project.load(system=request.system, measurements=request.measurements)
    require_writable(request.output, project.files)
    model = project.variability_model(observed=False)
    space = Space(model)
    measured = None
    notes: tuple[Note, ...] = ()
    if isinstance(spec.whole, Measured):
        read = project.measurements(model, space, invalid=request.invalid, duplicates=request.duplicates)
        measured, notes = read.configurations, reading_notes(read.report)
    sample = draw_sample(model, spec, request.seed, measured, space)
    return Result(sample, (*notes, *notes_of(sample.notes)))
