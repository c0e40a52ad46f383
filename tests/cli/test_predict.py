"""`splc predict`."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.formats.models.read import read_stored_model
from tests.cli.conftest import MEASUREMENTS, Run
from tests.support.paths import SMG2000

Refused = Callable[..., str]
MODEL = "10 * cache + x\n"
TABLE = "cache,left,right,x\n0,1,0,4\n1,1,0,1\n0,1,0,4\n"


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model and a table of configurations into the project folder."""
    (folder / "model.txt").write_text(MODEL, encoding="utf-8")
    (folder / "configs.csv").write_text(TABLE, encoding="utf-8")


def test_a_table_of_predictions(run: Run) -> None:
    """Every row of a table of configurations gets its prediction, in order, repeated rows too."""
    result = run("predict", "model.txt", "configs.csv")
    assert result.exit_code == 0
    assert result.stdout == "cache,left,right,x,predicted\n0,1,0,4,4\n1,1,0,1,11\n0,1,0,4,4\n"
    assert result.stderr == ""


def test_measured_values_are_judged(run: Run) -> None:
    """Measured values are printed beside the predictions, with the error."""
    result = run("predict", "model.txt", "measurements.csv", "--property", "time")
    assert result.stdout == run("predict", "model.txt", "measurements.csv", "--nfp", "time").stdout
    lines = result.stdout.splitlines()
    assert lines[:2] == ["cache,left,right,x,time,predicted", "0,1,0,1,2,1"]
    assert len(lines) == 10
    assert "mean relative error" in result.stderr
    content = json.loads(run("predict", "model.txt", "measurements.csv", "--property", "time", "--json").stdout)
    assert content["schema"] == "splc.predict/1"
    assert content["configurations"] == 9
    expected = [1 / 2, 0.5 / 2.5, 1 / 5, 0.5 / 1.5, 1 / 3, 2 / 6, 0, 0, 0]
    assert content["error"] == pytest.approx(sum(expected) / 9 * 100)
    assert content["predicted"][0] == 1.0


def test_values_of_zero_are_left_out_of_the_error(run: Run, folder: Path) -> None:
    """A measured 0 has no relative error: it is left out and counted; other values, negative ones too, are not."""
    table = "cache,left,right,x,time\n0,1,0,4,5\n1,1,0,1,0\n1,1,0,2,0\n0,1,0,2,-1\n"
    (folder / "zeros.csv").write_text(table, encoding="utf-8")
    result = run("predict", "model.txt", "zeros.csv", "--property", "time", "--json")
    # The predictions are 4 and 2.
    assert json.loads(result.stdout)["error"] == pytest.approx((1 / 5 + 3 / 1) / 2 * 100)
    assert "2 values of time are 0 and left out of the relative error" in result.stderr
    assert "left out" not in run("predict", "model.txt", "measurements.csv", "--property", "time").stderr


def test_without_measured_values_there_is_no_error(run: Run) -> None:
    """Without the property the error is null; without --property several properties are none."""
    assert json.loads(run("predict", "model.txt", "configs.csv", "--json").stdout)["error"] is None
    content = json.loads(run("predict", "model.txt", "measurements.csv", "--json").stdout)
    assert (content["nfp"], content["error"]) == (None, None)


def test_the_project_names_the_property(run: Run, folder: Path) -> None:
    """The property of splc.toml is used if the file has it; its absence is not an error."""
    (folder / "splc.toml").write_text('nfp = "energy"\n', encoding="utf-8")
    assert json.loads(run("predict", "model.txt", "measurements.csv", "--json").stdout)["nfp"] == "energy"
    assert json.loads(run("predict", "model.txt", "configs.csv", "--json").stdout)["nfp"] is None


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


