"""Folders of CUBE profiles, and the parameters in their names."""

from __future__ import annotations

import builtins
import gzip
import struct
import tarfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.data.measurements import Experiment
from splc.errors import InputError, SpecError
from splc.formats.experiments.read import read_experiment
from tests.support.cube_files import write_archive, write_cube

pytest.importorskip("pycubexr", reason="the extra cube is not installed")

NODES = ("main", "main->solve", "main->solve->sweep", "main->solve->MPI_Send", "main->output")
# Seconds of two processes without the calls inside, and messages.
OWN = dict(zip(NODES, [(1.0, 3.0), (2.0, 2.0), (10.0, 30.0), (4.0, 6.0), (5.0, 5.0)], strict=True))
SENT = {"main->solve->MPI_Send": (7.0, 9.0)}


def inclusive(values: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the values with those of all calls inside, by brute force."""
    found = {}
    for node in NODES:
        inside = [own for path, own in values.items() if f"{path}->".startswith(f"{node}->")]
        found[node] = (sum(own[0] for own in inside), sum(own[1] for own in inside))
    return found


def write_run(path: Path, factor: float = 1.0, **options: Any) -> Path:
    """Write a profile with the times and messages above, times a factor."""
    own = {node: (factor * one, factor * two) for node, (one, two) in OWN.items()}
    metrics: dict[str, Any] = {
        "time": ("INCLUSIVE", "DOUBLE", inclusive(own)),
        "busy": ("EXCLUSIVE", "DOUBLE", own),
        "sent": ("EXCLUSIVE", "UINT64", SENT),
        "slowest": ("INCLUSIVE", "MAXDOUBLE", own),
    }
    return write_cube(path, metrics, nodes=NODES, **options)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder with profiles of p = 2, 4, each measured twice."""
    for p in (2, 4):
        for repetition in (1, 2):
            write_run(tmp_path / f"app.p{p}.r{repetition}" / "profile.cubex", p * (1 + 0.1 * repetition))
    return tmp_path


def values(experiment: Experiment, metric: str) -> dict[str, list[list[float]]]:
    """Return call path → values of a metric."""
    return {path: table.tolist() for (path, own), table in experiment.series.items() if own == metric}


@pytest.mark.parametrize("compressed", [False, True])
def test_means_of_exclusive_values(tmp_path: Path, compressed: bool) -> None:
    """With weak scaling, values are means over processes, without those of calls inside."""
    path = write_run(tmp_path / "app.p8.n64.r1" / "profile.cubex", compressed=compressed)
    kept = read_experiment(path)
    assert (kept.parameters, kept.points.tolist()) == (("p", "n"), [[8, 64]])
    expected = {node: [[sum(OWN[node]) / 2]] for node in NODES}
    assert values(kept, "time") == expected
    assert values(kept, "busy") == expected
    assert values(kept, "sent") == {"main->solve->MPI_Send": [[8]]}
    assert values(kept, "slowest") == {node: [[max(OWN[node])]] for node in NODES}


def test_sums_of_inclusive_values(tmp_path: Path) -> None:
    """With strong scaling, values are sums over processes; on request those of calls inside are included."""
    path = write_run(tmp_path / "p8" / "profile.cubex")
    kept = read_experiment(path, scaling="strong", inclusive=True)
    expected = {node: [[sum(own)]] for node, own in inclusive(OWN).items()}
    assert values(kept, "time") == expected
    assert values(kept, "busy") == expected
    assert set(values(kept, "sent")) == {"main", "main->solve", "main->solve->MPI_Send"}


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
    anchor = b"""<?xml version="1.0" encoding="UTF-8"?><cube version="4.7">
      <metrics><metric id="4" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype>
        <uom>sec</uom><metric id="2" type="EXCLUSIVE"><uniq_name>visits</uniq_name>
        <dtype>UINT64</dtype><uom>occ</uom></metric></metric>
        <metric id="3" type="EXCLUSIVE"><uniq_name>least</uniq_name><dtype>MINDOUBLE</dtype></metric>
      </metrics>
      <program><region id="5" mod="" begin="1" end="9"><name>c</name></region>
        <region id="6" mod="" begin="1" end="9"><name>b</name></region>
        <region id="7" mod="" begin="1" end="9"><name>a</name></region>
        <region id="8" mod="" begin="1" end="9"><name>main</name></region>
        <cnode id="3" calleeId="8"><cnode id="9" calleeId="7"><cnode id="1" calleeId="5"/></cnode>
        <cnode id="0" calleeId="6"/></cnode></program>
      <system><systemtreenode Id="0"><name>m</name><systemtreenode Id="1"><name>n</name>
        <locationgroup Id="0"><name>0</name><rank>0</rank><type>process</type>
          <location Id="0"><name>t</name><rank>0</rank><type>thread</type></location>
          <location Id="1"><name>t</name><rank>1</rank><type>thread</type></location></locationgroup>
        <locationgroup Id="1"><name>1</name><rank>1</rank><type>process</type>
          <location Id="2"><name>t</name><rank>0</rank><type>thread</type></location>
          <location Id="3"><name>t</name><rank>1</rank><type>thread</type></location></locationgroup>
      </systemtreenode></systemtreenode></system></cube>"""

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
        "anchor.xml": gzip.compress(anchor),
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


def test_repetitions_and_points(runs: Path) -> None:
    """Profiles of the same point are repetitions."""
    kept = read_experiment(runs)
    assert (kept.parameters, kept.points.tolist()) == (("p",), [[2], [4]])
    np.testing.assert_allclose(kept["main->output", "time"], [[11, 12], [22, 24]])
    assert "4 profiles; values are the means" in kept.report.notes[0]


@pytest.mark.parametrize("content", [b"", b"PARAMETER p", None])
def test_damaged_profiles(runs: Path, content: bytes | None) -> None:
    """Damaged files are reported together, each with its name."""
    for name in ("app.p2.r1", "app.p4.r2"):
        file = runs / name / "profile.cubex"
        kept = file.read_bytes()
        file.write_bytes(kept[: kept.rindex(b"CUBEX.DATA") + 12] if content is None else content)
    with pytest.raises(InputError, match="the CUBE profile is damaged, or has no values") as caught:
        read_experiment(runs)
    assert [Path(str(each.file)).parent.name for each in caught.value.problems] == ["app.p2.r1", "app.p4.r2"]


@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("anchor.xml", b"", None),
        ("anchor.xml", b"<?xml", b"hello"),
        ("anchor.xml", b"</cube>", b""),
        ("anchor.xml", b"<program>", b"<other>"),
        ("anchor.xml", b'calleeId="2"', b'calleeId="77"'),
        ("0.data", b"", None),
        ("1.data", b"CUBEX.DATA", b"OTHER.DATA"),
        ("0.index", b"CUBEX.INDEX", b"OTHER.INDEX"),
        ("0.data", b"CUBEX.DATA", b"CUBEX.DATA1"),
        ("", b"", None),
    ],
)
def test_damaged_members(tmp_path: Path, member: str, old: bytes, new: bytes | None) -> None:
    """An archive with a damaged member, or without one that it needs, is refused."""
    path = write_run(tmp_path / "p2" / "profile.cubex")
    with tarfile.open(path) as archive:
        members = {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]
    if new is None:
        members = {name: content for name, content in members.items() if member and name != member}
    else:
        members[member] = members[member].replace(old, new)
    write_archive(path, members)
    with pytest.raises(InputError, match="the CUBE profile is damaged, or has no values"):
        read_experiment(path)


