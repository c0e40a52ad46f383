"""The readers that are fuzzed, and small valid files of their formats."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sampling import parse_spec
from sampling.designs.whole import read_population
from splc import infer_system
from splc.arithmetic.tokens import NameTable
from splc.errors import SplcError
from splc.formats import detect
from splc.formats.detect import read_variability_model
from splc.formats.experiments.extrap import read_cube_profile
from splc.formats.experiments.read import read_experiment
from splc.formats.measurements.configurations import read_configurations, read_inputs, read_observed
from splc.formats.measurements.rows import Policy
from splc.formats.models.read import parse_term_list, read_parameters
from splc.formats.models.stored_model import ReadOptions
from splc.formats.scripts import settings_of
from splc.io.files import read_source
from splc.measuring.command import parse_template
from splc.measuring.journal import read_journal
from splc.measuring.properties import extract, parse_properties
from splc.measuring.runner import Ended
from splc.project.files import read_project_file
from splc.study import read_study
from splc.study.folder import results_folder
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import step_values
from splc.system.variability import VariabilityModel
from tests.support.cube_files import write_cube
from tests.support.paths import CASES
from tests.support.reader_golden import READER_FILES, read_cases
from tests.support.real_data import DATA

SEEDS = Path(__file__).parent / "seeds"
SYSTEM, CSV, XML, LOG, MODEL_JSON, STUDY, SPECS, LINES, EXPERIMENT, MANIFEST, FEATUREIDE = (
    (SEEDS / f"{name}.txt").read_text(encoding="utf-8")
    for name in (
        "system",
        "csv",
        "xml",
        "log",
        "model-json",
        "study",
        "specs",
        "lines",
        "experiment",
        "manifest",
        "featureide",
    )
)
MODEL = "# expert\na = 2 * `x`\nT = a + slope * x^2 / 3 - sqrt(y) * log2(x * y)^-1.5 +\n  (left + 2)^2 * cache\n"
PARAMETERS = 'base = 0.5 # s\nab = "x + 1"\nq = 2e-3\nside = left + 1\n'
POINTS = "PARAMETER x\nPARAMETER y\nPOINTS (1 2) (2 2)\nREGION main->f\nMETRIC time\nDATA 1 2 # c\nDATA 3 4\n"
TERMS = "x * log10( y )\ncache * left # both\n`x` * x\n"
JOURNAL = b'{"kind":"header","schema":1}\n{"kind":"run","run":1,"crc":"00000000"}\n'
OUTPUT = 'time: 12.5 s\nTIME: .5e3\n{"time": [1, {"a.b": 2}]}\nx;time\n1;2,5\n"a,b",3\n'
TEMPLATES = "./run -n {x} {cache?--cache:} {left,right?--side {left}} {options} '{x*2+1}' \"{seed}\"\n"
CONSTRAINTS = "x <= 2\ncache | !left\n!a & -b\nx * (y + 2.5) - log10(x) / 3 != 1e-3\nsqrt(x)^2^-1 >= ln(`y`)\n"
DIMACS = "c 1 a b\nc 2 c\np cnf 3 3\n1 -2 0\n2 3\n-1 0 -3 0\n"


# Larger files make runs slow; their beginnings have the same structure.
SEED_BYTES = 3000
# Of inputs with one text per line.
MAX_LINES = 50


@dataclass(frozen=True)
class Reader:
    """A reader with its seeds."""

    read: Callable[[Path], object]  # reads a file
    seeds: tuple[str | bytes | Callable[[], bytes], ...]  # texts to begin with, or what makes them
    patterns: tuple[str, ...] = ()  # files whose beginnings are seeds too: case studies and real measurements
    suffix: str = ""  # the suffix of its files

    def own(self) -> list[bytes]:
        """Return the texts to begin with."""
        made = (seed() if callable(seed) else seed for seed in self.seeds)
        return [seed.encode() if isinstance(seed, str) else seed for seed in made]

    def texts(self) -> Iterator[bytes]:
        """Yield all seeds."""
        # It lists the files of the checkout when it is imported.
        from tests.support.tracked import tracked

        yield from self.own()
        for pattern in self.patterns:
            for files in (tracked(CASES, pattern=pattern), sorted(DATA.rglob(pattern))):
                for path in files[:12]:
                    data = read_source(path).data
                    yield data if path.suffix == ".extra-p" or len(data) < SEED_BYTES else _beginning(data)


def _beginning(data: bytes) -> bytes:
    """Return the first lines of a file."""
    beginning = data[:SEED_BYTES]
    return beginning[: beginning.rfind(b"\n") + 1] or beginning


@cache
def small() -> VariabilityModel:
    """Return the system that the seeds are about."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "system.xml"
        path.write_text(SYSTEM, encoding="utf-8")
        return read_variability_model(path)


