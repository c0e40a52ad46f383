"""The file formats that splc reads and writes, and which one a file has, as its content tells.

To add a format, write its module and add a line to `FORMATS`. Functions are named as `module:function` and imported on
first use. What a function takes and returns depends on the kind of file:

| kind | reader | writer |
|---|---|---|
| system | source → variability model | model, path → notes |
| measurements | source, model, policy → rows | measurements, path → notes |
| model | source, variability model or None, `ReadOptions` → stored models | `ModelFile` → text |
| experiment | source → experiment | experiment → text |
| script | source → script, problems | |
"""

from __future__ import annotations

import contextlib
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

from splc.errors import InputError, OutputError, Problem, nearest
from splc.formats.benchmarks.tools import benchmark_of
from splc.formats.table import in_utf8, table_of
from splc.io.csv_rows import likely_separator, split_line
from splc.io.files import Source, is_stream, read_source
from splc.io.json import parse_json
from splc.io.numbers import parse_number
from splc.system.variability import VariabilityModel

Kind = Literal["system", "measurements", "model", "experiment", "script"]
ExperimentFormat = Literal["text", "json", "jsonl", "extra-p", "csv"]

PROGRAM_SUFFIX = ".program.json"  # the JSON of a program, which cannot be read as a model


@dataclass(frozen=True)
class Format:
    """A file format."""

    kind: Kind  # what files in this format contain
    name: str  # its name, as `splc convert --to` takes it, which does not write a format without a name
    suffix: str | None = None  # the suffix of files in this format, None where several formats share it
    reader: str | None = None  # the function that reads it, None if it is only written
    writer: str | None = None  # the function that writes it, None if it is only read
    other_suffixes: tuple[str, ...] = ()  # other suffixes of files in this format
    by_suffix: bool = False  # whether the suffix alone tells the format

    def read(self, *arguments: Any) -> Any:
        """Return what the function that reads the format returns."""
        return resolve_name(str(self.reader))(*arguments)

    def write(self, *arguments: Any) -> Any:
        """Return what the function that writes the format returns."""
        return resolve_name(str(self.writer))(*arguments)


_SYSTEM, _MEASUREMENTS, _MODELS = (f"splc.formats.{name}." for name in ("system", "measurements", "models"))
_VM, _FM, _CONFIG = (f"{_SYSTEM}{name}:" for name in ("splconqueror_xml", "feature_models", "configspace"))
_CSV, _XML = (f"{_MEASUREMENTS}{name}:" for name in ("csv", "splconqueror_xml"))
_READ, _PROGRAM, _EXTRAP = f"{_MODELS}read:", f"{_MODELS}program:", "splc.formats.experiments.extrap:"

FORMATS = (
    Format("system", "xml", ".xml", f"{_VM}parse_variability_model", f"{_VM}write_variability_model"),
    Format("system", "uvl", ".uvl", f"{_SYSTEM}uvl:parse_uvl", f"{_SYSTEM}uvl:write_uvl"),
    Format("system", "featureide", None, f"{_FM}parse_featureide", f"{_FM}write_featureide"),
    Format("system", "dimacs", ".dimacs", f"{_FM}parse_dimacs", f"{_FM}write_dimacs", (".cnf",)),
    Format("system", "configspace", ".json", f"{_CONFIG}parse_configspace", f"{_CONFIG}write_configspace"),
    Format("measurements", "csv", ".csv", f"{_CSV}read_measurements_csv", f"{_CSV}write_measurements_csv"),
    Format("measurements", "xml", ".xml", f"{_XML}read_measurements_xml", f"{_XML}write_measurements_xml"),
    Format("measurements", "splconqueror-csv", writer=f"{_CSV}write_measurements_splconqueror_csv"),
    Format("model", "json", ".json", f"{_READ}read_json", f"{_MODELS}json:models_json_text"),
    Format("model", "txt", ".txt", f"{_READ}read_text", f"{_MODELS}text:models_text"),
    Format("model", "log", ".log", f"{_MODELS}log_reader:parse_stored_log", f"{_MODELS}log_writer:log_text"),
    Format("model", "python", ".py", writer=f"{_PROGRAM}python_source"),
    Format("model", "program", PROGRAM_SUFFIX, writer=f"{_PROGRAM}program_json"),
    Format("model", "", ".tex", writer=f"{_MODELS}text:latex_table"),
    Format("experiment", "text", ".txt", f"{_EXTRAP}parse_experiment_text", f"{_EXTRAP}experiment_text"),
    Format("experiment", "json", ".json", f"{_EXTRAP}parse_experiment_json"),
    Format("experiment", "jsonl", ".jsonl", f"{_EXTRAP}parse_experiment_lines", f"{_EXTRAP}experiment_jsonl"),
    Format("experiment", "extra-p", ".extra-p", f"{_EXTRAP}parse_experiment_archive"),
    Format("experiment", "csv", ".csv", "splc.formats.experiments.rows:parse_experiments_csv"),
    Format("script", "a", ".a", "splc.formats.scripts:parse_lines", by_suffix=True),
)