def test_calls_from_two_places(runs: Path) -> None:
    """A function that is called from two places of another one has the sum of both."""
    for p in (2, 4):
        # Spaces make distinct nodes here, and are not in the names of regions.
        called = {"main->f": (1.0,), "main->f ": (float(p),)}
        nodes = ("main", *called)
        write_cube(runs / "twice" / f"p{p}" / "x.cubex", {"time": ("EXCLUSIVE", "DOUBLE", called)}, nodes=nodes)
    assert values(read_experiment(runs / "twice"), "time") == {"main->f": [[3], [5]]}


def test_absent_values_and_unknown_types(runs: Path) -> None:
    """Metrics without values or of types that are no numbers are left out, with a note."""
    for p in (2, 4):
        metrics: dict[str, Any] = {"time": ("EXCLUSIVE", "DOUBLE", {"main": (1.0,)})}
        metrics["shape"] = ("EXCLUSIVE", "HISTOGRAM(3)", {"main": (1.0,)})
        write_cube(runs / "types" / f"p{p}" / "profile.cubex", metrics, nodes=NODES)
    kept = read_experiment(runs / "types")
    assert kept.metrics == ("time",)
    assert any("1 metric is not read: shape (values of the type HISTOGRAM(3))" in note for note in kept.report.notes)


def test_metrics_of_some_profiles(runs: Path) -> None:
    """A metric that only some of the profiles have is noted, also if another repetition has it."""
    other: dict[str, Any] = {"time": ("EXCLUSIVE", "DOUBLE", {"main": (1.0,)}), "absent": ("EXCLUSIVE", "RATE", {})}
    write_cube(runs / "app.p2.r1" / "profile.cubex", other, nodes=NODES)
    write_cube(runs / "app.p2.r2" / "profile.cubex", {"absent": other["absent"], "time": other["time"]}, nodes=NODES)
    assert "1 metric has no values in some profiles: absent in 2 of 4" in read_experiment(runs).report.notes


def test_without_the_library(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pycubexr the message names the extra."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("pycubexr"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(SpecError, match=r"pip install 'splc\[cube\]'"):
        read_experiment(runs)


def test_wrong_requests(runs: Path) -> None:
    """Unknown scalings, and options of CSV files are errors."""
    with pytest.raises(SpecError, match="unknown scaling 'stron'"):
        read_experiment(runs, scaling="stron")
    with pytest.raises(SpecError, match="names its parameters itself"):
        read_experiment(runs, ["p"])


def test_numbers_of_jobs_in_names_of_profiles(tmp_path: Path) -> None:
    """A folder of profiles with a number in their names has the parameters of the folders only."""
    for number, (x, y) in enumerate([("20,5", "2"), ("40,5", "2"), ("40,5", "4")], start=17):
        write_run(tmp_path / f"x{x}.y{y}.r1" / f"job{number}.cubex")
    kept = read_experiment(tmp_path)
    assert (kept.parameters, kept.points.tolist()) == (("x", "y"), [[20.5, 2], [40.5, 2], [40.5, 4]])


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
