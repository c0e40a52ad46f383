"""`splc learn`: case studies, plots, baselines, and tables of several versions."""

from __future__ import annotations

import importlib.util
import itertools
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from lxml import etree

from splc.workflows.learn import learn as learning
from tests.cli.conftest import Run
from tests.support.paths import SMG2000
from tests.support.shared_systems import SYSTEMS, VERSIONS, small_table

Refused = Callable[..., str]


@pytest.mark.parametrize("learner", [("--learner", "stepwise"), pytest.param((), marks=pytest.mark.slow)])
@pytest.mark.parametrize("dimension", ["1d", "2d", "3d"])
@pytest.mark.parametrize("sampling", ["ff", "pb:9,3", "pb:25,5", "pb:125,5", "pb:49,7", "cci", "random:50,seed=5"])
def test_the_case_study(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimension: str, sampling: str, learner: tuple[str, ...]
) -> None:
    """Every sampling of the thesis works in the case study's folder as written there."""
    monkeypatch.chdir(SMG2000 / dimension)
    if dimension == "1d" and sampling.startswith("random"):
        sampling = "random:20,seed=5"
    result = run("learn", "--sampling", sampling, *learner, "-o", str(tmp_path / "learned.log"))
    assert result.exit_code == 0, result.stderr
    assert "model of solve_compute_seconds" in result.stdout
    assert (tmp_path / "learned.log").exists()


def test_without_matplotlib(run: Run, refused: Refused, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib PNG is refused before anything is written, and SVG is written."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    message = refused("learn", "--plot", "a.png")
    assert "pip install 'splc[plot]'" in message
    assert ".svg" in message
    assert not (models / "learned.log").exists()
    assert run("learn", "--plot", "a.svg").exit_code == 0
    assert (models / "a.svg").exists()


@pytest.mark.parametrize(
    ("given", "title", "keys"),
    [
        (("--sampling", "random:6"), " outside of the learning set:", ("error", "error_median", "error_p95")),
        (("--folds", "3"), ", cross-validated with 3 folds:", ("mean", "median", "p95")),
    ],
)
def test_baselines(
    run: Run, models: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], title: str, keys: tuple[str, ...]
) -> None:
    """Each baseline has a line with the errors that are in JSON: those elsewhere where there are some, or of folds."""
    monkeypatch.setattr(learning, "BASELINES", ("tree", "knn"))
    command = ("learn", "--learner", "stepwise", "--baselines", *given)
    lines = run(*command).stdout.splitlines()
    start = lines.index(f"Relative errors of learners{title}")
    found = json.loads(run(*command, "--json").stdout)
    for line, each in zip(lines[start + 3 :], found["baselines"], strict=True):
        errors = each if each["cross_validated"] is None else each["cross_validated"]
        assert line.split()[0] == each["learner"]
        assert line.split()[1:6:2] == [f"{errors[key]:.4g}" for key in keys]
    assert lines[start + 2].split()[0] == "stepwise"


HEADER = "version,a,b,n,gpu,time"
GRID = list(itertools.product((0, 1), (0, 1), (1, 4)))


def row(version: str, a: int, b: int, n: int, gpu: int, time: float | None = None) -> str:
    """Return a line of the table; b takes twice as long in version v2."""
    factor = 1 + 0.01 * ((7 * a + 5 * b + 3 * n + 2 * gpu) % 3 - 1)
    known = (10 + 5 * a + 3 * n + (8 if version == "v2" else 4) * b - 6 * gpu) * factor
    return f"{version},{a},{b},{n},{gpu},{known if time is None else time!r}"


