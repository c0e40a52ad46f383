"""The statistical comparison of samplings and learners."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from splc.study.results import study_test
from tests.cli.conftest import Run, run
from tests.study.conftest import Studied

__all__ = ["run"]


def test_samplings_with_several_seeds_are_compared(study_file: Path, studied: Studied) -> None:
    """A12 counts the pairs of runs, and the tables have a row per group and pair; other samplings are left out."""
    study_file.write_text('samplings = ["ff", "random:12", "random:6"]\nseeds = [0, 1, 2, 3]\n')
    result = studied("results")
    assert result.results is not None
    test = study_test(result.results)
    assert test is not None
    errors = defaultdict(list)
    for row in csv.DictReader((result.folder / "runs.csv").read_text().splitlines()):
        errors[row["sampling"]].append(float(row["error_all"]))
    assert {name: len(each) for name, each in errors.items()} == {"ff": 1, "random:12": 4, "random:6": 4}
    assert dict(test.medians) == pytest.approx({name: np.median(errors[name]) for name in ("random:12", "random:6")})
    [pair] = test.pairs
    wins = [(a > b) + (a == b) / 2 for a in errors["random:12"] for b in errors["random:6"]]
    assert pair.a12 == pytest.approx(np.mean(wins))
    text = (result.folder / "table.md").read_text()
    assert "Kruskal-Wallis H" in text
    assert f"| {pair.first}" in text


def test_statistics_in_json(study_file: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JSON object has the statistics, null where there is nothing to compare."""
    monkeypatch.chdir(study_file.parent)
    study_file.write_text('samplings = ["ff"]\nseeds = [0, 1]\n')
    assert json.loads(run("study", "--json", "--no-pictures", "--jobs", "1").stdout)["statistics"] is None
    study_file.write_text('samplings = ["random:6", "random:12"]\nseeds = [0, 1]\n')
    found = json.loads(run("study", "--json", "--no-pictures", "--jobs", "1").stdout)["statistics"]
    assert [each["group"] for each in found["groups"]] == ["random:12", "random:6"]
    assert {"first", "second", "p_value", "a12", "magnitude"} == set(found["pairs"][0])


def test_learners_are_groups(study_file: Path, studied: Studied) -> None:
    """With several learners a group is a learner and a sampling."""
    study_file.write_text(
        'samplings = ["random:9"]\nseeds = [0, 1]\n'
        '[learners.a]\npreset = "splconqueror"\n[learners.b]\nlearner = "ridge"\n'
    )
    result = studied("results")
    assert result.results is not None
    test = study_test(result.results)
    assert test is not None
    assert list(test.sizes) == ["a, random:9", "b, random:9"]
