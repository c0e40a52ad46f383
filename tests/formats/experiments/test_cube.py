"""Folders of CUBE profiles, and the parameters in their names."""

from __future__ import annotations

import builtins
import gzip
import shutil
import struct
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from splc.data.measurements import Experiment
from splc.errors import SpecError
from splc.formats.experiments.read import read_experiment
from tests.support.cube_files import write_archive, write_cube
from tests.support.golden_messages import Lines, check_calls
from tests.support.golden_readers import experiment_lines

pytest.importorskip("pycubexr", reason="the extra cube is not installed")

ANCHOR = Path(__file__).parent / "data" / "anchor.xml"
NODES = ("main", "main->solve", "main->solve->sweep", "main->solve->MPI_Send", "main->output")
# Seconds of two processes without the calls inside, and messages.
OWN = dict(zip(NODES, [(1.0, 3.0), (2.0, 2.0), (10.0, 30.0), (4.0, 6.0), (5.0, 5.0)], strict=True))
SENT = {"main->solve->MPI_Send": (7.0, 9.0)}
Metrics = Mapping[str, tuple[str, str, Any]]


def inclusive(values: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the values with those of all calls inside, by brute force."""
    found = {}
    for node in NODES:
        inside = [own for path, own in values.items() if f"{path}->".startswith(f"{node}->")]
        found[node] = (sum(own[0] for own in inside), sum(own[1] for own in inside))
    return found


def run(factor: float = 1.0) -> Metrics:
    """Return the metrics of a run with the times and messages above, times a factor."""
    own = {node: (factor * one, factor * two) for node, (one, two) in OWN.items()}
    return {
        "time": ("INCLUSIVE", "DOUBLE", inclusive(own)),
        "busy": ("EXCLUSIVE", "DOUBLE", own),
        "sent": ("EXCLUSIVE", "UINT64", SENT),
        "slowest": ("INCLUSIVE", "MAXDOUBLE", own),
    }


def own(kind: str = "DOUBLE", **values: float) -> tuple[str, str, dict[str, tuple[float]]]:
    """Return a metric of one process with values of some nodes, `f` for `main->f`."""
    paths = {name: "main" if name == "main" else f"main->{name.replace('_', ' ')}" for name in values}
    return "EXCLUSIVE", kind, {paths[name]: (value,) for name, value in values.items()}


def read(
    runs: dict[str, Metrics], *parameters: str, compressed: bool = False, nodes: Sequence[str] = NODES, **options: Any
) -> Lines:
    """Return the experiment of a folder of runs, in an empty current folder."""
    shutil.rmtree("runs", ignore_errors=True)
    for name, metrics in runs.items():
        write_cube(Path("runs", name, "profile.cubex"), metrics, nodes=nodes, compressed=compressed)
    return Lines("\n".join(experiment_lines(read_experiment("runs", parameters or None, **options))))


def damaged(member: str, old: bytes, new: bytes | None) -> Lines:
    """Read a run of whose archive a member is changed; None: it is left out, all are if no member is named."""
    path = write_cube(Path("p2", "profile.cubex"), run(), nodes=NODES)
    with tarfile.open(path) as archive:
        members = {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]
    if new is None:
        members = {name: content for name, content in members.items() if member and name != member}
    else:
        members[member] = members[member].replace(old, new)
    write_archive(path, members)
    return Lines("\n".join(experiment_lines(read_experiment(path))))


def cut(*lengths: int | None) -> Lines:
    """Read two runs, whose files are cut to some lengths."""
    read({"p2": run(), "p4": run(2)})
    for name, length in zip(("p2", "p4"), lengths, strict=True):
        file = Path("runs", name, "profile.cubex")
        file.write_bytes(file.read_bytes()[:length])
    return Lines("\n".join(experiment_lines(read_experiment("runs"))))


def test_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of profiles are read as the golden file has it."""
    monkeypatch.chdir(tmp_path)
    check_calls("cube-profiles", read, damaged, cut, run, own)


def values(experiment: Experiment, metric: str) -> dict[str, list[list[float]]]:
    """Return call path → values of a metric."""
    return {path: table.tolist() for (path, own), table in experiment.series.items() if own == metric}


@pytest.mark.parametrize(
    ("scaling", "seconds", "visits"),
    [
        ("weak", {"main": [1.5, 0.25], "a": [0.5, 1.75], "c": [1.25, 0], "b": [0, 1.25]}, {"c": 2, "main": 1, "b": 0}),
        ("weak_threaded", {"main": [3, 0.5], "a": [2, 3.5], "c": [2.5, 0], "b": [0, 2.5]}, {"c": 4, "main": 1, "b": 0}),
        ("strong", {"main": [6, 1], "a": [2, 7], "c": [5, 0], "b": [0, 5]}, {"c": 8, "main": 4, "b": 0}),
    ],
)
@pytest.mark.parametrize("order", ["<", ">"])
def test_a_file_written_by_hand(
    tmp_path: Path, scaling: str, seconds: dict[str, list[float]], visits: dict[str, float], order: str
) -> None:
    """Threads, byte orders, values in pieces, and ids that are not in the order of calls; a row that is absent is 0.

    Seconds of the four threads, with the calls inside: main 7 0 6 0, a in it 3 0 4 0, and in a, c 1 0 4 0. At p = 2
    these are those of b.
    """

    def index(*rows: int) -> bytes:
        return (
            b"CUBEX.INDEX"
            + struct.pack(f"{order}ih", 1, 0)
            + b"\1"
            + struct.pack(f"{order}{len(rows) + 1}i", len(rows), *rows)
        )

    # Inclusive rows: main 0, a 1, b 2, c 3; exclusive rows: main 0, a 1, c 2, b 3.
    pieces = [zlib.compress(struct.pack(f"{order}4d", *own)) for own in ((7, 0, 6, 0), (3, 0, 4, 0), (1, 0, 4, 0))]
    table: list[int] = []
    for at, piece in enumerate(pieces):
        table += [32 * at, sum(map(len, pieces[:at])), len(piece)]
    members = {
        "4.index": index(0, 1, 3),
        "4.data": b"ZCUBEX.DATA" + struct.pack(f"{order}13q", 4, *table, 96, 0, 0) + b"".join(pieces),
        "2.index": index(2, 0),
        "2.data": b"CUBEX.DATA" + struct.pack(f"{order}8Q", 5, 0, 3, 0, 1, 1, 1, 1),
        "3.index": index(0, 3),
        "3.data": b"CUBEX.DATA" + struct.pack(f"{order}8d", 2, 1, 3, *[1.7976931348623157e308] * 5),
        "anchor.xml": gzip.compress(ANCHOR.read_bytes()),
    }
    runs = {"p1": members, "p2": {**members, "4.index": index(0, 1, 2), "2.index": index(2, 3)}}
    for name, own in runs.items():
        write_archive(tmp_path / name / "profile.cubex", own)
    kept = read_experiment(tmp_path, scaling=scaling)
    paths = {"main": "main", "a": "main->a", "c": "main->a->c", "b": "main->b"}
    assert values(kept, "time") == {paths[name]: [[one], [two]] for name, (one, two) in seconds.items()}
    assert {path: rows[0] for path, rows in values(kept, "visits").items()} == {
        paths[name]: [number] for name, number in visits.items()
    }
    assert values(kept, "least") == {"main": [[1], [1]]}


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pycubexr the message names the extra."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("pycubexr"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(SpecError, match=r"pip install 'splc\[cube\]'"):
        read_experiment(write_cube(tmp_path / "p2" / "profile.cubex", run(), nodes=NODES))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize(("share", "kept"), [(0.0, 0.0), (2e-16, 0.0), (-2e-16, 0.0), (1e-11, 1e-11), (0.5, 0.5)])
def test_rounding_of_exclusive_values(tmp_path: Path, size: float, share: float, kept: float) -> None:
    """An inclusive value without the calls inside is 0 if the rest is as small as rounding errors."""
    inside = {"a": (size * (1 + share),), "a->b": (size * 0.25,), "a->c": (size * 0.75,)}
    for p in (2, 4):
        write_cube(tmp_path / f"p{p}.r1" / "profile.cubex", {"time": ("INCLUSIVE", "DOUBLE", inside)}, nodes=[*inside])
    found = values(read_experiment(tmp_path), "time")
    assert found["a"] == [[pytest.approx(kept * size, rel=1e-4, abs=0)]] * 2
    assert (found["a->b"], found["a->c"]) == ([[0.25 * size]] * 2, [[0.75 * size]] * 2)
