"""`splc predict`."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from splc.formats.models.read import read_stored_model
from tests.cli.conftest import MEASUREMENTS, Run
from tests.support.paths import SMG2000

MODEL = "10 * cache + x\n"
TABLE = "cache,left,right,x\n0,1,0,4\n1,1,0,1\n0,1,0,4\n"


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model and a table of configurations into the project folder."""
    (folder / "model.txt").write_text(MODEL, encoding="utf-8")
    (folder / "configs.csv").write_text(TABLE, encoding="utf-8")


def test_values_of_zero_are_left_out_of_the_error(run: Run, folder: Path) -> None:
    """A measured 0 has no relative error: it is left out and counted; other values, negative ones too, are not."""
    table = "cache,left,right,x,time\n0,1,0,4,5\n1,1,0,1,0\n1,1,0,2,0\n0,1,0,2,-1\n"
    (folder / "zeros.csv").write_text(table, encoding="utf-8")
    result = run("predict", "model.txt", "zeros.csv", "--property", "time", "--json")
    # The predictions are 4 and 2.
    assert json.loads(result.stdout)["error"] == pytest.approx((1 / 5 + 3 / 1) / 2 * 100)
    assert "2 values of time are 0 and left out of the relative error" in result.stderr
    assert "left out" not in run("predict", "model.txt", "measurements.csv", "--property", "time").stderr


@pytest.mark.parametrize("name", ["m.xml", "m.xml.gz", "m.csv.gz"])
def test_measurements_of_every_format(run: Run, name: str) -> None:
    """Measurements may be XML or CSV, compressed or not."""
    run("convert", "measurements.csv", "-o", name)
    content = json.loads(run("predict", "model.txt", name, "--property", "time", "--json").stdout)
    assert content["configurations"] == 9
    assert content["error"] is not None


def test_rows_without_a_header(run: Run, folder: Path) -> None:
    """SPL Conqueror's rows without a header are measurements too."""
    system = (folder / "system.xml").read_text(encoding="utf-8")
    start, end = system.index("<numericOptions>"), system.index("</numericOptions>")
    (folder / "system.xml").write_text(system[:start] + "<numericOptions>" + system[end:], encoding="utf-8")
    (folder / "model.txt").write_text("10 * cache + 1", encoding="utf-8")
    (folder / "m.csv").write_text("cache;left;22\nright;1\n", encoding="utf-8")
    content = json.loads(run("predict", "model.txt", "m.csv", "--json").stdout)
    assert (content["configurations"], content["error"]) == (2, 25.0)


def test_standard_input_and_output(run: Run, folder: Path) -> None:
    """`-` is standard input for either argument, and -o writes a file."""
    assert run("predict", "model.txt", "-", stdin=gzip.compress(TABLE.encode())).stdout.endswith("0,1,0,4,4\n")
    assert run("predict", "-", "configs.csv", stdin=MODEL).stdout.endswith("0,1,0,4,4\n")
    result = run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=MEASUREMENTS)
    assert result.stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")


def test_a_learned_log_predicts_what_was_learned(run: Run) -> None:
    """The error of a learned log on the measurements is the one that learning told: of the full model, or the log's."""
    learned = json.loads(run("learn", "--sampling", "random:6", "--property", "time", "--json").stdout)
    arguments = ("predict", "learned.log", "measurements.csv", "--property", "time", "--json")
    full, printed = (json.loads(run(*arguments, *further).stdout) for further in ((), ("--printed",)))
    assert full["error"] == pytest.approx(learned["error_all"], rel=1e-12)
    assert printed["error"] == pytest.approx(learned["printed"]["error_all"], rel=1e-12)


