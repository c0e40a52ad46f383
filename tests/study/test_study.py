"""Studies: ways to do them that do not matter, runs that are done again, kills, and each value of a context."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.data.measurements import Measurements, ReadingReport
from splc.errors import InputError, RequestError
from splc.study import read_study, run_study, run_study_by
from splc.study.folder import TABLE
from splc.study.tasks import learners_with_deviation, load
from tests.study.conftest import Studied, manifest_of, rows
from tests.support.objects import Ending, contents
from tests.support.paths import ROOT


def reordered(study_file: Path, samplings: str, seeds: str) -> None:
    """Write other lists of samplings and seeds into the study file."""
    text = study_file.read_text(encoding="utf-8")
    text = re.sub(r"samplings = .*", f"samplings = {samplings}", text)
    study_file.write_text(re.sub(r"seeds = .*", f"seeds = {seeds}", text), encoding="utf-8")


@pytest.mark.parametrize(
    "order", ['["random:100", "random:6", "pb:9,3", "ff"]', '["pb:9,3", "random:6", "ff", "random:100"]']
)
def test_order_does_not_matter(study_file: Path, studied: Studied, order: str) -> None:
    """Neither the order of the samplings nor that of the seeds changes any result, log or number."""
    first = studied("first").folder
    reordered(study_file, order, "[2, 0, 1]")
    again = studied("again").folder
    found, expected = ({n: data for n, data in contents(each).items() if "/" in n} for each in (again, first))
    assert (found, len(found)) == (expected, 13)
    values = [{tuple(sorted(row.items())) for row in rows(each / "table.csv")} for each in (again, first)]
    assert values[0] == values[1]
    assert manifest_of(again)["best"] == manifest_of(first)["best"]


@pytest.mark.parametrize("stopped", [0, 3])
@pytest.mark.parametrize("place", ["here", "inside", pytest.param("scheduler", marks=pytest.mark.slow)])
def test_processes_do_not_matter(studied: Studied, place: str, stopped: int, request: pytest.FixtureRequest) -> None:
    """Two processes, or a cluster, give the same bytes as one, also where the study was stopped in between.

    A study that is asked to stop keeps finished runs, and writes no tables.
    """
    expected = contents(studied("one").folder)
    scheduler = None if place == "here" else request.getfixturevalue(place)
    if stopped:
        first = studied("two", scheduler=scheduler, watch=Ending(stopped))
        assert (first.interrupted, (first.folder / "table.csv").exists()) == (True, False)
        assert first.done == stopped or (place != "here" and first.done >= stopped)
    again = studied("two", scheduler=scheduler, jobs=1 if scheduler else 2)
    assert (again.interrupted, again.done, again.found >= stopped) == (False, 8, True)
    assert contents(again.folder) == expected


def test_place_does_not_matter(study_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From wherever a study is done and however its file is named, the results have the same bytes."""
    first = contents(run_study(read_study(study_file)).folder)
    moved = study_file.parent.rename(tmp_path / "elsewhere")
    (moved / "results").rename(tmp_path / "away")
    monkeypatch.chdir(moved)
    assert contents(run_study(read_study("study.toml")).folder) == first


def replacing(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Return a function that changes a file of a project."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def test_what_is_done_again(study_file: Path, studied: Studied) -> None:
    """A study that is done again changes no file; only settings of learning, and damaged records, are learned again."""
    folder = studied().folder
    expected = contents(folder)
    files = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.rglob("*") if path.is_file()}
    assert studied().found == 8
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files} == files
    record = next(path.name for path in sorted(folder.glob("tasks/*.json")) if b'"reason": null' in path.read_bytes())
    replacing(f"results/tasks/{record}", '"rounds": ', '"rounds": 1')(study_file.parent)
    assert studied().found == 7
    assert contents(folder) == expected
    for change, found, tasks in (
        (replacing("study.toml", "scale = 2.0", "scale = 3.0"), 8, 8),
        (replacing("study.toml", "seeds = [0, 1, 2]", "seeds = [2, 3]"), 4, 6),
        (replacing("splc.toml", "true", "false"), 0, 6),
        (replacing("measurements.csv", "1,8,", "1,8,1"), 0, 6),
    ):
        change(study_file.parent)
        result = studied()
        assert (result.found, result.tasks) == (found, tasks)
    assert contents(folder) == contents(studied("fresh").folder)


