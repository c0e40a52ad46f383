"""`splc sample --extend`, and validation sets of `splc learn`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from splc import read_variability_model
from splc.data.configurations import Configurations
from splc.formats.measurements import configurations_csv
from splc.formats.measurements.configurations import read_configurations
from splc.workflows import learn
from tests.cli.conftest import Run
from tests.support.real_data import real

Refused = Callable[..., str]


def test_the_command_extends_a_file(run: Run, refused: Refused, folder: Path) -> None:
    """`--extend` reads configurations or measurements, and writes what they lack; invalid rows do not count."""
    model = read_variability_model("system.xml")
    run("sample", "--sampling", "random:3", "-o", "three.csv")
    result = run("sample", "--sampling", "all+ff", "--extend", "three.csv", "-o", "rest.csv")
    assert "3 of the 9 selected configurations are in the existing sample" in result.stderr
    three, rest = read_configurations("three.csv", model), read_configurations("rest.csv", model)
    assert len(Configurations.concatenate([three, rest]).unique()) == 9
    content = json.loads(run("sample", "--sampling", "random:2", "--extend", "three.csv", "--json").stdout)
    assert (content["configurations"], content["extended"]) == (2, 3)
    assert "extended" not in json.loads(run("sample", "--sampling", "random:2", "--json").stdout)
    empty = run("sample", "--sampling", "all+ff", "--extend", "measurements.csv")
    assert len(empty.stdout.splitlines()) == 1
    assert "the existing sample lacks nothing" in empty.stderr
    assert "nowhere.csv: there is no such file" in refused("sample", "--sampling", "ff", "--extend", "nowhere.csv")
    (folder / "bad.csv").write_text("cache,left,right,x\n1,1,1,2\n", encoding="utf-8")
    assert "bad.csv:2: " in refused("sample", "--sampling", "ff", "--extend", "bad.csv")
    again = run("sample", "--sampling", "ff", "--extend", "bad.csv", "--invalid", "drop")
    assert len(again.stdout.splitlines()) == 10
    message = refused("sample", "--sampling", "ff", "--extend", "three.csv", "-o", "three.csv")
    assert "three.csv" in message


@pytest.mark.real_data
def test_a_file_of_measurements_is_extended(run: Run, folder: Path) -> None:
    """Measurements in XML are extended, too."""
    (folder / "system.xml").write_bytes(real("x264", "FeatureModel.xml").read_bytes())
    file = str(real("x264", "measurements.xml"))
    result = run("sample", "--sampling", "covering:2", "--extend", file)
    assert len(result.stdout.splitlines()) == 1
    assert "the existing sample lacks nothing" in result.stderr


def test_a_validation_set(run: Run, refused: Refused, folder: Path) -> None:
    """With `--validation` the error is that on a sample of what was not learned from."""
    command = ("learn", "--learner", "stepwise", "--nfp", "energy", "--sampling", "random:4", "--validation")
    content = json.loads(run(*command, "random:3", "--json").stdout)
    assert content["evaluated_on"] == "the validation set random:3"
    assert content["evaluation"] == {"configurations": 3, "learned_from": 0}
    assert content["learning_configurations"] == 4
    assert "on the validation set all+ff, 5 configurations" in run(*command, "all+ff").stdout
    message = refused("learn", "--nfp", "energy", "--validation", "random:3")
    assert "every measured configuration is learned from, none is left to validate" in message
    message = refused("learn", "--nfp", "energy", "--sampling", "random:6", "--validation", "random:4")
    assert "only 3 valid configurations that the learning set does not have, not 4" in message
    message = refused("learn", "--nfp", "energy", "--validation", "random:3", "--evaluate-on", "measurements.csv")
    assert "--validation" in message


def test_the_validation_set_is_disjoint_from_the_learning_set(folder: Path) -> None:
    """No configuration is in both, also where sampled configurations are replaced by the nearest measured ones."""
    lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "measurements.csv").write_text("".join(lines[:1] + lines[3:]), encoding="utf-8")
    for missing in ("drop", "nearest"):
        request = learn.Request(
            nfp="energy", sampling="all+random:2", validation="all+ff", missing=missing, write=False, seed=3
        )
        found = learn.run(request)
        assert found.evaluated is not None
        assert found.evaluated.learned_from == 0
        assert found.evaluated.configurations + len(found.rows) <= 8


def test_large_tables_are_written_piece_by_piece(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces in which a large table is written make no difference."""
    whole = run("sample", "--sampling", "all+ff").stdout
    monkeypatch.setattr(configurations_csv, "CELLS", 8)
    assert run("sample", "--sampling", "all+ff").stdout == whole