def test_invalid_configurations(run: Run, refused: Refused, folder: Path) -> None:
    """Rows that are no valid configuration are refused with their lines, or dropped and named."""
    (folder / "configs.csv").write_text(TABLE + "1,0,1,1\n0,1,0,3\n", encoding="utf-8")
    message = refused("predict", "model.txt", "configs.csv")
    assert "configs.csv:5: " in message
    assert "configs.csv:6: x cannot be 3" in message
    result = run("predict", "model.txt", "configs.csv", "--invalid", "drop")
    assert len(result.stdout.splitlines()) == 4
    assert "2 of 5 rows dropped" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.log", "configs.csv"), "nothing.log: there is no such file"),
        (("model.txt", "nothing.csv"), "nothing.csv: there is no such file"),
        (("model.txt", "cache,x=4"), "or use splc explain model.txt cache,x=4"),
        (("system.xml", "configs.csv"), "system.xml: this is a system description, not a model"),
        (("model.txt", "measurements.csv", "--property", "tiem"), "did you mean 'time'?"),
        (("-", "-"), "only one of the two"),
        (("model.txt", "configs.csv", "-o", "configs.csv"), "this is an input"),
        (("model.txt", "configs.csv", "-o", "nowhere/p.csv"), "there is no folder"),
        (("model.txt", "configs.csv", "-o", "-", "--json"), "--output"),
    ],
)
def test_refusals(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    """Whatever is wrong is refused with a message."""
    assert message in refused("predict", *arguments)


def test_a_property_that_was_not_measured(run: Run, folder: Path) -> None:
    """Configurations without any property are predicted, also if `--property` names one, which the table may need."""
    result = run("predict", "model.txt", "configs.csv", "--property", "time")
    assert result.stdout == run("predict", "model.txt", "configs.csv").stdout
    assert "configs.csv has no values of time: no error is given" in result.stderr
    (folder / "system.xml").unlink()
    named = ("--measurements", "measurements.csv", "--property", "time")
    assert run("predict", "model.txt", "configs.csv", *named).stdout == result.stdout


def test_a_model_of_another_system(refused: Refused, folder: Path) -> None:
    """A model with an unknown option is refused with file and line, and the nearest option."""
    (folder / "model.txt").write_text("# mine\n2 * cash\n", encoding="utf-8")
    message = refused("predict", "model.txt", "configs.csv")
    assert message.startswith("model.txt:2:")
    assert "unknown name 'cash'" in message
    assert "did you mean 'cache'?" in message


def test_a_property_called_predicted(run: Run, folder: Path) -> None:
    """A property that is itself called predicted keeps its column."""
    text = MEASUREMENTS.replace("time,energy", "predicted,energy")
    (folder / "measurements.csv").write_text(text, encoding="utf-8")
    header = run("predict", "model.txt", "measurements.csv", "--property", "predicted").stdout.splitlines()[0]
    assert header == "cache,left,right,x,predicted,predicted_predicted"


def test_a_model_without_a_value(refused: Refused, folder: Path) -> None:
    """The message names the term and configuration for which a model has no finite value."""
    (folder / "model.txt").write_text("1 / cache", encoding="utf-8")
    assert "cache^-1 has no finite value" in refused("predict", "model.txt", "configs.csv")


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


def test_a_converted_model_keeps_its_property(run: Run) -> None:
    """The property of a model is kept by conversions into formats that can state it."""
    assert run("learn", "--property", "energy").exit_code == 0
    assert run("convert", "learned.log", "-o", "a.json").exit_code == 0
    assert run("convert", "a.json", "-o", "b.log").exit_code == 0
    assert [read_stored_model(name).nfp for name in ("a.json", "b.log")] == ["energy", "energy"]


def test_a_property_of_several_is_not_guessed(run: Run) -> None:
    """A model text does not say what it is about: of several properties none is judged, and stderr says why."""
    result = run("predict", "model.txt", "measurements.csv")
    assert result.stdout.splitlines()[0] == "cache,left,right,x,predicted"
    assert "no error is given: there are several properties (time, energy)" in result.stderr
    assert "choose one with --property" in result.stderr


def test_each_learning_of_a_log_has_its_property(folder: Path) -> None:
    """In a log of several learnings the property is that of the learning whose model is read."""
    learning = "command: nfp {}\nLearning progress:\n1;2 * x;1;1;1;1;0;1;2 * x;1;1;\n"
    text = learning.format("time") + learning.format("main memory") + "command: nfp energy\n"
    (folder / "a.log").write_text(text, encoding="utf-8")
    assert read_stored_model("a.log").nfp == "main memory"


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ("1 / cache", "cache^-1 has no finite value where cache = 0"),
        ("1e307 * x^3", "1e+307 * x^3 has no finite value where x = 4"),
        ("1e308 + 1e308 * left", "the prediction is too large to be a number"),
    ],
)
@pytest.mark.parametrize("name", ["configs.csv", "measurements.csv", "m.xml"])
def test_where_a_model_has_no_value(run: Run, refused: Refused, folder: Path, model: str, what: str, name: str) -> None:
    """A configuration without a prediction is named by file and line, and the influence is blamed where it is why."""
    if name == "m.xml":
        assert run("convert", "measurements.csv", "-o", name).exit_code == 0
    (folder / "model.txt").write_text(model, encoding="utf-8")
    message = refused("predict", "model.txt", name, "--property", "time") if name != "configs.csv" else ""
    message = message or refused("predict", "model.txt", name)
    file, line, rest = message.split(":", 2)
    assert file == name
    assert rest.startswith(f" {what}")
    following = (folder / name).read_text(encoding="utf-8").splitlines()[int(line) - 1 :]
    if what.endswith("x = 4"):
        assert ",4" in following[0] if name.endswith(".csv") else "x;4" in "".join(following).split("</row>")[0]