# The statements of Extra-P's text format, and the keys of its JSON lines that hold the parameters.
KEYWORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")
PARAMETERS = ("params", "parameters")
ARCHIVE = b"PK\x03\x04"
# The title of a binary experiment of Extra-P 3, after the byte order and the length of this text.
_EXTRAP3, _EXTRAP3_AT = b"EXTRAP_EXPERIMENT", 6

# Only comments may precede the root element of a description, or the first line of a table or model.
_BEGINNING, _LINES = 1 << 18, 1000
# A definition, a product, a power, a function of something, or a threshold.
_ASSIGNMENT = re.compile(r"[^\W\d][\w.]*\s*=(?!=)")
_FORMULA = re.compile(rf"^{_ASSIGNMENT.pattern}|[*^]|\b\d*+[^\W\d]\w*+\s*+\(|\[[^][\n<>]*+[<>][^][\n<>]*+\]")
_LOG = re.compile(
    r"^[^\S\n]*(?:\d+\s*;\s*[-+]?[\d.,]++(?:[eE][-+]?\d++)? \* [^;\n]*;|Round, Model, LearningError|Learning progress:|"
    r"Termination reason:|Current machine learning settings:|command: \w|average model:|Analyze finished)",
    re.MULTILINE,
)
# The first line of a script of SPL Conqueror.
_SCRIPT = re.compile(
    r"(?:vm|all|nfp|log|script|mlsettings|load-mlsettings|solver|binary|numeric|hybrid|evaluationset)\s+[^\s=*/+^(-]",
    re.IGNORECASE,
)
# The reader of XML refuses SXFM, and says what to do.
_SYSTEM_ROOTS = {"vm": "xml", "feature_model": "xml"}
_SYSTEM_ROOTS |= dict.fromkeys(("featureModel", "extendedFeatureModel"), "featureide")
# After comments, the line `p cnf VARIABLES CLAUSES`.
_DIMACS = re.compile(rb"(?:\s++|c(?:[^\S\n][^\n]*+)?\n)*+p\s+cnf\s")
# After comments, the first section; the one of the features, which are indented, must be in the file.
_UVL = re.compile(
    rb"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
    rb"(?:namespace\s|(?:features|include|imports)[^\S\n]*+(?:$|/[/*]))",
    re.MULTILINE,
)
_FEATURES = re.compile(rb"^features[^\S\n]*+(?:/[/*].*)?(?:\n[^\S\n]*+)*?(?:\n[^\S\n]+\S|\n/|\Z)", re.MULTILINE)
_CONFIGSPACE = re.compile(rb'"hyperparameters"\s*:\s*\[\s*\{')  # models of splc have hyperparameters that are numbers
_BLANK = b"\xef\xbb\xbf \t\r\n"
_WORD = re.compile(r"[A-Za-z]{4,12}(?=[\s(]|$)")
# Declarations, comments and a DTD, and the name in the first tag of an element, if that is closed.
_ROOT = re.compile(
    r"(?>\s*<(?:\?.*?\?|!--.*?--|!DOCTYPE[^[>]*(?:\[.*?\]\s*)?)>)*+\s*<([^\s<>/!?&]++)(?=(?:[\s/][^<>]*)?>)", re.DOTALL
)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+"?')  # a text, closed or not


