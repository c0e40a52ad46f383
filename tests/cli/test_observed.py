from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SPLCONQUEROR = ("--preset", "splconqueror")

# Of all measured configurations; the second level is there from x = 2 on.
LEVELS = """cache,left,right,x,level,C
0,1,0,1,0,10
0,1,0,2,0,20
0,1,0,2,1,3
0,1,0,4,0,40
0,1,0,4,1,5
0,0,1,1,0,10
0,0,1,2,0,20
0,0,1,2,1,3
0,0,1,4,0,40
0,0,1,4,1,5
1,1,0,1,0,10
1,1,0,2,0,20
1,1,0,2,1,3
1,1,0,4,0,40
1,1,0,4,1,5
"""
PARTS = """cache,left,right,x,time,first,second
0,1,0,1,21,21,0
0,1,0,2,48,41,7
0,1,0,4,92,81,11
0,0,1,1,21,21,0
0,0,1,2,48,41,7
0,0,1,4,92,81,11
1,1,0,1,21,21,0
1,1,0,2,48,41,7
1,1,0,4,92,81,11
"""


@pytest.fixture
def observed(folder: Path) -> Path:
    """Return the project folder with levels that were observed."""
    (folder / "levels.csv").write_text(LEVELS, encoding="utf-8")
    (folder / "measurements.csv").write_text(PARTS, encoding="utf-8")
    (folder / "splc.toml").write_text('nfp = "time"\nobserved = "levels.csv"\n', encoding="utf-8")
    (folder / "model.txt").write_text("2 * C_0 + 1 + 2 * C_1 + level_1\n", encoding="utf-8")
    return folder


class TestDescribe:
    def test_observed_variables_are_listed_as_such(self, run: Run, observed: Path) -> None:
        """Describe lists observed variables apart from the options, and the options are as they were."""
        found = json.loads(run("describe", "--json").stdout)
        assert found["observed"] == ["level_0", "level_1", "C_0", "C_1"]
        assert (found["numeric_options"], found["valid_configurations"]) == (["x"], 9)
        assert "Observed variables (not options" in run("describe").stdout

    def test_without_any_nothing_is_said(self, run: Run, folder: Path) -> None:
        """A system of which nothing was observed is described without observed variables."""
        assert "bserved" not in run("describe").stdout
        assert json.loads(run("describe", "--json").stdout)["observed"] == []


class TestModels:
    def test_predict(self, run: Run, observed: Path) -> None:
        """A model of observed variables predicts configurations that were observed."""
        found = json.loads(run("predict", "model.txt", "measurements.csv", "--json").stdout)
        assert found["error"] == pytest.approx(0, abs=1e-12)

    def test_a_stored_full_model(self, run: Run, observed: Path) -> None:
        """The full model of observed variables is stored, and predicts where they were observed."""
        learned = json.loads(run("learn", "--learner", "projection", "--observed", "C_*", "--json").stdout)
        for file in ("learned.json", "learned.log"):
            found = json.loads(run("predict", file, "measurements.csv", "--interval", "--json").stdout)
            assert found["full_model"] is True
            assert found["error"] == pytest.approx(learned["error_all"], rel=1e-12)
            assert found["intervals"]["covered"] == 1
        (observed / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
        result = run("predict", "learned.json", "measurements.csv")
        assert result.exit_code == 2
        assert "C_0" in result.stderr

    def test_another_folder(
        self, run: Run, observed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """There, observed variables are those of the table, or of the configurations that were learned from."""
        assert run("learn", "--observed", "C_*", "-o", "m.json").exit_code == 0
        expected = run("predict", "m.json", "measurements.csv").stdout
        other = tmp_path_factory.mktemp("other")
        for name in ("m.json", "measurements.csv"):
            shutil.copy(observed / name, other)
        monkeypatch.chdir(other)
        assert run("predict", "m.json", "measurements.csv").stdout == expected
        rows = ["cache,left,right,x,C_0,C_1", "0,1,0,1,10,", "1,1,0,4,40,5", "1,1,0,4,80,6"]
        (other / "new.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        result = run("predict", "m.json", "new.csv")
        assert result.stderr == ""
        known = [float(line.split(",")[-1]) for line in expected.splitlines()[1:]]
        found = [float(line.split(",")[-1]) for line in result.stdout.splitlines()[1:]]
        # Sums of other numbers of rows are rounded in another way.
        assert found[:2] == pytest.approx([known[0], known[8]], rel=1e-12)
        assert found[2] > 1.2 * found[1]

    def test_compare(self, run: Run, observed: Path) -> None:
        """An analytical and a learned model of observed variables are compared by their terms and predictions."""
        assert run("learn", *SPLCONQUEROR, "--observed", "C_*", "--observed", "level_1").exit_code == 0
        found = json.loads(run("compare", "model.txt", "learned.log", "--json").stdout)
        assert found["semantic"]["error_rate"] == pytest.approx(0, abs=1e-6)
        everywhere = json.loads(run("compare", "model.txt", "learned.log", "--on", "all", "--json").stdout)
        assert everywhere["semantic"]["configurations"] == 9


class TestLearn:
    def test_observed_variables_are_not_candidates_unless_asked_for(self, run: Run, observed: Path) -> None:
        """Without --observed the model is about options only."""
        found = json.loads(run("learn", "--json").stdout)
        assert not any("C_" in term["term"] for term in found["model"]["terms"])

    def test_what_follows_runs(self, run: Run, observed: Path) -> None:
        """No explanation is offered: of a model of observed variables it would be refused."""
        assert "splc explain" in run("learn").stderr
        result = run("learn", "--observed", "C_*")
        assert result.exit_code == 0
        assert "splc explain" not in result.stderr

    def test_a_sum_of_full_models(self, run: Run, observed: Path) -> None:
        """Their file has the variables that tell which configurations have a part, even if not learned from."""
        parts = ("--sum", "first", "--sum", "second:level_1")
        assert run("learn", *parts, "--observed", "C_*", "-o", "m.json").exit_code == 0
        found = json.loads(run("predict", "m.json", "measurements.csv", "--json").stdout)
        assert found["full_model"] is True
        assert found["error"] < 10

    def test_a_sum_of_parts(self, run: Run, observed: Path) -> None:
        """The parts are learned one by one, and their sum is the model that is written."""
        parts = (*SPLCONQUEROR, "--sum", "first", "--sum", "second:level_1", "--observed", "C_*")
        found = json.loads(run("learn", *parts, "--json").stdout)
        assert found["termination"] == "parts"
        assert found["error_all"] == pytest.approx(0, abs=1e-9)
        assert json.loads(run("predict", "learned.log", "measurements.csv", "--json").stdout)["error"] < 1e-6
        assert "the models of the parts were added up" in run("learn", *parts).stdout
        assert run("learn", *parts, "-o", "learned.json").exit_code == 0
        assert json.loads(run("predict", "learned.json", "measurements.csv", "--json").stdout)["error"] < 1e-6
