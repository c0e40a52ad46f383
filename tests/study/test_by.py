"""Studies of each value of a context, and records of runs."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from comparison import compare
from comparison.measures import measure
from sampling import sample
from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements, ReadingReport
from splc.errors import InputError
from splc.learning import learn
from splc.study import read_study, run_study, run_study_by
from splc.study.archive import TABLE
from splc.study.inputs import learners_with_deviation, load
from splc.study.results import OF_TERMS, pair_values, titles
from tests.support.watches import Ending


@pytest.fixture
def versions(study_file: Path) -> Path:
    """Return the study file of a project whose measurements have two versions, one of them at twice the time."""
    folder = study_file.parent
    rows = list(csv.DictReader((folder / "measurements.csv").read_text(encoding="utf-8").splitlines()))
    names = [*rows[0], "version"]
    lines = [",".join(names)]
    for version, factor in (("v9", 1), ("v10", 2)):
        for row in rows:
            cells = [value if name != "time" else repr(factor * float(value)) for name, value in row.items()]
            lines.append(",".join([*cells, version]))
    (folder / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    study_file.write_text('nfp = "time"\nsamplings = ["ff"]\nby = "version"\n', encoding="utf-8")
    return study_file


def test_each_value_has_the_study_of_its_rows(versions: Path, tmp_path: Path) -> None:
    """The results of a value are those of a study with this value in `where`, and one table has all of them."""
    studies = run_study_by(read_study(versions), tmp_path / "out", pictures=False)
    assert (studies.by, list(studies.results), studies.interrupted) == ("version", ["v9", "v10"], False)
    rows = list(csv.reader((tmp_path / "out" / TABLE).read_text(encoding="utf-8").splitlines()))
    text = versions.read_text(encoding="utf-8")
    expected = []
    for version in studies.results:
        own = text.replace('by = "version"', f'where = {{ version = "{version}" }}')
        versions.write_text(own, encoding="utf-8")
        alone = run_study(read_study(versions), tmp_path / f"alone-{version}", pictures=False)
        assert [str(table) for table in alone.tables] == [str(table) for table in studies.results[version].tables]
        part = (tmp_path / f"alone-{version}" / "table.csv").read_text(encoding="utf-8").splitlines()
        expected += [[version, *row] for row in csv.reader(part[1:])]
        header = ["version", *next(csv.reader(part[:1]))]
        assert (tmp_path / "out" / version / "table.csv").read_text(encoding="utf-8").splitlines() == part
    assert rows == [header, *expected]


def test_stopped_studies_have_no_common_table(versions: Path, tmp_path: Path) -> None:
    """A stop ends with the value that it comes at, and nothing is written about all values."""
    studies = run_study_by(read_study(versions), tmp_path / "out", watch=Ending(0), pictures=False)
    assert studies.interrupted
    assert list(studies.results) == ["v9"]
    assert not (tmp_path / "out" / TABLE).exists()


def test_a_study_without_a_context(study_file: Path) -> None:
    """A study that names no context is refused with what to write."""
    study_file.write_text('samplings = ["ff"]\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        run_study_by(read_study(study_file))
    assert str(caught.value) == f'{study_file}: the study names no context\n    write by = "version"'


def test_values_of_a_pair(study_file: Path) -> None:
    """A pair has the scores of its terms and predictions; scores of terms are undefined if the links differ."""
    loaded = load(read_study(study_file))
    assert loaded.analytical is not None
    other, configurations = loaded.analytical.scaled(2), loaded.inputs.measurements.configurations
    found = compare(loaded.analytical, other, configurations)
    values = pair_values(found)
    assert found.hybrid is not None
    assert found.semantic is not None
    scores = {"syntactic": found.syntactic.score, "syntactic_normalized": found.syntactic.normalized}
    hybrid = {"hybrid_syntactic": found.hybrid.syntactic, "hybrid_semantic": found.hybrid.semantic}
    # Two terms, and twice as much everywhere.
    expected = {**scores, **hybrid, "syntactic_lower": -4, "syntactic_upper": 4, "error_rate": pytest.approx(100)}
    assert {key: values[key] for key in expected} == expected
    without = pair_values(replace(found, hybrid=None, same_link=False))
    assert without == {key: None if key in OF_TERMS else value for key, value in values.items() if key not in hybrid}
    assert pair_values(replace(found, hybrid=None, semantic=None)).keys() == set(OF_TERMS) - hybrid.keys()


def test_titles_of_further_measures() -> None:
    """Further measures follow the others, in percent where they are, and known ones keep their titles."""
    usual = titles("measured_learned")
    found = titles("measured_learned", ["smape", "mae"])
    assert list(found)[: len(usual)] == list(usual)
    assert {key: found[key] for key in usual} == usual
    for key in ("smape", "mae"):
        entry = measure(key)
        assert found[key] == usual.get(key, f"{entry.title}, %" if entry.kind == "percent" else entry.title)


def test_records_have_the_error_of_the_stored_model(study_file: Path) -> None:
    """The learning error and the number of rounds are those of the model that is stored, on all rows of `ff`."""
    study_file.write_text('nfp = "time"\nsamplings = ["ff"]\n[learners.a]\npreset = "splconqueror"\n', encoding="utf-8")
    study = read_study(study_file)
    inputs = load(study).inputs
    done = run_study(study, pictures=False).results
    assert done is not None
    (run,) = done.runs
    model = run.record.learned(inputs.system)
    assert model is not None
    predicted = model.predict(inputs.measurements.configurations)
    assert run.record.learning_error == pytest.approx(mean_relative_error(predicted, inputs.measured), rel=1e-6)
    assert run.record.rounds is not None
    assert run.record.rounds >= 1
    assert run.record.error is None


def test_runs_have_the_seed_of_their_task(study_file: Path) -> None:
    """A learner that draws numbers has the seed of the task, also where the sampling does not."""
    study_file.write_text(
        'nfp = "time"\nsamplings = ["random:9"]\nseeds = [3, 5]\n[learners.a]\nlearner = "forest"\ntrees = 9\n',
        encoding="utf-8",
    )
    measurements = load(study := read_study(study_file)).inputs.measurements
    done = run_study(study, pictures=False).results
    assert done is not None
    for run in done.runs:
        drawn = sample(measurements.system, run.task.sampling, seed=run.task.seed)
        settings = {"trees": 9}
        errors = [
            learn(measurements, learner="forest", settings=settings, learning_set=drawn, seed=seed).error
            for seed in (3, 5)
        ]
        assert [run.record.error == pytest.approx(error, rel=1e-9) for error in errors] == [
            run.task.seed == 3,
            run.task.seed == 5,
        ]


def test_a_stated_deviation_is_that_of_learners_without_one(study_file: Path) -> None:
    """The deviation of the measurements becomes the abortError of learners that have this setting and state none."""
    study_file.write_text(
        'nfp = "time"\nsamplings = ["ff"]\n[learners.a]\npreset = "splconqueror"\n'
        '[learners.b]\npreset = "splconqueror"\nabortError = 7\n[learners.c]\n',
        encoding="utf-8",
    )
    inputs = load(read_study(study_file)).inputs
    learners = tuple(read_study(study_file).learners or ())
    assert learners_with_deviation(learners, inputs.measurements) == (learners, ())
    measured = Measurements(
        inputs.measurements.configurations,
        {"time": inputs.measured},
        report=ReadingReport(source="m.xml", deviation=40.0),
    )
    found, notes = learners_with_deviation(learners, measured)
    assert [each.name for each in found] == ["a", "b", "c"]
    assert [each.resolved().settings.get("abortError") for each in found] == [40.0, 7.0, None]
    assert notes == ("abortError is 40 (learners: a), as m.xml states its deviation",)