def xml_root(data: bytes) -> str | None:
    """Return the name of the root element of (the beginning of) an XML document, None where there is none."""
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    root = _ROOT.match(data[:_BEGINNING].decode(encoding, "replace"))
    return root[1].rpartition(":")[2] if root else None


def xml_root_of_file(path: Path) -> str | None:
    """Return the name of the root element of an XML file (compressed or not), None where there is none."""
    # A pipe or device can be read only once, and may never end.
    beginning = b""
    with contextlib.suppress(OSError, zlib.error):
        if not is_stream(path):
            with path.open("rb") as stream:
                beginning = stream.read(_BEGINNING)
        if beginning.startswith(b"\x1f\x8b"):
            beginning = zlib.decompressobj(wbits=31).decompress(beginning, _BEGINNING)
    return xml_root(beginning)


def system_format(source: Source) -> str | None:
    """Return the format of a system description, None for other files."""
    if is_xml(source):
        return _SYSTEM_ROOTS.get(xml_root(source.data) or "")
    if source.data[:_BEGINNING].lstrip(_BLANK).startswith(b"{"):
        return "configspace" if _CONFIGSPACE.search(source.data) else None
    if _DIMACS.match(source.content):
        return "dimacs"
    return "uvl" if _UVL.match(source.content) and _FEATURES.search(source.content) else None


def is_xml(source: Source) -> bool:
    """Return whether a file is XML: its first character, after a byte order mark and spaces, is `<`."""
    start = source.data[:256]
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return start[2:4].strip(b"\0") == b"<"
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def is_log(source: Source) -> bool:
    """Return whether a file is a log in SPL Conqueror's grammar."""
    return not source.data.lstrip(_BLANK).startswith(b"<") and _LOG.search(in_utf8(source).text()) is not None


def model_format(source: Source) -> str | None:
    """Return the format of a model, None for other files."""
    if benchmark_of(source) is not None:
        return None
    if source.data.lstrip(_BLANK).startswith(b"{"):
        return "json"
    if is_log(source):
        return "log"
    return "txt" if _kind_of_content(source) == "model" else None


def experiment_format(source: Source) -> ExperimentFormat | None:
    """Return the format of measurements at points of parameters, by the first line; None if it is unknown."""
    if source.data.startswith(ARCHIVE):
        return "extra-p"
    if source.data.startswith(_EXTRAP3, _EXTRAP3_AT):
        raise not_read("Extra-P 3", source)
    lines = (line.strip() for line in re.split(r"[\r\n]+", source.text()))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first.startswith("{"):
        # Talpas writes JSON lines with semicolons instead of commas.
        if ";" in _TEXT.sub("", first):
            raise not_read("Talpas", source)
        # A faulty line of JSON lines, or the beginning of an object over several lines.
        is_lines = first.endswith("}") and f'"{PARAMETERS[0]}"' in first
        with contextlib.suppress(InputError):
            is_lines = "measurements" not in parse_json(first)
        return "jsonl" if is_lines else "json"
    if (word := _WORD.match(first)) and word[0] in KEYWORDS:
        return "text"
    if re.search(r"[,;\t]", first):
        return "csv"
    return "text" if word and nearest(word[0], KEYWORDS) else None


def not_read(program: str, source: Source) -> InputError:
    """Return the error for a file of a program whose files Extra-P 4 reads."""
    return InputError(Problem(f"files of {program} are not read", source.name, hint="open it in Extra-P 4 and save it"))


def kind_of(source: Source) -> Kind | None:
    """Return whether a file is a system description, measurements, a model or a script; None for other XML."""
    suffix = suffix_of(source.name)
    by_suffix = (form.kind for form in FORMATS if form.by_suffix and form.suffix == suffix)
    return next(by_suffix, None) or _kind_of_content(source)


