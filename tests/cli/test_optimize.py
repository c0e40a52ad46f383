"""`splc optimize`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sampling import Space
from splc.formats.models.json_writer import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.intervals import READERS
from tests.cli.conftest import Run
from tests.support.learning_results import Band, small_system, uncertain_result
from tests.support.paths import SMG2000

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


def optimal(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("optimize", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_least_and_the_greatest(run: Run) -> None:
    """The valid configuration with the least predicted value is found, with --maximize the greatest."""
    least = optimal(run, "model.txt")
    assert least["schema"] == "splc.optimize/1"
    assert least["configuration"] == {"cache": 1, "left": 1, "right": 0, "x": 4}
    assert least["predicted"] == 2.0
    greatest = optimal(run, "model.txt", "--maximize")
    assert greatest["configuration"] == {"cache": 0, "left": 0, "right": 1, "x": 1}
    assert greatest["predicted"] == 19.0


def test_the_table(run: Run) -> None:
    """People get the predicted value and a table of options."""
    lines = run("optimize", "model.txt").stdout.splitlines()
    assert lines[0] == "predicted: 2 (least of all valid configurations)"
    assert [line.split() for line in lines[2:]] == [
        ["cache", "selected"],
        ["left", "selected", "unused"],
        ["x", "4"],
    ]


def test_ties_go_to_the_first(run: Run, folder: Path) -> None:
    """Of equally good configurations the first in order is taken."""
    (folder / "model.txt").write_text("0 * x + 7", encoding="utf-8")
    assert optimal(run, "model.txt")["configuration"] == {"cache": 0, "left": 0, "right": 1, "x": 1}


def test_the_limit(refused: Refused) -> None:
    """More configurations than the limit allows are refused, not searched in part."""
    assert "raise --limit" in refused("optimize", "model.txt", "--limit", "2")


def test_standard_input(run: Run) -> None:
    """The model may come from standard input."""
    assert json.loads(run("optimize", "-", "--json", stdin="x").stdout)["predicted"] == 1.0


def test_a_learned_log(run: Run) -> None:
    """The optimum of a learned log is predicted by it, too."""
    run("learn", "--property", "time")
    found = optimal(run, "learned.log")
    header = ",".join(found["configuration"])
    row = ",".join(str(value) for value in found["configuration"].values())
    table = run("predict", "learned.log", "-", stdin=f"{header}\n{row}\n").stdout
    assert float(table.splitlines()[1].rpartition(",")[2]) == pytest.approx(found["predicted"])


@pytest.mark.parametrize(
    ("content", "message"),
    [("2 * cash", "did you mean 'cache'?"), ("1 / cache", "has no finite value"), ("", "model.txt: the file is empty")],
)
def test_refusals(refused: Refused, folder: Path, content: str, message: str) -> None:
    """A model that cannot be used is refused with a message."""
    (folder / "model.txt").write_text(content, encoding="utf-8")
    assert message in refused("optimize", "model.txt")


def test_the_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the case study the least predicted time is found among its configurations, and below the greatest."""
    monkeypatch.chdir(SMG2000 / "3d")
    log = str(tmp_path / "learned.log")
    run("learn", "--sampling", "pb:25,5", "-o", log)
    found = optimal(run, log)
    assert set(found["configuration"]) == {"px", "py", "pz", "nx"}
    assert found["predicted"] <= json.loads(run("optimize", log, "--json", "--maximize").stdout)["predicted"]


def test_where_a_model_has_no_value(refused: Refused, folder: Path) -> None:
    """The configuration without a value is named by its values, not by a number."""
    (folder / "model.txt").write_text("x * right / cache + left * x", encoding="utf-8")
    message = refused("optimize", "model.txt")
    assert "cache^-1 * right * x has no finite value where cache = 0" in message
    assert "in a configuration with cache = 0, " in message
    assert "configuration 0" not in message


def test_options_that_the_model_does_not_use(run: Run, folder: Path) -> None:
    """Options that no term is about have a value, but are marked; where all are used nothing is said."""
    (folder / "model.txt").write_text("10 - x + 0 * right", encoding="utf-8")
    found = optimal(run, "model.txt")
    assert found["unused"] == ["cache", "left", "right"]
    assert set(found["configuration"]) == {"cache", "left", "right", "x"}
    result = run("optimize", "model.txt")
    assert [line.split() for line in result.stdout.splitlines()[2:]][-1] == ["x", "4"]
    assert result.stdout.count("unused") == 1
    assert "note: not used by the model: cache, left, right\n" in result.stderr
    assert "note: not used by the models: cache, left, right\n" in run("optimize", "model.txt", "model.txt").stderr
    (folder / "model.txt").write_text("cache + left + right + x", encoding="utf-8")
    assert optimal(run, "model.txt")["unused"] == []
    result = run("optimize", "model.txt")
    assert "unused" not in result.stdout
    assert "not used" not in result.stderr