class TestIntervals:
    def test_the_columns(self, run: Run, folder: Path) -> None:
        """The table has the columns low and high, which hold most measured values; the note says how many."""
        run("learn", "--property", "time", "--learner", "projection", "-o", "m.json")
        result = run("predict", "m.json", "measurements.csv", "--interval")
        assert result.exit_code == 0, result.stderr
        rows = list(csv.DictReader(result.stdout.splitlines()))
        assert list(rows[0])[-4:] == ["time", "predicted", "low", "high"]
        assert all(float(row["low"]) < float(row["predicted"]) < float(row["high"]) for row in rows)
        inside = sum(float(row["low"]) <= float(row["time"]) <= float(row["high"]) for row in rows) / len(rows)
        assert f"{inside * 100:.3g} % of the measured values lie in the 90 % prediction intervals" in result.stderr
        found = json.loads(run("predict", "m.json", "measurements.csv", "--interval", "--json").stdout)["intervals"]
        assert (found["level"], found["covered"]) == (0.9, pytest.approx(inside))
        assert found["low"] == [float(row["low"]) for row in rows]
        assert json.loads(run("predict", "m.json", "measurements.csv", "--json").stdout)["intervals"] is None

    def test_without_intervals(self, run: Run, refused: Refused, folder: Path) -> None:
        """A model without intervals is refused."""
        run("learn", "--property", "time", "-o", "learned.log")
        message = refused("predict", "learned.log", "measurements.csv", "--interval")
        assert "learned.log has no prediction intervals" in message
        assert "-o model.json" in message