def _kind_of_content(source: Source) -> Kind | None:
    if source.data.startswith(_EXTRAP3, _EXTRAP3_AT):
        raise not_read("Extra-P 3", source)
    if system_format(source) is not None:
        return "system"
    if benchmark_of(source) is not None:
        return "measurements"
    if is_xml(source):
        return "measurements" if xml_root(source.data) == "results" else None
    if source.data[:_BEGINNING].lstrip(_BLANK).startswith(b"{") or is_log(source):
        return "model"
    if (table := table_of(source)).rows:
        return "measurements"
    # Signs inside of quoted names have no meaning. The header of a table may begin with `#`.
    raw = [line for line in islice(table.text().splitlines(), _LINES) if line.strip()]
    lines = (re.sub(r"`[^`]*`", "x", line).split("#", 1)[0].strip() for line in raw)
    first, second, *_ = *islice((line for line in lines if line), 2), "", ""
    if (not table.beside[0] and _is_table(first, second)) or (raw[1:] and _is_table(*raw[:2], with_numbers=True)):
        return "measurements"
    return "script" if _SCRIPT.match(first) else "model"


def _is_table(first: str, second: str, *, with_numbers: bool = False) -> bool:
    """Return whether these first lines begin a table, not model text (which may contain commas, too).

    A line that looks like a formula (also one of units: `time (ms)`), or has tabs only, is the header of a table only
    if numbers, or as many cells and no formula, follow. `with_numbers`: whether that is required of any header.
    """
    if not first:
        return False
    separator = likely_separator(f"{first}\n{second}")
    header, row = split_line(first, separator), split_line(second, separator)
    if len(header) < 2 or any(cell.count("(") != cell.count(")") for cell in header):
        return False
    if not (with_numbers or separator in "\t|" or _FORMULA.search(first)):
        return True
    if not _ASSIGNMENT.match(first) and not any(map(_is_number, header)) and len(row) > 1 and any(map(_is_number, row)):
        return len(header) == len(row) or not with_numbers
    return len(header) == len(row) and not (with_numbers or _FORMULA.search(second))


def _is_number(cell: str) -> bool:
    return not math.isnan(parse_number(cell, ","))


_DETECTED: dict[Kind, Callable[[Source], str | None]] = {
    "system": system_format,
    "measurements": lambda source: "xml" if is_xml(source) else "csv",
    "model": model_format,
    "experiment": experiment_format,
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


def read_variability_model(path: str | Path | Source) -> VariabilityModel:
    """Read the description of a system.

    Args:
        path: a variability model of SPL Conqueror, or a feature model (UVL, FeatureIDE, DIMACS), also compressed
            (`.gz`); `-` is standard input.

    Returns:
        The options and constraints. `notes` of the model has remarks on elements without effect.

    Raises:
        InputError: if the file cannot be read, or is in none of the formats.
        VariabilityError: with all problems of the description and their lines.

    Examples:
        >>> splc.read_variability_model("system.xml").names
        ('px', 'py', 'nx')
    """
    source = path if isinstance(path, Source) else read_source(path)
    # The reader of XML has messages for other kinds of XML files.
    form = format_of("system", source) or format_named("system", "xml")
    model: VariabilityModel = form.read(source)
    return model


def suffix_of(path: str) -> str:
    """Return the suffix of a file name in lower case, without `.gz`; an empty text if there is none."""
    name = path.removesuffix(".gz").casefold()
    _, point, suffix = name.rpartition(".")
    if name.endswith(PROGRAM_SUFFIX):
        return PROGRAM_SUFFIX
    return f".{suffix}" if point and "/" not in suffix else ""


def model_suffix(path: str) -> str:
    """Return the suffix of a model to write, as `suffix_of`; C, which earlier versions wrote, is an error."""
    if (suffix := suffix_of(path)) == ".c":
        raise OutputError("C is not written", hint="use .program.json or .py")
    return suffix