FIRST = [row("v1", a, b, n, 0) for a, b, n in GRID]
SECOND = [row("v2", a, b, n, gpu) for a, b, n in GRID for gpu in (0, 1)]
TABLES = {
    "a new option": (*FIRST, *SECOND),
    "a removed option": (*[line.replace("v2", "v0") for line in SECOND], *FIRST),
    "a version with one row": (*FIRST, *SECOND, row("v22", 1, 1, 4, 1, 20.0)),
    "versions with one row each": tuple(row(f"v{at}", 1, 0, at, 1) for at in range(1, 5)),
    "two rows per version": tuple(row(f"v{v}", a, 0, 1, 0) for v in (1, 2) for a in (0, 1)),
    "options that go together": (*FIRST, *[row("v2", a, a, n, 0) for a, _, n in GRID]),
    "one value": tuple(SECOND),
    "a constant property": tuple(row(v, a, b, n, 0, 3.0) for v in ("v1", "v2") for a, b, n in GRID),
    "a version that is always 0": (*FIRST, *[row("v2", a, b, n, 0, 0.0) for a, b, n in GRID]),
    "negative values": tuple(row(v, a, b, n, 0, n - 3.0 * b - 2) for v in ("v1", "v2") for a, b, n in GRID),
    "equal rows": tuple(row(v, 1, 1, 4, 1, time) for v in ("v1", "v2") for time in (1.0, 2.0, 3.0)),
    "no common configuration": tuple(row(f"v{1 + (a + b) % 2}", a, b, n, 0) for a, b, n in GRID),
    "an option that is always selected": (*FIRST, *[row("v2", a, b, n, 1) for a, b, n in GRID]),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", ["projection", pytest.param("stepwise", marks=pytest.mark.slow)])
def test_odd_tables(name: str, learner: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table has an answer or a message about bad input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("\n".join([HEADER, *TABLES[name]]) + "\n")
    done = run("learn", "--learner", learner, "--measurements", "m.csv", "--by", "version", "--plot", "p.svg")
    assert done.exit_code in {0, 1, 2}
    legends = [line for line in done.stdout.splitlines() if line.startswith(("common: ", "ratio: "))]
    headers = [line for line in done.stdout.splitlines() if line.startswith("change ")]
    for legend in legends:
        assert {part.split(":")[0] for part in legend.split("; ")} <= set(headers[-1].split())


LEARN = ("learn", "--measurements", "versions.csv", "--property", "time", "--by", "version", "--learner", "stepwise")


def content(factors: Mapping[str, float]) -> str:
    """Return measurements of versions in which the influence of the option a has these factors, with 1 % noise."""
    rng = random.Random(3)
    lines = ["version,a,b,n,time,x"]
    for version, factor in factors.items():
        for at in range(32):
            a, b, n = at % 2, at // 2 % 2, 1 + at // 4
            time = (10 + factor * 8 * a + 5 * b + 3 * n) * rng.gauss(1, 0.01)
            lines.append(f"{version},{a},{b},{n},{time:.6f},1")
    return "\n".join(lines) + "\n"


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of three versions, of which the last one changed an influence, in the current folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "versions.csv"
    file.write_text(content({"v9": 1, "v10": 1, "v11": 2}))
    return file


def drawn(file: Path) -> tuple[list[str], str]:
    """Return the titles of the panels, and the title, of a picture."""
    root = etree.parse(file).getroot()
    heads = [text.text or "" for text in root.iter("{*}text") if text.get("class") == "head"]
    return heads[1:], root.findtext("{*}title") or ""


def test_the_changes(versions: Path, run: Run) -> None:
    """The plot has the changes that the tables have, and each version has its own plot of predictions."""
    done = run(*LEARN, "--plot", "p.svg", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["plot"] == "p.svg"
    assert sorted(file.name for file in versions.parent.glob("*.svg")) == [
        "p-v10.svg",
        "p-v11.svg",
        "p-v9.svg",
        "p.svg",
    ]
    changes = [{term["text"] for each in change["sets"] for term in each["terms"]} for change in found["changes"]]
    panels, title = drawn(versions.parent / "p.svg")
    assert set(panels) >= set.union(*changes)
    settled = [
        {term["text"] for each in change["sets"] for term in each["terms"] if term["intervals"] > 2}
        for change in found["changes"]
    ]
    assert settled == [set(), {"a"}]
    assert f"1 of {len(panels)} influences changed" in title
    # What changed is first.
    assert panels[0] == "a"


def test_no_change(versions: Path, run: Run) -> None:
    """Without a change nothing is marked."""
    versions.write_text(content({"v1": 1, "v2": 1}))
    done = run(*LEARN, "--plot", "p.svg")
    assert "plot of the changes: p.svg\n" in done.stdout
    assert "no influence changed" in drawn(versions.parent / "p.svg")[1]


KINDS = {
    "default": (),
    "readable": ("--readable",),
    "product": ("--form", "product"),
    "splconqueror": ("--preset", "splconqueror"),
}
CASES = list(itertools.product(SYSTEMS, (True, False), KINDS, (True, False)))
REST = len(CASES) // len(SYSTEMS)


def chosen(at: int) -> bool:
    """Return whether a case belongs to the usual run: every fifth system with one of the rest, in turn."""
    system, rest = divmod(at, REST)
    return system % 5 == 1 and rest == system - 1


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "described", "kind", "versions"),
    [
        pytest.param(
            *case,
            id=f"{case[0]}-{'description' if case[1] else 'table'}-{case[2]}{'-by' if case[3] else ''}",
            marks=() if chosen(at) else pytest.mark.slow,
        )
        for at, case in enumerate(CASES)
    ],
)
def test_matrix(
    name: str, described: bool, kind: str, versions: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning ends with a model, or refuses with a message."""
    monkeypatch.chdir(tmp_path)
    nfp = small_table(name, tmp_path, versions=versions)
    description = tmp_path / "system.xml"
    if described and not description.exists():
        result = run("init", "--property", nfp, "-o", "system.xml")
        assert result.exit_code == 0, result.stderr
    if not described:
        description.unlink(missing_ok=True)
    by = ("--by", "version") if versions else ()
    context = ("--context", "version") if versions else ()
    result = run("learn", "--property", nfp, *KINDS[kind], *by, *context)
    assert result.exit_code in (0, 2), result.stderr
    written = [file for file in tmp_path.glob("learned*.log") if file.stat().st_size]
    if result.exit_code == 0:
        assert result.stdout
        assert len(written) == (len(VERSIONS) if versions else 1)
    else:
        assert result.stderr.strip()
        assert not written


def test_the_usual_run_is_representative() -> None:
    """The usual run has described and other systems, every kind of model, with and without versions."""
    usual = [case for at, case in enumerate(CASES) if chosen(at)]
    assert [set(each) for each in zip(*usual, strict=True)][1:] == [{True, False}, set(KINDS), {True, False}]