class TestGroups:
    """A column of text as an alternative group."""

    ARGUMENTS = ("--measurements", "table.csv", "--options", "codec,x")

    @pytest.fixture(autouse=True)
    def _table(self, folder: Path) -> None:
        rows = [f"{codec},{x},{x}" for codec in ("bz2", "lzma", "zlib") for x in (1, 2)]
        (folder / "table.csv").write_text("\n".join(["codec,x,time", *rows]), encoding="utf-8")
        (folder / "system.xml").unlink()
        (folder / "model.txt").write_text("3 * codec_bz2 + 2 * codec_lzma + codec_zlib + x", encoding="utf-8")

    def test_the_parent_is_not_unused(self, run: Run, folder: Path) -> None:
        """The parent of a group with used children is no unused option, and a member without a term is one."""
        assert optimal(run, "model.txt", *self.ARGUMENTS)["unused"] == []
        result = run("optimize", "model.txt", *self.ARGUMENTS)
        assert "unused" not in result.stdout
        assert "not used" not in result.stderr
        (folder / "model.txt").write_text("3 * codec_bz2 + 2 * codec_lzma + x", encoding="utf-8")
        found = optimal(run, "model.txt", *self.ARGUMENTS)
        assert found["unused"] == ["codec_zlib"]
        # It is selected where the others are not.
        assert found["free"] == []
        assert "not used" not in run("optimize", "model.txt", *self.ARGUMENTS).stderr
        (folder / "model.txt").write_text("2 * codec_lzma + x", encoding="utf-8")
        assert optimal(run, "model.txt", *self.ARGUMENTS)["free"] == ["codec_bz2", "codec_zlib"]

    def test_the_value_of_a_group(self, run: Run, refused: Refused) -> None:
        """A group is fixed to one of its values."""
        assert optimal(run, "model.txt", "--fix", "codec=lzma", *self.ARGUMENTS)["predicted"] == 3
        message = refused("optimize", "model.txt", "--fix", "codec=lz4", *self.ARGUMENTS)
        assert "codec cannot be 'lz4'; its values are bz2, lzma, zlib" in message

    def test_without_a_model(self, run: Run) -> None:
        """A model is learned with the named options."""
        found = optimal(run, "--property", "time", *self.ARGUMENTS)
        assert found["configuration"].keys() == {"codec", "codec_bz2", "codec_lzma", "codec_zlib", "x"}

    def test_what_is_in_all(self, run: Run, folder: Path) -> None:
        """The options in all configurations are listed without those that are always selected, or not at all."""
        lines = run("optimize", "model.txt", "--top", "6", *self.ARGUMENTS).stdout.splitlines()
        assert lines[2].split() == ["1", "2", "1", "codec_zlib,", "x=1"]
        assert not any(line.startswith("in all") for line in lines)
        lines = run("optimize", "model.txt", "--top", "2", "--fix", "codec=bz2", *self.ARGUMENTS).stdout.splitlines()
        assert "in all: codec_bz2" in lines
        lines = run("optimize", "model.txt", "--top", "2", "--property", "time", *self.ARGUMENTS).stdout.splitlines()
        assert lines[-1].startswith("best measured: ")
        assert lines[-1].partition("): ")[2].split(",")[0].startswith("codec_")