def _format(kind: detect.Kind, name: str, *arguments: Any) -> Callable[[Path], object]:
    """Return the function that reads a format of the registry."""
    return lambda path: detect.format_named(kind, name).read(read_source(path), *arguments)


def _measurements(name: str, policy: Policy) -> Callable[[Path], object]:
    return lambda path: detect.format_named("measurements", name).read(read_source(path), small(), policy)


def _model(name: str) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        source = read_source(path)
        form = detect.format_named("model", name)
        everything = ReadOptions(parameters={"slope": 2.0}, learning=0)
        return form.read(source, None, ReadOptions()), form.read(source, small(), everything)

    return read


def _golden(name: str, suffix: str = "") -> tuple[bytes, ...]:
    """Return the inputs of a golden file of readers, those of files with a suffix."""
    cases = read_cases(READER_FILES / f"{name}.txt")
    return tuple(case.data for case in cases if case.data and case.title.split()[0].endswith(suffix))


def _archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("experiment.json", EXPERIMENT)
    return stream.getvalue()


def _cube() -> bytes:
    values = {"main": [1.0, 2.0], "main->f": [0.5, 0.0]}
    nodes = list(values)
    with tempfile.TemporaryDirectory() as folder:
        metrics = {"time": ("INCLUSIVE", "DOUBLE", values), "visits": ("EXCLUSIVE", "UINT64", {"main": [3.0, 4.0]})}
        return write_cube(Path(folder) / "profile.cubex", metrics, nodes=nodes).read_bytes()


def _results(path: Path) -> object:
    """Open a results folder with this manifest and this record of a task."""
    with tempfile.TemporaryDirectory(dir=path.parent) as name:
        folder, key = Path(name), "0" * 64
        (folder / "tasks").mkdir()
        for copy in (folder / "manifest.json", folder / "tasks" / f"{key}.json"):
            copy.write_bytes(path.read_bytes())
        with results_folder(folder, {"file": "study.toml"}, ["table.md", "logs/a.log"]) as opened:
            return opened.record(key)


def _lines(read: Callable[[str], object]) -> Callable[[Path], object]:
    """Return a reader of texts for a file of one text per line: the first error is raised after all are read."""

    def each(path: Path) -> None:
        errors = []
        for line in read_source(path).text().splitlines()[:MAX_LINES]:
            try:
                read(line)
            except SplcError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    return each


def _kind(path: Path) -> object:
    detect.xml_root_of_file(path)
    source = read_source(path)
    return detect.kind_of(source), detect.model_format(source), detect.experiment_format(source)


_NAMES = NameTable({name: name for name in ("cache", "left", "x", "y", "a b")})


def _output(path: Path) -> object:
    text = read_source(path).text()
    sources = ["time", "a=json:time.1", "b=csv:x", "c=regex:time: (.*)", "d=stderr:json:time"]
    return extract(parse_properties(sources, ()), Ended(0, stdout=text, stderr=text))


