"""Experiments in all formats: real files, what a file is, and round trips."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splc.data.measurements import Experiment, Key
from splc.errors import InputError
from splc.formats.detect import ExperimentFormat, experiment_format
from splc.formats.experiments import extrap
from splc.formats.experiments.extrap import experiment_jsonl, experiment_text
from splc.formats.experiments.read import named_points, read_experiment
from splc.io.files import Source, write_whole
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.real_data import DATA
from tests.support.refusal import check_read_or_refused

FOLDER = DATA / "extrap_formats"
WRITERS = (experiment_text, experiment_jsonl)
Plain = dict[Key, dict[tuple[float, ...], list[float]]]


def plainly(path: Path) -> Plain:
    """Return key → point → repetitions, by an independent reading."""
    found: Plain = defaultdict(lambda: defaultdict(list))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        for line in filter(str.strip, text.splitlines()):
            entry = json.loads(line)
            key = (entry.get("callpath", "<root>"), entry.get("metric", "<default>"))
            values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
            found[key][tuple(map(float, entry["params"].values()))] += values
        return found
    width = len(" ".join(re.findall(r"^PARAMETER(.*)$", text, re.MULTILINE)).split())
    flat = [float(x) for x in re.findall(r"[\d.]+", " ".join(re.findall(r"^POINTS(.*)$", text, re.MULTILINE)))]
    points = [tuple(flat[at : at + width]) for at in range(0, len(flat), width)]
    region, metric, at = "", "<default>", 0
    for keyword, rest in re.findall(r"^(REGION|METRIC|DATA)\s+(.*)$", text, re.MULTILINE):
        region = rest.strip() if keyword == "REGION" else region
        metric = rest.strip() if keyword == "METRIC" else metric
        if keyword == "DATA":
            found[region, metric][points[at]] += map(float, rest.split())
        at = at + 1 if keyword == "DATA" else 0
    return found


def of(experiment: Experiment) -> Plain:
    """Return key → point → repetitions of an experiment."""
    return {
        key: {
            tuple(point): own[~np.isnan(own)].tolist()
            for point, own in zip(experiment.points.tolist(), values, strict=True)
            if not np.isnan(own).all()
        }
        for key, values in experiment.series.items()
    }


def read_lines(*arguments: Any) -> str:
    """Return the experiment of a file as JSON lines."""
    return experiment_jsonl(read_experiment(*arguments))


@pytest.mark.real_data
def test_real_files() -> None:
    """Every value of all 39 files is that of an independent reading, also after it was written in both formats."""
    files = [*FOLDER.glob("*/*.*")]
    assert len(files) == 39
    for path in files:
        kept = read_experiment(path)
        assert kept.report.notes == ()
        assert experiment_format(Source("x", path.read_bytes())) == {".txt": "text"}.get(path.suffix, "jsonl")
        for again in (kept, *(read_experiment(Source("x", write(kept).encode())) for write in WRITERS)):
            assert of(again) == plainly(path)


TEXT = "PARAMETER p\nPOINTS 4 8\nREGION main\nDATA 1\nDATA 2\n"
LINES = '{"params": {"p": 4}, "value": 1}\n{"params": {"p": 8}, "value": 2}\n'
NEW = '{"parameters": ["p"],\n "measurements": {"main": {"time": [{"point": [4], "values": [1]}]}}}'
TABLE = "p,callpath,time\n4,main,1\n8,main,2\n"


@pytest.mark.parametrize("text", [TEXT, LINES, NEW, TABLE])
def test_compressed_and_from_standard_input(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every format is read from a file, compressed, with Windows' line ends, and from standard input, all the same."""
    (tmp_path / "e").write_text(text, encoding="utf-8")
    kept = read_experiment(tmp_path / "e")
    assert kept.report.sha256 == Source("e", text.encode()).sha256
    (tmp_path / "e.gz").write_bytes(gzip.compress(("\ufeff" + text.replace("\n", "\r\n")).encode()))
    assert read_lines(tmp_path / "e.gz") == experiment_jsonl(kept)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_lines("-") == experiment_jsonl(kept)


finite = st.floats(allow_nan=False, allow_infinity=False)
line_names = st.text(min_size=1, max_size=9).map(str.strip).filter(lambda name: name and not set(name) & set("\r\n\0"))
plain_names = st.from_regex(r"[^\s#\x00][^\s\x00]{0,4}", fullmatch=True)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    """Draw a small experiment; every series has a value somewhere."""
    parameters = draw(st.lists(plain_names, min_size=1, max_size=3, unique=True))
    point = st.tuples(*(finite for _ in parameters))
    points = draw(st.lists(point.map(lambda p: tuple(x + 0.0 for x in p)), min_size=1, max_size=4, unique=True))
    keys = draw(st.lists(st.tuples(line_names, line_names), min_size=1, max_size=3, unique=True))
    series: dict[Key, np.ndarray] = {}
    for key in keys:
        rows = draw(st.lists(st.lists(finite, max_size=3), min_size=len(points), max_size=len(points)))
        rows[0] = rows[0] or [draw(finite)]
        width = max(map(len, rows))
        series[key] = np.array([row + [np.nan] * (width - len(row)) for row in rows])
    return Experiment(tuple(parameters), np.array(points), series)


