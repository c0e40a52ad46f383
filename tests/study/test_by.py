"""Studies of each value of a context, and what measurements state about learners."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from splc.data.measurements import Measurements, ReadingReport
from splc.errors import InputError
from splc.study import read_study, run_study, run_study_by
from splc.study.archive import TABLE
from splc.study.tasks import learners_with_deviation, load
from tests.study.conftest import rows
from tests.support.watches import Ending


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
    assert studies.interrupted
    assert list(studies.results) == ["v9"]
    assert not (tmp_path / "out" / TABLE).exists()


def test_a_study_without_a_context(study_file: Path) -> None:
    """A study that names no context is refused with what to write; a list of samplings is all that a study needs."""
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
    inputs = load(read_study(study_file)).inputs
    learners = tuple(read_study(study_file).learners or ())
    assert learners_with_deviation(learners, inputs.measurements) == (learners, ())
    report = ReadingReport(source="m.xml", deviation=40.0)
    measured = Measurements(inputs.measurements.configurations, {"time": inputs.measured}, report=report)
    found, notes = learners_with_deviation(learners, measured)
    assert [each.name for each in found] == ["a", "b", "c"]
    assert [each.resolved().settings.get("abortError") for each in found] == [40.0, 7.0, None]
    assert notes == ("abortError is 40 (learners: a), as m.xml states its deviation",)