class TestMeasurements:
    def test_the_best_measured_configuration(self, run: Run, folder: Path) -> None:
        """The measured value of the configuration and the best measured one are given, in the text and as JSON."""
        (folder / "model.txt").write_text("5 + x - 4 * right - cache", encoding="utf-8")
        found = optimal(run, "model.txt", "--property", "time")
        assert (found["nfp"], found["measured"], found["predicted"]) == ("time", 1.5, 2.0)
        assert found["best_measured"] == {
            "configuration": {"cache": 0, "left": 0, "right": 1, "x": 1},
            "measured": 1.5,
            "predicted": 2.0,
        }
        lines = run("optimize", "model.txt", "--property", "time").stdout.splitlines()
        assert lines[-2:] == ["measured: 1.5 (time)", "best measured: this configuration"]
        found = optimal(run, "model.txt", "--property", "time", "--maximize")
        assert (found["measured"], found["predicted"]) == (5, 9)
        assert found["best_measured"]["measured"] == 14
        assert found["best_measured"]["configuration"] == {"cache": 1, "left": 1, "right": 0, "x": 4}
        lines = run("optimize", "model.txt", "--property", "time", "--maximize").stdout.splitlines()
        assert lines[1].split() == ["option", "value", "best", "measured", "in", "the", "model"]
        assert lines[2].split() == ["cache", "-", "selected"]
        assert lines[-2:] == ["measured: 5 (time)", "best measured: 14 (predicted 8)"]

    def test_a_configuration_that_was_not_measured(self, run: Run, folder: Path) -> None:
        """Without a measured value the output says so, and JSON has null."""
        table = "cache,left,right,x,time\n0,1,0,1,3\n0,0,1,2,2\n"
        (folder / "measurements.csv").write_text(table, encoding="utf-8")
        assert optimal(run, "model.txt")["measured"] is None
        assert optimal(run, "model.txt")["best_measured"]["measured"] == 2
        text = run("optimize", "model.txt").stdout
        assert "measured: nothing (time was not measured for this configuration)" in text
        assert "best measured: 2 (predicted 18)" in text

    def test_without_measurements(self, run: Run, empty: Path) -> None:
        """Measurements are not needed."""
        found = optimal(run, "model.txt")
        assert (found["measured"], found["best_measured"], found["nfp"], found["interval"]) == (None, None, None, None)

    def test_measurements_that_cannot_be_used(self, run: Run, refused: Refused, folder: Path) -> None:
        """A note says why measured values are missing; it is an error if they were asked for."""
        result = run("optimize", "model.txt")
        assert "measured values are not shown: there are several properties: time, energy; choose one" in result.stderr
        assert "the property 'power' was not measured" in refused("optimize", "model.txt", "--property", "power")
        (folder / "measurements.csv").write_text("nonsense", encoding="utf-8")
        assert "measured values are not shown: " in run("optimize", "model.txt").stderr
        assert "measurements.csv" in refused("optimize", "model.txt", "--measurements", "measurements.csv")

    def test_the_property_of_the_model(self, run: Run, folder: Path) -> None:
        """The property that a log states is used; another one is a warning."""
        run("learn", "--property", "energy", "-o", "energy.log")
        assert optimal(run, "energy.log")["nfp"] == "energy"
        result = run("optimize", "energy.log", "--property", "time")
        assert "warning: the model predicts 'energy', but is compared with measured values of 'time'" in result.stderr

    @pytest.mark.parametrize(
        ("model", "message"),
        [
            ("3 - x", "the predicted value of time is negative: -1, although no measured value is negative"),
            ("3 - 0.5 * x", None),
            ("140.5 + 0 * x", "the predicted value of time exceeds ten times the measured range (1.5 to 14): 140.5"),
            ("140 + 0 * x", None),
        ],
    )
    def test_implausible_predictions(self, run: Run, folder: Path, model: str, message: str | None) -> None:
        """A negative optimum is a warning if no measured value is negative, as is one far beyond all values."""
        (folder / "model.txt").write_text(model, encoding="utf-8")
        result = run("optimize", "model.txt", "--property", "time")
        assert result.exit_code == 0
        warnings = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
        assert warnings == ([] if message is None else [f"warning: {message}"])


