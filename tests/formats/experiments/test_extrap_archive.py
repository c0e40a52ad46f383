"""Experiments of Extra-P 4: ZIP archives with an `experiment.json`."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial
from typing import Any

import numpy as np
import pytest

from splc.errors import InputError
from splc.formats.experiments import extrap
from splc.formats.experiments.read import parse_experiment
from splc.io.files import Source
from tests.support.refusal import check_read_or_refused

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


def test_the_experiment_of_an_archive() -> None:
    """The format is detected; the report is about the archive, and models in it are ignored."""
    source = archive(CONTENT)
    found = parse_experiment(source)
    assert (found.parameters, found.points.tolist()) == (("x", "y"), [[20, 1], [40, 1]])
    np.testing.assert_array_equal(found["merge", "time"], [[2.5, np.nan], [3.0, 4.0]])
    assert (found.report.source, found.report.sha256) == ("run.extra-p", source.sha256)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (archive(CONTENT, "other.json"), "run.extra-p: this is an archive without an experiment\n.*experiment.json"),
        (archive(b" " * 100), "run.extra-p: experiment.json is empty"),
        (archive(b"{"), "run.extra-p:experiment.json:1:2: not JSON"),
        (archive({**CONTENT, "parameters": ["x"]}), "run.extra-p:experiment.json: .*point has 2 coordinates"),
        (Source("e", archive(CONTENT).data[:60]), "e: the archive cannot be read"),
        (Source("e", archive(CONTENT).data.replace(b"experiment", b"e\xffperiment")), "e: "),
    ],
)
def test_damaged_archives(source: Source, expected: str) -> None:
    """Archives that are damaged, or have no experiment or a wrong one, are errors that name the member."""
    with pytest.raises(InputError, match=expected):
        parse_experiment(source)


def test_size_of_the_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment that decompresses to more than the limit is an error."""
    monkeypatch.setattr(extrap, "MAX_UNPACKED", 100)
    with pytest.raises(InputError, match="decompresses to more than 100 bytes"):
        parse_experiment(archive(CONTENT))


def test_every_damaged_byte_is_handled() -> None:
    """An archive with any byte changed is read or refused, without another exception."""
    data = archive(CONTENT).data
    for at in range(0, len(data), 3):
        changed = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        check_read_or_refused(partial(parse_experiment, Source("e", changed), kind="extra-p"), InputError)