# One of each kind of file that splc tells apart.
_KINDS: tuple[str | bytes, ...] = (
    *(SYSTEM, CSV, XML, LOG, MODEL, MODEL_JSON, LINES, POINTS),
    DIMACS,
    *_golden("feature-model", ".uvl")[:4],
    *_golden("script")[:4],
)
READERS: dict[str, Reader] = {
    "system-xml": Reader(read_variability_model, (SYSTEM,), ("*ystem.xml", "*Model.xml"), ".xml"),
    "system-uvl": Reader(_format("system", "uvl"), _golden("feature-model", ".uvl"), ("*.uvl.gz",), ".uvl"),
    "system-featureide": Reader(_format("system", "featureide"), (FEATUREIDE,), (), ".xml"),
    "system-dimacs": Reader(_format("system", "dimacs"), (DIMACS,), ("*.dimacs.gz",), ".dimacs"),
    "system-configspace": Reader(_format("system", "configspace"), _golden("configspace"), (), ".json"),
    "measurements-csv": Reader(
        _measurements("csv", Policy()),
        (CSV, CSV.replace(",", ";"), "cache;left;x;1,5\n"),
        ("*.csv", "*.csv.gz"),
        ".csv",
    ),
    "measurements-csv-dropped": Reader(
        _measurements("csv", Policy("drop", "first", "median")), (CSV,), ("*.csv",), ".csv"
    ),
    "measurements-xml": Reader(_measurements("xml", Policy()), (XML,), ("measurements.xml",), ".xml"),
    "measurements-xml-dropped": Reader(_measurements("xml", Policy("drop", "mean", "min")), (XML,), (), ".xml"),
    "table": Reader(infer_system, (CSV, CSV.replace(",", ";")), ("*.csv", "*.csv.gz"), ".csv"),
    "tools": Reader(infer_system, _golden("tools")),
    "observed-csv": Reader(
        lambda path: read_observed([path], small()),
        ("cache,left,right,x,y,levels\n1,1,0,1,1,3\n", "cache,left,right,x,y,level,n\n0,0,0,1,1,1,3\n0,0,0,1,1,2,3\n"),
        (),
        ".csv",
    ),
    "configurations-csv": Reader(lambda path: read_configurations(path, small()), (CSV,), (), ".csv"),
    "inputs-csv": Reader(lambda path: read_inputs(path, small(), Policy()), (CSV,), (), ".csv"),
    "population-csv": Reader(lambda path: read_population(str(path), small()), (CSV,), (), ".csv"),
    "model-json": Reader(_model("json"), (MODEL_JSON,), ("*.json",), ".json"),
    "model-text": Reader(_model("txt"), (MODEL, SPECS), ("analytical*.txt",), ".txt"),
    "model-log": Reader(_model("log"), (LOG,), ("*.log",), ".log"),
    "term-list": Reader(lambda path: parse_term_list(read_source(path), small()), (TERMS,), ()),
    "parameters-lines": Reader(read_parameters, (PARAMETERS,), (), ".txt"),
    "parameters-toml": Reader(read_parameters, _golden("parameters", ".toml"), ("parameters*.toml",), ".toml"),
    "experiment-text": Reader(
        _format("experiment", "text"), (POINTS, *_golden("experiments-text")), ("*_parameter_*.txt",), ".txt"
    ),
    "experiment-json": Reader(_format("experiment", "json"), (EXPERIMENT, *_golden("experiments-json")), (), ".json"),
    "experiment-jsonl": Reader(
        _format("experiment", "jsonl"), (LINES, *_golden("experiments-jsonl")), ("*.jsonl",), ".jsonl"
    ),
    "experiment-extra-p": Reader(_format("experiment", "extra-p"), (_archive,), ("*.extra-p",), ".extra-p"),
    "experiment-csv": Reader(
        read_experiment,
        ("x,y,time,callpath\n1,2,1.5,f\n2,2,,g\n",),
        ("smg1d.csv",),
        ".csv",
    ),
    "experiment-cube": Reader(read_cube_profile, (_cube,), (), ".cubex"),
    "results": Reader(_results, (MANIFEST,), (), ".json"),
    "script-a": Reader(_format("script", "a"), _golden("script"), ("*.a",), ".a"),
    "study-toml": Reader(read_study, (STUDY,), ("study*.toml",), ".toml"),
    "settings": Reader(lambda path: settings_of(read_source(path)), ("abortError:1\nbagging true\n",)),
    "project-toml": Reader(read_project_file, _golden("project"), ("splc.toml",), ".toml"),
    "sampling": Reader(_lines(parse_spec), (SPECS,)),
    "template": Reader(_lines(lambda text: parse_template(text, small(), ("seed",))), (TEMPLATES,)),
    "properties": Reader(
        _lines(lambda text: parse_properties([text], ("x",))),
        ("w=regex:(a|b)[0-9]+\na=stderr:json:x.0\nb=csv:time\ntime\nc=cpu\n",),
    ),
    "output": Reader(_output, (OUTPUT,)),
    "journal": Reader(read_journal, (JOURNAL,), ("*.journal",), ".journal"),
    "kind": Reader(_kind, _KINDS),
    "constraint-boolean": Reader(_lines(lambda text: parse_boolean(text, _NAMES)), (CONSTRAINTS,)),
    "constraint-arithmetic": Reader(
        _lines(lambda text: parse_arithmetic(text, _NAMES, "mixed", "none", True)), (CONSTRAINTS,)
    ),
    "step": Reader(
        _lines(lambda text: step_values("x", 1.0, 100.0, text)), ("x * 2\nn + 1\nx ^ 1.5 + log10(x)\n-(x - 7) / 3\n",)
    ),
}