@pytest.mark.parametrize("maximize", [False, True])
def test_a_product_with_intervals(run: Run, folder: Path, maximize: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum of a product is that of its sum; a stored model gives its interval."""
    result = uncertain_result("log")
    result_system = small_system()
    monkeypatch.setitem(READERS, "band", lambda content, _: Band(result.model, content["width"]))
    write_variability_model(result_system, folder / "small.xml")
    (folder / "m.json").write_text(learned_json_text(result), encoding="utf-8")
    arguments = ("m.json", "--system", "small.xml", *(["--maximize"] if maximize else []))
    found = optimal(run, *arguments)
    predicted = result.model.predict(Space(result_system).enumerate())
    best = predicted.max() if maximize else predicted.min()
    assert found["predicted"] == pytest.approx(best)
    assert found["interval"] == pytest.approx({"level": 0.9, "low": best * 0.875, "high": best * 1.125})
    first = run("optimize", *arguments).stdout.splitlines()[0]
    assert first.endswith(f", 90 % interval {best * 0.875:.6g} to {best * 1.125:.6g}")


class TestFix:
    @pytest.mark.parametrize(
        ("fixed", "wanted", "predicted"),
        [
            (("x=2",), {"cache": 1, "left": 1, "right": 0, "x": 2}, 6),
            (("right", "x=1"), {"cache": 0, "left": 0, "right": 1, "x": 1}, 19),
            (("cache=0",), {"cache": 0, "left": 1, "right": 0, "x": 4}, 12),
        ],
    )
    def test_values(self, run: Run, fixed: tuple[str, ...], wanted: dict[str, int], predicted: float) -> None:
        """The optimum is among the configurations with the values; JSON lists them and the text names them."""
        arguments = [part for text in fixed for part in ("--fix", text)]
        found = optimal(run, "model.txt", *arguments)
        assert (found["configuration"], found["predicted"]) == (wanted, predicted)
        assert found["fixed"] == {text.partition("=")[0]: wanted[text.partition("=")[0]] for text in fixed}
        first = run("optimize", "model.txt", *arguments).stdout.splitlines()[0]
        assert first.endswith(f"of all valid configurations with {', '.join(fixed)})")

    def test_best_measured(self, run: Run) -> None:
        """The best measured configuration has the values, too; a note is given where none was measured."""
        found = optimal(run, "model.txt", "--property", "time", "--fix", "right")
        assert found["best_measured"]["configuration"]["right"] == 1
        assert found["best_measured"]["measured"] == 1.5

    def test_no_measured_configuration(self, run: Run, folder: Path) -> None:
        """The text says that no measured configuration has the fixed values."""
        (folder / "measurements.csv").write_text("cache,left,right,x,time\n0,1,0,1,3\n", encoding="utf-8")
        found = optimal(run, "model.txt", "--fix", "right")
        assert (found["measured"], found["best_measured"]) == (None, None)
        text = run("optimize", "model.txt", "--fix", "right").stdout
        assert "best measured: no measured configuration has the fixed values" in text

    @pytest.mark.parametrize(
        ("fixed", "message"),
        [
            (("cache", "right"), "no valid configuration has cache, right; it contradicts: "),
            (("x=3",), "x cannot be 3; its values are 1, 2, 4"),
            (("x=1", "x=2"), "x has two values"),
            (("cash",), "did you mean 'cache'?"),
            (("x=1,cache=1",), "unknown option 'x=1,cache' give each value by itself: x=1, cache=1"),
            (("x=1,cash=1",), "unknown option 'x=1,cash' known are: "),
            (("cash=1,left=1",), "unknown option 'cash=1,left' known are: "),
        ],
    )
    def test_refusals(self, refused: Refused, fixed: tuple[str, ...], message: str) -> None:
        """Values that no valid configuration has are refused, with the constraints that exclude them."""
        arguments = [part for text in fixed for part in ("--fix", text)]
        assert message in " ".join(refused("optimize", "model.txt", *arguments).split())


class TestTop:
    def test_several(self, run: Run) -> None:
        """The best configurations are listed in order, with intervals and measured values in JSON."""
        found = optimal(run, "model.txt", "--top", "4", "--property", "time")
        assert [each["predicted"] for each in found["top"]] == [2, 6, 8, 12]
        assert [each["measured"] for each in found["top"]] == [14, 12, 11, 5]
        assert found["top"][0]["configuration"] == found["configuration"]
        assert found["predicted"] == 2
        lines = run("optimize", "model.txt", "--top", "4", "--property", "time").stdout.splitlines()
        assert lines[0] == "the 4 least of all valid configurations"
        assert lines[1].split() == ["#", "predicted", "measured", "other", "selected", "options"]
        assert lines[2].split() == ["1", "2", "14", "cache,", "x=4"]
        assert lines[6] == "in all: left"
        assert lines[-1] == "best measured: 1.5 (predicted 19): right, x=1"

    def test_more_than_there_are(self, run: Run) -> None:
        """There are as many as are valid."""
        assert len(optimal(run, "model.txt", "--top", "1000")["top"]) == 9
        assert len(optimal(run, "model.txt", "--top", "1000", "--fix", "x=1")["top"]) == 3

    def test_the_greatest(self, run: Run) -> None:
        """With --maximize the greatest are listed."""
        found = optimal(run, "model.txt", "--top", "2", "--maximize")
        assert [each["predicted"] for each in found["top"]] == [19, 18]
