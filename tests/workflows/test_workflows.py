"""Workflows called from Python: the same results as commands, and nothing printed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sampling import Space
from splc import read_model, read_variability_model
from splc.cli.app import app
from splc.errors import ConfigurationError, RequestError
from splc.project import Project
from splc.workflows import calibrate, convert, describe, explain, measure, optimize, predict, sample
from splc.workflows.measure.outcome import Outputs
from splc.workflows.verb import Watch


def printed(*arguments: str) -> Any:
    """Return the JSON object that a command prints."""
    return json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)


@pytest.mark.usefixtures("project")
class TestResults:
    def test_describe(self) -> None:
        """The number of valid configurations is that of the command."""
        assert describe.run(describe.Request()).description.count == printed("describe")["valid_configurations"]

    def test_sample(self) -> None:
        """The sampled configurations are those of the command."""
        result = sample.run(sample.Request(sampling="random:5", seed=3))
        found = printed("sample", "--sampling", "random:5", "--seed", "3")
        rows = [result.sample.configurations.assignment(row) for row in range(5)]
        assert rows == found["rows"]

    def test_predict(self) -> None:
        """Predictions and their error are those of the command."""
        request = predict.Request(model="analytical.txt", configurations="measurements.csv", nfp="solve_seconds")
        result = predict.run(request)
        found = printed("predict", "analytical.txt", "measurements.csv", "--property", "solve_seconds")
        assert result.error == found["error"]
        assert result.predicted.tolist() == found["predicted"]

    def test_contributions(self) -> None:
        """Contributions without files are those of the command; configurations may be tables of one row."""
        system = read_variability_model("system.xml")
        model = read_model("analytical.txt", system, parameters=Project.load(Path()).parameters())
        asked = {"px": [4], "py": [4], "nx": [400]}
        found = explain.contributions(model, Space(system), asked)
        shown = printed("explain", "analytical.txt", "px=4,py=4,nx=400")
        assert found.predicted == shown["predicted"]
        assert found.reference == shown["reference"]
        assert found.to_columns()["contribution"] == [each["contribution"] for each in shown["terms"]]
        other = explain.contributions(model, Space(system), asked, {"px": [1], "py": [4], "nx": [400]})
        assert sum(other.to_columns()["difference"]) == pytest.approx(other.predicted - other.reference)
        with pytest.raises(ConfigurationError, match="one configuration is explained, not 2"):
            explain.contributions(model, Space(system), {name: values * 2 for name, values in asked.items()})

    def test_calibrate(self, project: Path) -> None:
        """Estimates are those of the command; `write` writes them as parameters."""
        result = calibrate.run(calibrate.Request(free=("alpha", "beta"), output="fitted.toml"))
        assert isinstance(result, calibrate.Result)
        found = printed("calibrate", "--free", "alpha,beta")
        assert [each.value for each in result.calibration.estimates] == [
            each["estimate"] for each in found["parameters"]
        ]
        calibrate.write(result, "fitted.toml")
        assert "alpha" in (project / "fitted.toml").read_text(encoding="utf-8")

    def test_convert(self, project: Path) -> None:
        """A file is written, and the result says what it contains."""
        result = convert.run(convert.Request(source="analytical.txt", output="model.json"))
        written = json.loads((project / "model.json").read_text(encoding="utf-8"))
        assert result.content == f"a model of {len(written['model']['terms'])} terms"
        assert result.form == "json"

    def test_measure(self, project: Path) -> None:
        """A preview runs nothing; a run reports its progress and writes the measurements."""
        request = measure.Request(
            command="echo {px}", properties=(r"ranks=regex:(\d+)",), sampling="pb:9,3", output="new.csv"
        )
        planned = measure.run(replace(request, dry=True))
        assert isinstance(planned, measure.Preview)
        assert planned.left.runs == 9
        assert not (project / "new.csv").exists()
        steps: list[str] = []
        watch = Watch()
        watch.advance = lambda done, total, text: steps.append(text)  # type: ignore[method-assign]
        result = measure.run(replace(request, command="sh -c 'test {px} -gt 1 && echo {px}'"), watch)
        assert isinstance(result, measure.Result)
        assert (result.written, result.interrupted, result.progress.total) == (True, False, 9)
        failed = len(result.session.recorded.failed)
        assert steps[0] == "0 of 9 runs"
        assert re.fullmatch(r"1 of 9 runs(, 1 failed)?, about [\d.e-]+ s left", steps[1])
        assert steps[-1] == f"9 of 9 runs, {failed} failed, about 0 s left"
        request = replace(request, command=None)
        assert (project / "new.csv").exists()
        again = measure.run(replace(request, resume=True))
        assert [note.text for note in again.notes][1:] == ["9 runs are recorded already"]


@pytest.mark.parametrize(
    ("output", "journal", "wanted"),
    [
        ("m.csv", None, ("m.journal", "m.failures.csv")),
        ("new/m.csv.gz", None, ("new/m.journal", "new/m.failures.csv")),
        # Before the hyphen in the order of characters.
        ("+m.csv", None, ("+m.journal", "+m.failures.csv")),
        ("m.csv", "j", ("j", "m.failures.csv")),
        ("-", "j", ("j", "j.failures.csv")),
    ],
)
def test_files_of_a_measurement(output: str, journal: str | None, wanted: tuple[str, str]) -> None:
    """The journal and the failures are named after the output; standard output has no name to give."""
    found = Outputs.of(output, journal)
    assert (found.measurements, found.journal, found.failures) == (output, *wanted)
    with pytest.raises(RequestError, match="the journal needs a name") as caught:
        Outputs.of("-", None)
    assert caught.value.fields == ("journal",)


@pytest.mark.usefixtures("project")
def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Workflows return notes instead of printing them."""
    result = predict.run(predict.Request(model="analytical.txt", configurations="measurements.csv", nfp="messages"))
    measure.run(measure.Request(command="echo {px}", sampling="pb:9,3", output="new.csv"))
    assert result.error is not None
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("project")
def test_wrong_requests_name_their_fields() -> None:
    """The error of a wrong request has the fields that are wrong."""
    with pytest.raises(RequestError) as caught:
        calibrate.run(calibrate.Request(free=("alpha",), level=95))
    assert caught.value.fields == ("level",)
    with pytest.raises(RequestError, match="no model uses a parameter 'gamma'") as caught:
        optimize.run(optimize.Request(models=("analytical.txt",), parameter={"gamma": 1.0}))
    assert caught.value.fields == ("parameter",)


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "--property", "nothing"),
        ("learn", "--sampling", "random:999999"),
        ("calibrate", "--free", "alpha", "--property", "nothing"),
        ("compare", "analytical.txt", "analytical.txt", "--property", "nothing"),
        ("compare", "analytical.txt", "analytical.txt", "--weights", "px^7"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_was_left_out_is_reported_before_an_error(project: Path, arguments: tuple[str, ...]) -> None:
    """A workflow that fails after reading reports what the reader dropped, then the error."""
    table = project / "measurements.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    columns = lines[0].split(",")
    values = lines[1].split(",")
    values[columns.index("solve_seconds")] = "NA"
    table.write_text("\n".join((lines[0], ",".join(values), *lines[2:])) + "\n", encoding="utf-8")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    warning, error = result.stderr.split("\n", 1)
    assert warning.startswith("warning: measurements.csv: 1 value of solve_seconds is missing")
    assert not any(line.startswith(("warning", "note")) for line in error.splitlines()[1:])