class TestPropertyOfTheModel:
    @pytest.fixture(params=["learned.log", "m.json", "printed.json", "m.log.gz"])
    def learned(self, request: pytest.FixtureRequest, run: Run, folder: Path) -> str:
        """Return a file that holds a model of the energy."""
        name = str(request.param)
        output = "other.log" if name == "printed.json" else name
        result = run("learn", "--preset", "splconqueror", "--property", "energy", "-o", output, "--json")
        assert result.exit_code == 0
        (folder / "printed.json").write_text(result.stdout, encoding="utf-8")
        return name

    def test_it_is_what_the_model_is_judged_by(self, run: Run, folder: Path, learned: str) -> None:
        """The learned property is judged, even if splc.toml names another one."""
        (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
        result = run("predict", learned, "measurements.csv", "--json")
        content = json.loads(result.stdout)
        assert (content["nfp"], content["model_nfp"]) == ("energy", "energy")
        assert content["error"] == pytest.approx(0, abs=1e-9)
        assert "warning" not in result.stderr

    def test_another_one_only_where_it_is_asked_for(self, run: Run, learned: str) -> None:
        """Another property is taken with --property only, and a warning says so."""
        result = run("predict", learned, "measurements.csv", "--property", "time", "--json")
        content = json.loads(result.stdout)
        assert (content["nfp"], content["model_nfp"]) == ("time", "energy")
        assert content["error"] > 1
        assert "warning: the model predicts 'energy', but its error is that of 'time'" in result.stderr

    @pytest.mark.parametrize("name", ["only.csv", "only.xml"])
    def test_without_its_values_there_is_no_error(self, run: Run, folder: Path, learned: str, name: str) -> None:
        """No error is printed if the file has only another property; stderr says why."""
        text = "".join(line.rsplit(",", 1)[0] + "\n" for line in MEASUREMENTS.splitlines())
        (folder / "only.csv").write_text(text, encoding="utf-8")
        if name == "only.xml":
            assert run("convert", "only.csv", "-o", name).exit_code == 0
        result = run("predict", learned, name, "--json")
        content = json.loads(result.stdout)
        assert (content["nfp"], content["error"]) == (None, None)
        assert "no error is given: the measurements have no property 'energy'" in result.stderr
        assert "they have: time" in result.stderr


def test_each_learning_of_a_log_has_its_property(folder: Path) -> None:
    """In a log of several learnings the property is that of the learning whose model is read."""
    learning = "command: nfp {}\nLearning progress:\n1;2 * x;1;1;1;1;0;1;2 * x;1;1;\n"
    text = learning.format("time") + learning.format("main memory") + "command: nfp energy\n"
    (folder / "a.log").write_text(text, encoding="utf-8")
    assert read_stored_model("a.log").nfp == "main memory"


class TestIntervals:
    def test_the_columns(self, run: Run, folder: Path) -> None:
        """The table has the columns low and high, which hold most measured runs; the note says how many."""
        run("learn", "--property", "time", "--learner", "projection", "-o", "m.json")
        result = run("predict", "m.json", "measurements.csv", "--interval")
        assert result.exit_code == 0, result.stderr
        rows = list(csv.DictReader(result.stdout.splitlines()))
        assert list(rows[0])[-4:] == ["time", "predicted", "low", "high"]
        assert all(float(row["low"]) < float(row["predicted"]) < float(row["high"]) for row in rows)
        with (folder / "measurements.csv").open(encoding="utf-8") as file:
            runs = list(csv.DictReader(file))
        options = [name for name in rows[0] if name in runs[0] and name != "time"]
        ends = {tuple(row[name] for name in options): (float(row["low"]), float(row["high"])) for row in rows}
        intervals = [ends[tuple(each[name] for name in options)] for each in runs]
        inside = np.mean(
            [low <= float(each["time"]) <= high for each, (low, high) in zip(runs, intervals, strict=True)]
        )
        assert f"{inside * 100:.3g} % of the measured values lie in the 90 % prediction intervals" in result.stderr
        found = json.loads(run("predict", "m.json", "measurements.csv", "--interval", "--json").stdout)["intervals"]
        assert (found["level"], found["covered"]) == (0.9, pytest.approx(inside))
        assert found["low"] == [float(row["low"]) for row in rows]
        assert json.loads(run("predict", "m.json", "measurements.csv", "--json").stdout)["intervals"] is None


class TestExtrapolation:
    @pytest.fixture(autouse=True)
    def _far(self, folder: Path) -> None:
        (folder / "far.csv").write_text("cache,left,right,x\n0,1,0,8\n1,1,0,3\n0,1,0,4\n", encoding="utf-8")

    def test_intervals(self, run: Run) -> None:
        """A JSON model gives intervals, wider beyond the listed values."""
        run("learn", "--property", "time", "-o", "m.json")
        result = run("predict", "m.json", "far.csv", "--extrapolate")
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(result.stdout.splitlines())]
        widths = [row["high"] - row["low"] for row in rows]
        assert all(row["low"] < row["predicted"] < row["high"] for row in rows)
        assert widths[0] > widths[2] > 0


def test_extrapolation_of_a_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of small grids predicts the computing times of larger ones, with a larger error."""
    monkeypatch.chdir(SMG2000 / "2d")
    text = Path("system.xml").read_text(encoding="utf-8")
    small, model = str(tmp_path / "small.xml"), str(tmp_path / "model.json")
    Path(small).write_text(text.replace("<maxValue>400<", "<maxValue>225<"), encoding="utf-8")
    arguments = ("--system", small, "--property", "solve_compute_seconds")
    learned = json.loads(run("learn", *arguments, "--invalid", "drop", "-o", model, "--json").stdout)
    found = json.loads(run("predict", model, "measurements.csv", *arguments, "--extrapolate", "--json").stdout)
    assert found["configurations"] == 240
    assert sum(found["extrapolated"]) == 112
    assert learned["learning_error"] < found["error"] < 20
    assert found["intervals"]["covered"] > 0.8


@pytest.mark.parametrize("text", ["cache,x=4", "x=4", "cache", "x=2, cache"])
def test_a_configuration_instead_of_a_file(run: Run, text: str) -> None:
    """A configuration as text is not read, and the message names the command that predicts it."""
    done = run("predict", "model.txt", text)
    assert done.exit_code == 2
    assert "splc explain model.txt " in done.stderr