@pytest.fixture
def versions(study_file: Path) -> Path:
    """Return the study file of a project whose measurements have two versions, one of them at twice the time."""
    table = rows(study_file.parent / "measurements.csv")
    lines = [",".join([*table[0], "version"])]
    for version, factor in (("v9", 1), ("v10", 2)):
        lines += (f"{row['px']},{row['nx']},{factor * float(row['time'])!r},{version}" for row in table)
    (study_file.parent / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    study_file.write_text('nfp = "time"\nsamplings = ["ff"]\nby = "version"\n', encoding="utf-8")
    return study_file


def test_each_value_has_the_study_of_its_rows(versions: Path, tmp_path: Path) -> None:
    """The results of a value are those of a study with this value in `where`, and one table has all of them."""
    studies = run_study_by(read_study(versions), tmp_path / "out", pictures=False)
    assert (studies.by, list(studies.results), studies.interrupted) == ("version", ["v9", "v10"], False)
    text = versions.read_text(encoding="utf-8")
    expected = []
    for version, result in studies.results.items():
        own = text.replace('by = "version"', f'where = {{ version = "{version}" }}')
        versions.write_text(own, encoding="utf-8")
        alone = run_study(read_study(versions), tmp_path / f"alone-{version}", pictures=False)
        assert [str(table) for table in alone.tables] == [str(table) for table in result.tables]
        header, *part = csv.reader((alone.folder / "table.csv").read_text(encoding="utf-8").splitlines())
        expected += [[version, *row] for row in part]
        assert (result.folder / "table.csv").read_bytes() == (alone.folder / "table.csv").read_bytes()
    table = list(csv.reader((tmp_path / "out" / TABLE).read_text(encoding="utf-8").splitlines()))
    assert table == [["version", *header], *expected]


def test_stopped_studies_have_no_common_table(versions: Path, tmp_path: Path) -> None:
    """A stop ends with the value that it comes at, and nothing is written about all values."""
    studies = run_study_by(read_study(versions), tmp_path / "out", watch=Ending(0), pictures=False)
    assert (studies.interrupted, list(studies.results)) == (True, ["v9"])
    assert not (tmp_path / "out" / TABLE).exists()


def test_the_other_function(study_file: Path, versions: Path, studied: Studied) -> None:
    """A study is done of each value of its context, or as one; a list of samplings is all that a study needs."""
    with pytest.raises(RequestError, match=r"^the study is done of each value of 'version'\n    call run_study_by$"):
        studied()
    study_file.write_text('samplings = [" pb : 9, 3 "]\n', encoding="utf-8")
    study = read_study(study_file)
    with pytest.raises(InputError) as caught:
        run_study_by(study)
    assert str(caught.value) == f'{study_file}: the study names no context\n    write by = "version"'
    assert (study.samplings, study.seeds, study.scale, study.constant) == (("pb:9,3",), (0,), 1.0, True)
    assert (study.learners, study.measures) == (None, ())


def test_a_stated_deviation_is_that_of_learners_without_one(study_file: Path) -> None:
    """The deviation of the measurements becomes the abortError of learners that have this setting and state none."""
    tables = '[learners.a]\npreset = "splconqueror"\n[learners.b]\npreset = "splconqueror"\nabortError = 7\n'
    study_file.write_text(f'nfp = "time"\nsamplings = ["ff"]\n{tables}[learners.c]\n', encoding="utf-8")
    inputs, learners = load(read_study(study_file)).inputs, tuple(read_study(study_file).learners or ())
    assert learners_with_deviation(learners, inputs.measurements) == (learners, ())
    report = ReadingReport(source="m.xml", deviation=40.0)
    measured = Measurements(inputs.measurements.configurations, {"time": inputs.measured}, report=report)
    found, notes = learners_with_deviation(learners, measured)
    errors = {each.name: each.resolved().settings.get("abortError") for each in found}
    assert errors == {"a": 40.0, "b": 7.0, "c": None}
    assert notes == ("abortError is 40 (learners: a), as m.xml states its deviation",)


ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1"}


@pytest.mark.parametrize(("kills", "seeds"), [(2, 3), pytest.param(50, 40, marks=pytest.mark.slow)])
def test_killed_at_random_moments(study_file: Path, tmp_path: Path, kills: int, seeds: int) -> None:
    """After kills, each with new runs finished, a study loses and repeats none, and gives the same folder."""
    names = ", ".join(map(str, range(seeds)))
    study_file.write_text(f'samplings = ["pb:9,3", "random:6"]\nseeds = [{names}]\n', encoding="utf-8")
    arguments = ["study", str(study_file), str(tmp_path), str(kills)]
    command = [sys.executable, "-W", "error", "-m", "tests.support.killers", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["killed"] == kills
    assert found["again"] == 0
    expected = contents(tmp_path / "undisturbed")
    assert len([name for name in expected if name.startswith("tasks/")]) == 1 + seeds
    for number in range(1, found["folders"] + 1):
        folder = tmp_path / f"disturbed{number}"
        assert contents(folder) == expected
        assert None not in manifest_of(folder)["times"]["tasks"].values()


pytest.importorskip("dask_jobqueue", reason="needs the extra cluster")

# Keeps the job script, runs it in the background, and prints what sbatch does.
SBATCH = """#!/bin/sh
cp "$1" "$STUB/job-$$.sh"
sh "$STUB/job-$$.sh" > "$STUB/job-$$.log" 2>&1 &
echo $! > "$STUB/job-$$.pid"
echo "Submitted batch job $$"
"""
SCANCEL = """#!/bin/sh
for job; do kill "$(cat "$STUB/job-$job.pid")" 2>> "$STUB/scancel.log"; echo "$job" >> "$STUB/cancelled"; done
"""


@pytest.mark.slow
def test_the_script_of_the_page(studied: Studied, study_file: Path, tmp_path: Path) -> None:
    """The script submits two jobs with the resources it names, runs a study on them, and cancels them."""
    page = (ROOT / "docs" / "howto" / "cluster.md").read_text(encoding="utf-8")
    script = tmp_path / "on_slurm.py"
    found = re.search(r"```py\n(.*?)```", page, re.DOTALL)
    assert found is not None
    script.write_text(found[1], encoding="utf-8")
    stub = tmp_path / "stub"
    stub.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (stub / name).write_text(text, encoding="utf-8")
        (stub / name).chmod(0o755)
    environment = {**os.environ, "STUB": str(stub), "PATH": f"{stub}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    output = study_file.parent / "there"
    done = subprocess.run(
        [sys.executable, str(script), "study", str(study_file), "--no-pictures", "-o", str(output)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    jobs = sorted(stub.glob("job-*.sh"))
    assert len(jobs) == 2
    for job in jobs:
        directives = re.findall(r"^#SBATCH (.*)$", job.read_text(encoding="utf-8"), re.MULTILINE)
        assert {"--cpus-per-task=1", "--mem=4G", "-t 02:00:00", "--exclusive", "-n 1"} <= set(directives)
    assert len(set((stub / "cancelled").read_text(encoding="ascii").split())) == 2
    assert contents(output) == contents(studied("here").folder)
