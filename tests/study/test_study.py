"""Results of studies: laws, tables, pictures, manifest."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from comparison import compare
from splc.formats.models.json import parse_stored_json
from splc.formats.models.read import read_model
from splc.io.files import Source
from splc.study import read_study, run_study
from splc.study.tasks import load
from tests.study.conftest import Studied, manifest_of, rows
from tests.support.results import contents


def reordered(study_file: Path, samplings: str, seeds: str) -> None:
    """Write other lists of samplings and seeds into the study file."""
    text = study_file.read_text(encoding="utf-8")
    text = re.sub(r"samplings = .*", f"samplings = {samplings}", text)
    study_file.write_text(re.sub(r"seeds = .*", f"seeds = {seeds}", text), encoding="utf-8")


def test_order_does_not_matter(study_file: Path, studied: Studied) -> None:
    """Neither the order of the samplings nor that of the seeds changes any result, log or number."""
    first = studied("first")
    expected = contents(first.folder)
    values = {tuple(sorted(row.items())) for row in rows(first.folder / "table.csv")}
    for number, order in enumerate(
        [("random:100", "random:6", "pb:9,3", "ff"), ("pb:9,3", "random:6", "ff", "random:100")]
    ):
        reordered(study_file, "[" + ", ".join(f'"{name}"' for name in order) + "]", "[2, 0, 1]")
        again = studied(f"again{number}")
        found = contents(again.folder)
        same = [name for name in expected if name.startswith(("logs/", "tasks/"))]
        assert len(same) == 13
        assert {name: found[name] for name in same} == {name: expected[name] for name in same}
        assert {tuple(sorted(row.items())) for row in rows(again.folder / "table.csv")} == values
        assert manifest_of(again.folder)["best"] == manifest_of(first.folder)["best"]


def test_processes_do_not_matter(studied: Studied) -> None:
    """One process and two give the same bytes."""
    assert contents(studied("one", jobs=1).folder) == contents(studied("two", jobs=2).folder)


def test_place_does_not_matter(study_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From wherever a study is done and however its file is named, the results have the same bytes."""
    first = contents(run_study(read_study(study_file)).folder)
    moved = study_file.parent.rename(tmp_path / "elsewhere")
    (moved / "results").rename(tmp_path / "away")
    monkeypatch.chdir(moved)
    assert contents(run_study(read_study("study.toml")).folder) == first


def rates_of(runs: list[dict[str, str]]) -> list[float]:
    """Return the similarities of the runs with a random sampling, in percent."""
    return [100 * float(row["analytical_learned.cosine"]) for row in runs if row["sampling"] == "random:6"]


def test_numbers(study_file: Path, studied: Studied) -> None:
    """The numbers of a run are those of a comparison of its stored model, distances as published without a root.

    A random sampling's column is mean and standard deviation of its runs, a design's is its only run.
    """
    result = studied()
    loaded = load(read_study(study_file))
    measured = loaded.inputs.measurements
    analytical = read_model(
        study_file.parent / "analytical.txt", measured.system, parameters={"alpha": 0.01, "f": 0.001}
    )
    expected = analytical.scaled(2).predict(measured.configurations)
    found = [row for row in rows(result.folder / "runs.csv") if not row["reason"]]
    assert len(found) == 5
    for row in found:
        log = read_model(result.folder / row["log"], measured.system)
        predicted = log.predict(measured.configurations)
        for power in (1, 2, 3):
            by_hand = sum(abs(float(a) - float(b)) ** power for a, b in zip(expected, predicted, strict=True)) / 24
            assert float(row[f"analytical_learned.mean_power_{power}"]) == pytest.approx(by_hand, rel=1e-9)
        assert float(row["analytical_learned.chebyshev"]) == pytest.approx(np.abs(expected - predicted).max(), rel=1e-9)
        error = 100 * np.mean(np.abs(measured["time"] - predicted) / measured["time"])
        assert float(row["measured_learned.error_rate"]) == pytest.approx(error, rel=1e-9)
        assert float(row["error_all"]) == pytest.approx(error, rel=1e-9)
        score = compare(analytical.scaled(2), log).syntactic.score
        assert float(row["analytical_learned.syntactic"]) == pytest.approx(score, rel=1e-9)
    (means,) = [
        row
        for row in rows(result.folder / "table.csv")
        if (row["compared"], row["measure"]) == ("analytical_learned", "cosine")
    ]
    for name, number in (("random:6", 3), ("pb:9,3", 1)):
        rates = [100 * float(row["analytical_learned.cosine"]) for row in found if row["sampling"] == name]
        assert len(rates) == number
        assert float(means[name]) == pytest.approx(np.mean(rates))
    assert float(means["random:6 deviation"]) == pytest.approx(np.std(rates_of(found), ddof=1))
    for run in result.runs:
        if run.record.model is not None:
            stored = parse_stored_json(Source("", run.record.model.encode())).model
            assert dict(stored.terms) == pytest.approx(dict(read_model(result.folder / run.task.log).terms), rel=1e-14)


def test_what_decides_about_tasks(study_file: Path, studied: Studied) -> None:
    """Settings of comparisons are changed without learning again; settings of learning are not."""
    studied()
    text = study_file.read_text(encoding="utf-8")
    study_file.write_text(text.replace("scale = 2.0", "scale = 3.0"), encoding="utf-8")
    assert studied().found == 8
    study_file.write_text(text.replace("seeds = [0, 1, 2]", "seeds = [2, 3]"), encoding="utf-8")
    changed = studied()
    assert (changed.found, changed.tasks) == (4, 6)
    assert not (changed.folder / "logs" / "random-6-seed-0.log").exists()
    assert contents(changed.folder).keys() == contents(studied("fresh").folder).keys()
    (study_file.parent / "splc.toml").write_text(
        '[learning]\npreset = "splconqueror"\nlearn_logFunction = false\n', encoding="utf-8"
    )
    assert studied().found == 0
    measured = study_file.parent / "measurements.csv"
    measured.write_text(measured.read_text(encoding="utf-8").replace("1,8,", "1,8,1"), encoding="utf-8")
    assert studied().found == 0


def test_alike_names(study_file: Path, studied: Studied) -> None:
    """Samplings whose file names would be the same have logs of their own, whatever their order."""
    names: list[dict[str, str]] = []
    for order in itertools.permutations(['"random:6"', '"random:6,seed=1"']):
        reordered(study_file, f"[{', '.join(order)}]", "[1, 2]")
        names.append({run.task.label: run.task.log for run in studied(f"names{len(names)}").runs})
    assert names[0] == names[1]
    assert len(set(names[0].values())) == 3