class TestExtrapolation:
    @pytest.fixture(autouse=True)
    def _far(self, folder: Path) -> None:
        (folder / "far.csv").write_text("cache,left,right,x\n0,1,0,8\n1,1,0,3\n0,1,0,4\n", encoding="utf-8")

    def test_refused_with_a_hint(self, refused: Refused) -> None:
        """Without the option, unlisted values are refused, and the message names the option."""
        message = refused("predict", "model.txt", "far.csv")
        assert "far.csv:2: x cannot be 8; its values are 1, 2, 4" in message
        assert "far.csv:3: x cannot be 3" in message
        assert "--extrapolate predicts values of x that the description does not list" in message

    def test_no_hint_for_other_problems(self, refused: Refused, folder: Path) -> None:
        """Errors that extrapolation does not help with have no such hint."""
        (folder / "far.csv").write_text("cache,left,right,x\n2,1,0,4\n", encoding="utf-8")
        assert "--extrapolate" not in refused("predict", "model.txt", "far.csv")

    def test_predictions(self, run: Run) -> None:
        """Unlisted values are predicted by the formula; a warning says which they are, and JSON for which rows."""
        result = run("predict", "model.txt", "far.csv", "--extrapolate")
        assert result.exit_code == 0, result.stderr
        assert result.stdout == "cache,left,right,x,predicted\n0,1,0,8,8\n1,1,0,3,13\n0,1,0,4,4\n"
        assert "warning: 2 configurations have values that the description does not list" in result.stderr
        assert "    x = 3, 8 (listed are 1 to 4; 1 beyond)" in result.stderr
        assert "their predictions are extrapolations, for which" in result.stderr
        assert "note: model.txt has no prediction intervals" in result.stderr
        found = json.loads(run("predict", "model.txt", "far.csv", "--extrapolate", "--json").stdout)
        assert found["extrapolated"] == [True, True, False]
        assert json.loads(run("predict", "model.txt", "configs.csv", "--json").stdout)["extrapolated"] is None

    def test_values_between_listed_ones(self, run: Run, folder: Path) -> None:
        """A value between listed ones is no extrapolation."""
        (folder / "far.csv").write_text("cache,left,right,x\n1,1,0,3\n", encoding="utf-8")
        message = run("predict", "model.txt", "far.csv", "--extrapolate").stderr
        assert "their predictions are interpolations between listed values" in message
        assert "x = 3 (listed are 1 to 4; all between)" in message

    def test_intervals(self, run: Run) -> None:
        """A JSON model gives intervals, wider beyond the listed values."""
        run("learn", "--property", "time", "-o", "m.json")
        result = run("predict", "m.json", "far.csv", "--extrapolate")
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(result.stdout.splitlines())]
        widths = [row["high"] - row["low"] for row in rows]
        assert all(row["low"] < row["predicted"] < row["high"] for row in rows)
        assert widths[0] > widths[2] > 0

    def test_listed_values_only(self, run: Run) -> None:
        """A file without unlisted values is predicted as without the option."""
        result = run("predict", "model.txt", "configs.csv", "--extrapolate")
        assert result.stdout == run("predict", "model.txt", "configs.csv").stdout
        assert "does not list" not in result.stderr

    def test_measured_values(self, run: Run, folder: Path) -> None:
        """Measured values of unlisted ones judge the predictions."""
        (folder / "far.csv").write_text("cache,left,right,x,time\n0,1,0,8,10\n0,1,0,4,4\n", encoding="utf-8")
        found = json.loads(run("predict", "model.txt", "far.csv", "--extrapolate", "--json").stdout)
        assert found["error"] == pytest.approx(10)

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ("1,0,1,8", "far.csv:2: the configuration violates: "),
            ("2,1,0,8", "cache is a binary option and cannot be 2"),
            ("0,1,0,many", "x: 'many' is not one of its values"),
        ],
    )
    def test_constraints_hold(self, refused: Refused, folder: Path, row: str, message: str) -> None:
        """Only values of numeric options are extrapolated: constraints and binary options are as described."""
        (folder / "far.csv").write_text(f"cache,left,right,x\n{row}\n", encoding="utf-8")
        assert message in refused("predict", "model.txt", "far.csv", "--extrapolate")

    def test_arithmetic_constraints_hold(self, refused: Refused, run: Run, folder: Path) -> None:
        """Constraints among numbers are evaluated at the unlisted values."""
        text = (folder / "system.xml").read_text(encoding="utf-8")
        limit = "<nonBooleanConstraints><constraint>x &lt;= 6</constraint></nonBooleanConstraints></vm>"
        (folder / "system.xml").write_text(text.replace("</vm>", limit), encoding="utf-8")
        message = refused("predict", "model.txt", "far.csv", "--extrapolate")
        assert "far.csv:2: the configuration violates: x <= 6" in message
        assert "far.csv:3" not in message

    def test_values_without_intervals(self, run: Run, folder: Path) -> None:
        """A value that is not positive has no interval where all listed ones are, since logarithms are used."""
        run("learn", "--property", "energy", "-o", "m.json", "--form", "sum")
        (folder / "far.csv").write_text("cache,left,right,x\n0,1,0,-1\n0,1,0,3\n", encoding="utf-8")
        result = run("predict", "m.json", "far.csv", "--extrapolate")
        assert result.exit_code == 0, result.stderr
        rows = list(csv.DictReader(result.stdout.splitlines()))
        assert (rows[0]["low"], rows[0]["high"]) == ("", "")
        assert float(rows[1]["low"]) < 30 < float(rows[1]["high"])

    def test_other_formats(self, run: Run, refused: Refused) -> None:
        """Only tables with a header are extrapolated."""
        run("convert", "measurements.csv", "-o", "m.xml")
        message = refused("predict", "model.txt", "m.xml", "--extrapolate")
        assert "m.xml is not a CSV table with a header" in message


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
