"""`splc learn --learner pmnf`."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

Refused = Callable[..., str]
PMNF = ("learn", "--learner", "pmnf")

SYSTEM = """<vm name="grown"><binaryOptions>
<configurationOption><name>cache</name><optional>True</optional></configurationOption></binaryOptions>
<numericOptions>
<configurationOption><name>p</name><values>2;4;8;16;32;64</values></configurationOption>
<configurationOption><name>n</name><values>1;2</values></configurationOption>
</numericOptions></vm>
"""


@pytest.fixture
def grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder whose property is 3 + 2 p^2, and 100 more with the cache."""
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{cache},{p},{n},{3 + 2 * p * p + 100 * cache}"
        for cache in (0, 1)
        for p in (2, 4, 8, 16, 32, 64)
        for n in (1, 2)
    ]
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "measurements.csv").write_text("\n".join(["cache,p,n,time", *rows]) + "\n", encoding="utf-8")
    without = [row for row in rows if row.startswith("0") and row.split(",")[2] == "1"]
    (tmp_path / "plain.csv").write_text("\n".join(["cache,p,n,time", *without]) + "\n", encoding="utf-8")
    return tmp_path


def learned(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run(*PMNF, "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class TestSystems:
    def test_a_project_folder(self, run: Run, grown: Path) -> None:
        """The numeric options of a system are the parameters; the model is judged by what was not learned from."""
        found = learned(run, "--measurements", "plain.csv", "--numeric", "random:9", "--seed", "3", "--missing", "drop")
        assert found["system"] == "grown"
        assert found["scaling"]["parameters"] == ["p"]
        assert found["model"]["text"] == "3 + 2 * p^2"
        assert found["learning_configurations"] < found["measured_configurations"] == 6
        assert found["error"] == pytest.approx(0, abs=1e-9)
        assert "n is 1 in all configurations learned from" in " ".join(found["notes"])

    def test_what_is_written_is_a_model_like_every_other(self, run: Run, grown: Path) -> None:
        """The JSON and the log of a system's scaling model are predicted with and compared."""
        assert run(*PMNF, "--measurements", "plain.csv").exit_code == 0
        assert run(*PMNF, "--measurements", "plain.csv", "-o", "learned.log").exit_code == 0
        predicted = run("predict", "learned.json", "plain.csv", "--json")
        assert json.loads(predicted.stdout)["error"] == pytest.approx(0, abs=1e-9)
        compared = run("compare", "learned.log", "learned.json", "--json")
        assert compared.exit_code == 0, compared.stderr
        assert json.loads(compared.stdout)["semantic"]["error_rate"] == pytest.approx(0, abs=1e-9)

    def test_the_table(self, run: Run, grown: Path) -> None:
        """The table says on what the errors are, and a plot is drawn where one is wanted."""
        result = run(*PMNF, "--measurements", "plain.csv", "--plot", "fit.svg", "-o", "m.py")
        assert result.exit_code == 0, result.stderr
        assert result.stdout.splitlines()[1] == "grown: model of time"
        assert "on 6 configurations learned from" in result.stdout
        assert "nothing is left to judge the model by" in result.stdout
        assert (grown / "fit.svg").exists()
        assert runpy.run_path(str(grown / "m.py"))["time"](10) == pytest.approx(203)

    def test_binary_options_that_differ(self, run: Run, refused: Refused, grown: Path) -> None:
        """Differing binary options in the learning set are refused; differences in the rest are noted."""
        message = refused(*PMNF)
        assert "these differ too: cache" in message
        assert "--learner stepwise" in message
        assert not (grown / "learned.json").exists()
        found = learned(run, "--measurements", "plain.csv", "--evaluate-on", "measurements.csv")
        assert found["error"] > 0

    def test_other_binary_options_in_the_rest(self, run: Run, grown: Path) -> None:
        """The rest that has other binary options is judged by, and counted in a note."""
        found = learned(run, "--binary", "random:1", "--numeric", "ff")
        assert "other binary options" in " ".join(found["notes"])
        assert found["error"] > 1

    def test_methods_and_settings(self, run: Run, grown: Path) -> None:
        """Settings are those of `splc.scaling.fit`; --aggregate replaces the aggregate of the method."""
        asked = ("--measurements", "plain.csv")
        found = learned(run, *asked, "--set", "method=classic", "--set", "terms=2")
        assert (found["settings"]["method"], found["settings"]["terms"]) == ("classic", 2)
        assert learned(run, *asked, "--aggregate", "min")["settings"]["aggregate"] == "minimum"
        assert learned(run, *asked)["settings"]["aggregate"] == "robust"

    def test_predictions_beyond_the_measured_points(self, run: Run, grown: Path) -> None:
        """The JSON has a prediction at four times the largest value, with an interval."""
        (found,) = learned(run, "--measurements", "plain.csv")["predictions"]
        assert found["at"] == {"p": 256}
        assert found["predicted"] == pytest.approx(3 + 2 * 256**2)
        assert found["lower"] <= found["predicted"] <= found["upper"]
