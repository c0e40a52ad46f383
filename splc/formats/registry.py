"""The file formats that splc reads and writes.

To add a format, write its module and add a line to `FORMATS`. Functions are named as `module:function` and imported on
first use. What a function takes and returns depends on the kind of file:

| kind | reader | writer |
|---|---|---|
| system | source → variability model | model, path → notes |
| measurements | source, model, policy, decimal delimiter, separator, nfp → rows | measurements, path → notes |
| model | source, variability model or None, `ReadOptions` → stored models | `ModelFile` → text |
| experiment | source → experiment | experiment → text |
| script | source → script | |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from splc.errors import OutputError
from splc.formats import detect
from splc.io.files import Source

# The JSON of a program, which cannot be read as a model.
PROGRAM_SUFFIX = ".program.json"
Kind = Literal["system", "measurements", "model", "experiment", "script"]


@dataclass(frozen=True)
class Format:
    """A file format."""

    kind: Kind  # what files in this format contain
    name: str  # its name, as `splc convert --to` takes it, which does not write a format without a name
    suffix: str | None = None  # the suffix of files in this format, None where several formats share it
    reader: str | None = None  # the function that reads it, None if it is only written
    writer: str | None = None  # the function that writes it, None if it is only read
    other_suffixes: tuple[str, ...] = ()  # other suffixes of files in this format
    # whether the suffix alone tells the format; the formats of `splc.formats.detect` are told by content
    by_suffix: bool = False

    @property
    def read(self) -> Callable[..., Any]:
        """The function that reads the format."""
        return _function(self.reader)

    @property
    def write(self) -> Callable[..., Any]:
        """The function that writes the format."""
        return _function(self.writer)


_SYSTEM = "splc.formats.system."
_VM = f"{_SYSTEM}splconqueror_xml:"
_IDE = f"{_SYSTEM}featureide:"
_CNF = f"{_SYSTEM}dimacs:"
_CSV = "splc.formats.measurements.csv:"
_XML = "splc.formats.measurements.splconqueror_xml:"
_MODELS = "splc.formats.models."
_READ = f"{_MODELS}read:"
_PROGRAMS = f"{_MODELS}programs.python_program:"
_EXTRAP = "splc.formats.experiments.extrap:"
_LINES = "splc.formats.experiments.json_lines:"

FORMATS = (
    Format("system", "xml", ".xml", f"{_VM}parse_variability_model", f"{_VM}write_variability_model"),
    Format("system", "uvl", ".uvl", f"{_SYSTEM}uvl:parse_uvl", f"{_SYSTEM}uvl_writer:write_uvl"),
    Format("system", "featureide", None, f"{_IDE}parse_featureide", f"{_IDE}write_featureide"),
    Format("system", "dimacs", ".dimacs", f"{_CNF}parse_dimacs", f"{_CNF}write_dimacs", (".cnf",)),
    Format(
        "system",
        "configspace",
        ".json",
        f"{_SYSTEM}configspace:parse_configspace",
        f"{_SYSTEM}configspace_writer:write_configspace",
    ),
    Format("measurements", "csv", ".csv", f"{_CSV}read_measurements_csv", f"{_CSV}write_measurements_csv"),
    Format("measurements", "xml", ".xml", f"{_XML}read_measurements_xml", f"{_XML}write_measurements_xml"),
    Format("measurements", "splconqueror-csv", writer=f"{_CSV}write_measurements_splconqueror_csv"),
    Format("model", "json", ".json", f"{_READ}read_json", f"{_MODELS}json:models_json_text"),
    Format("model", "txt", ".txt", f"{_READ}read_text", f"{_MODELS}text:models_text"),
    Format("model", "log", ".log", f"{_READ}read_log", f"{_MODELS}log_writer:log_text"),
    Format("model", "python", ".py", writer=f"{_PROGRAMS}python_source"),
    Format("model", "program", PROGRAM_SUFFIX, writer=f"{_PROGRAMS}program_json"),
    Format("model", "", ".tex", writer=f"{_MODELS}text:latex_table"),
    Format("experiment", "text", ".txt", f"{_EXTRAP}parse_experiment_text", f"{_EXTRAP}experiment_text"),
    Format("experiment", "json", ".json", f"{_EXTRAP}parse_experiment_json"),
    Format("experiment", "jsonl", ".jsonl", f"{_LINES}parse_experiment_lines", f"{_LINES}experiment_jsonl"),
    Format("experiment", "extra-p", ".extra-p", f"{_EXTRAP}parse_experiment_archive"),
    Format("experiment", "csv", ".csv", "splc.formats.experiments.csv:parse_experiments_csv"),
    Format("script", "a", ".a", "splc.formats.scripts.commands:parse_script", by_suffix=True),
)

_DETECTED: dict[Kind, Callable[[Source], str | None]] = {
    "system": detect.system_format,
    "measurements": lambda source: "xml" if detect.is_xml(source) else "csv",
    "model": detect.model_format,
    "experiment": detect.experiment_format,
}


def formats_of(kind: Kind) -> tuple[Format, ...]:
    """Return the formats of a kind of file."""
    return tuple(form for form in FORMATS if form.kind == kind)


def written_formats(kind: Kind) -> tuple[str, ...]:
    """Return the names of the formats in which a kind of file is written."""
    return tuple(form.name for form in formats_of(kind) if form.writer is not None and form.name)


def model_writers() -> dict[str, Format]:
    """Return the suffix of a model to write → its format."""
    return {form.suffix: form for form in formats_of("model") if form.suffix is not None}


def format_named(kind: Kind, name: str) -> Format:
    """Return the format with this name."""
    return next(form for form in formats_of(kind) if form.name == name)


def format_of(kind: Kind, source: Source) -> Format | None:
    """Return the format of a file of this kind, None if it is in none of them."""
    for form in formats_of(kind):
        if form.by_suffix and form.suffix == suffix_of(source.name):
            return form
    name = _DETECTED[kind](source)
    return None if name is None else format_named(kind, name)


def kind_of(source: Source) -> Kind | None:
    """Return whether a file is a system description, measurements, a model or a script; None for other files."""
    suffix = suffix_of(source.name)
    by_suffix = (form.kind for form in FORMATS if form.by_suffix and form.suffix == suffix)
    return next(by_suffix, None) or detect.kind_of(source)


def suffix_of(path: str) -> str:
    """Return the suffix of a file name in lower case, without `.gz`; an empty text if there is none."""
    if path.removesuffix(".gz").casefold().endswith(PROGRAM_SUFFIX):
        return PROGRAM_SUFFIX
    _, point, suffix = path.removesuffix(".gz").rpartition(".")
    return f".{suffix.casefold()}" if point and "/" not in suffix else ""


def model_suffix(path: str) -> str:
    """Return the suffix of a model to write, as `suffix_of`; C, which earlier versions wrote, is an error."""
    if (suffix := suffix_of(path)) == ".c":
        raise OutputError("C is not written", hint="use .program.json or .py")
    return suffix


def _function(name: str | None) -> Callable[..., Any]:
    assert name is not None
    module, _, function = name.partition(":")
    target: Callable[..., Any] = getattr(import_module(module), function)
    return target