@given(experiment=experiments())
def test_round_trips(experiment: Experiment, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An experiment written as text or as JSON lines reads back as the same experiment."""
    folder = tmp_path_factory.mktemp("e")
    for name, text in {"e.txt": experiment_text(experiment), "e.jsonl": experiment_jsonl(experiment)}.items():
        write_whole(folder / name, text)
        assert read_lines(folder / name) == experiment_jsonl(experiment)


POINTS = [{"coordinates": [20.0, 1.0], "mean": 2.5, "values": None}, {"coordinates": [40.0, 1.0], "values": [3.0, 4.0]}]
CONTENT: dict[str, Any] = {
    "parameters": ["x", "y"],
    "measurements": {"merge": {"time": POINTS}},
    "modelers": [{"name": "m", "models": {}}],
}


def archive(content: Any, member: str = "experiment.json") -> Source:
    """Return an archive with one member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(member, content if isinstance(content, bytes) else json.dumps(content))
    return Source("run.extra-p", stream.getvalue())


def text(points: Any, series: dict[Key, Any], *parameters: str) -> Lines:
    """Return an experiment in Extra-P's text format."""
    return Lines(experiment_text(Experiment(parameters or ("p",), np.array(points), series)))


def lines(points: Any, series: dict[Key, Any]) -> Lines:
    """Return an experiment as JSON lines."""
    return Lines(experiment_jsonl(Experiment(("p",), np.array(points), series)))


def unpacked(source: Source) -> tuple[object, ...]:
    """Return the experiment of an archive, whose report is about the archive."""
    found = read_experiment(source)
    assert (found.report.source, found.report.sha256) == (source.name, source.sha256)
    series = {key: values.tolist() for key, values in found.series.items()}
    return found.parameters, found.points.tolist(), series, found.report.notes


def test_calls() -> None:
    """Experiments are written, and those of archives are read, as the golden file has it."""
    broken = Source("e", archive(CONTENT).data[:60])
    renamed = Source("e", archive(CONTENT).data.replace(b"experiment", b"e\xffperiment"))
    names = {"CONTENT": CONTENT, "broken": broken, "renamed": renamed}
    check_calls("experiments-of-extra-p", text, lines, unpacked, archive, **names)


def test_size_of_the_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment that decompresses to more than the limit is an error."""
    monkeypatch.setattr(extrap, "MAX_UNPACKED", 100)
    with pytest.raises(InputError, match="decompresses to more than 100 bytes"):
        read_experiment(archive(CONTENT))


def read_or_refused(content: bytes) -> None:
    """Read a file in every format; only errors of this project are raised, and their text can be shown."""
    source = Source("e", content)
    for kind in (None, *get_args(ExperimentFormat)):
        try:
            kept = read_experiment(source, kind=kind)
        except InputError as error:
            said = str(error)
        else:
            said = "".join((*kept.parameters, *kept.callpaths, *kept.metrics, *kept.report.notes))
        assert said.encode()


WORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA", "p", "value", "metric", "callpath", "null", "NaN", "-0")
TEXTS = ('"', '"params"', '"parameters"', '"value"', '"measurements"', '"point"', "1e999", "9" * 400, "\\u", "\\ud800")
TOKENS = st.sampled_from([*"()#\n\r \t{}[]:,;\0ä\u2028\x0c", *WORDS, *TEXTS])


@examples(40)
@given(
    content=st.one_of(st.binary(max_size=200), st.lists(TOKENS, max_size=30).map(lambda parts: "".join(parts).encode()))
)
@example(b"[" * 100_000)
@example(b'{"a":' * 50_000)
@example(b"PARAMETER p\nPOINTS " + b"(" * 50_000)
@example(b"PARAMETER p\nPOINTS " + b"(1" * 5_000)
@example(b'{"' + b"\\" * 50_000)
@example(b'{"";' + b'"' * 50_001)
@example(b"," * 50_000)
@example(b"rep," * 20_000 + b"p,t\n1")
@example(b"PARAMETER p\n" * 1_000)
@example(b"," * 50_000 + b"\n1")
@example(b"a " * 50_000)
@example(b"x\n" * 2_000)
@example(b"p;t\n" + b'1;"' * 10_000)
@example(b"DATA " + b"1 " * 50_000)
@example(b"#\n" * 5_000)
def test_random_files(content: bytes) -> None:
    """Any content is read or an error of this project, fast."""
    read_or_refused(content)


@given(names=st.lists(st.text("p=8.r1,/_-xä٣", max_size=40), min_size=1, max_size=4), by_folder=st.booleans())
def test_any_names(names: list[str], by_folder: bool) -> None:
    """Any names of files give points or an error of this project."""
    check_read_or_refused(lambda: len(named_points(names, "f", by_folder=by_folder)[1]) == len(names), InputError)
