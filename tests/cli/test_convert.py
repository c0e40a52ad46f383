"""`splc convert`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splc import Measurements, read_measurements, read_model, read_variability_model
from splc.formats.detect import kind_of
from splc.io.files import Source
from tests.cli.conftest import SYSTEM, Run, description

Refused = Callable[..., str]
ROUND = "1;2 * cache + 3 * x;1;1;1;1;0.1;2;3 * x;1;1;1\n"


def measured(path: str) -> Measurements:
    """Read measurements of the small system."""
    return read_measurements(path, read_variability_model("system.xml"))


def same(one: Measurements, other: Measurements) -> bool:
    """Return whether two measurements hold the same configurations and values."""
    return one.configurations == other.configurations and all(
        np.array_equal(one.repetitions(nfp), other.repetitions(nfp), equal_nan=True) for nfp in one.properties
    )


class TestMeasurements:
    @pytest.mark.parametrize("suffix", [".xml", ".csv", ".xml.gz", ".csv.gz"])
    def test_there_and_back(self, run: Run, folder: Path, suffix: str) -> None:
        """Measurements survive a conversion into every format that keeps repetitions, and back."""
        assert run("convert", "measurements.csv", "-o", f"a{suffix}").exit_code == 0
        assert run("convert", f"a{suffix}", "-o", "b.csv").exit_code == 0
        assert same(measured(f"a{suffix}"), measured("measurements.csv"))
        assert (folder / "b.csv").read_bytes() == (folder / "measurements.csv").read_bytes()

    def test_for_spl_conqueror(self, run: Run, folder: Path) -> None:
        """SPL Conqueror's table has a root column and the aggregate of the repetitions."""
        arguments = ("convert", "measurements.csv", "--to", "splconqueror-csv", "--aggregate", "min", "-o", "-")
        lines = run(*arguments).stdout.splitlines()
        assert lines[0] == "root;cache;left;right;x;time;energy"
        assert lines[1] == "1;0;1;0;1;1;10"
        assert len(lines) == 10

    def test_what_is_lost_for_spl_conqueror(self, run: Run, folder: Path) -> None:
        """That repetitions become one value and names lose characters is said where it is so."""
        result = run("convert", "measurements.csv", "--to", "splconqueror-csv", "-o", "a.csv")
        assert "note: a.csv: repetitions became one value, the mean of them" in result.stderr
        assert "names are written" not in result.stderr
        for name in ("system.xml", "measurements.csv"):
            text = (folder / name).read_text(encoding="utf-8")
            (folder / name).write_text(
                text.replace("cache", "my-cache").replace("0,1,0,1,3,10\n", ""), encoding="utf-8"
            )
        result = run("convert", "measurements.csv", "--to", "splconqueror-csv", "-o", "a.csv")
        assert "repetitions" not in result.stderr
        assert "my-cache → mycache" in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("measurements.csv", "-o", "a.xml"), "9 configurations with time, energy written to a.xml (xml)"),
            (("system.xml", "-o", "new/a.xml"), "small: 4 options written to new/a.xml (xml)"),
            (("model.txt", "-o", "a.json"), "a model of 1 term written to a.json (json)"),
            (("model.txt", "-o", "-", "--to", "txt"), ""),
        ],
    )
    def test_what_was_written_is_said(self, run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
        """The output and its format are stated on stderr, but not for standard output."""
        (folder / "model.txt").write_text("2 * cache", encoding="utf-8")
        (folder / "new").mkdir()
        assert run("convert", *arguments).stderr == (f"note: {message}\n" if message else "")

    def test_standard_input_and_output(self, run: Run, folder: Path) -> None:
        """`-` is standard input and output; what comes in may be compressed."""
        text = (folder / "measurements.csv").read_bytes()
        result = run("convert", "-", "-o", "-", "--to", "csv", stdin=gzip.compress(text))
        assert result.stdout.encode() == text

    def test_policies(self, run: Run, refused: Refused, folder: Path) -> None:
        """Invalid configurations are refused with their lines, or dropped and named on stderr."""
        with (folder / "measurements.csv").open("a", encoding="utf-8") as file:
            file.write("1,0,1,1,1,1\n")
        assert "measurements.csv:12: " in refused("convert", "measurements.csv", "-o", "a.xml")
        assert not (folder / "a.xml").exists()
        result = run("convert", "measurements.csv", "-o", "a.xml", "--invalid", "drop")
        assert result.exit_code == 0
        assert "warning: measurements.csv: 1 of 11 rows dropped" in result.stderr
        assert "measurements.csv:12: " in result.stderr
        assert len(measured("a.xml")) == 9

    def test_unreadable_values_are_counted(self, run: Run, folder: Path) -> None:
        """Values that cannot be read are missing, and counted on stderr."""
        text = (folder / "measurements.csv").read_text(encoding="utf-8").replace("2.5", "two")
        (folder / "measurements.csv").write_text(text, encoding="utf-8")
        result = run("convert", "measurements.csv", "-o", "a.csv")
        assert "1 value of time is missing or cannot be read" in result.stderr

    def test_an_unknown_option(self, refused: Refused, folder: Path) -> None:
        """A measurement with an unknown option is refused with its line."""
        (folder / "m.xml").write_text(
            '<results>\n<row><data columname="Configuration">left,lft</data><data columname="time">1</data></row>\n'
            "</results>",
            encoding="utf-8",
        )
        assert "m.xml:2: " in refused("convert", "m.xml", "-o", "a.csv")


class TestSystems:
    def test_normalised(self, run: Run, folder: Path) -> None:
        """A system description is written back in a form that means the same."""
        for name in ("second", "third"):
            (folder / name).mkdir()
        assert run("convert", "system.xml", "-o", "second/system.xml").exit_code == 0
        assert read_variability_model("second/system.xml") == read_variability_model("system.xml")
        assert run("convert", "second/system.xml", "-o", "third/system.xml").exit_code == 0
        assert (folder / "second/system.xml").read_bytes() == (folder / "third/system.xml").read_bytes()

    def test_what_has_no_effect_is_said(self, run: Run, folder: Path) -> None:
        """Parts that the reader ignores are listed on stderr."""
        text = SYSTEM.replace("<optional>True</optional>", "<optional>True</optional><nonsense/>")
        (folder / "system.xml").write_text(text, encoding="utf-8")
        assert (
            "note: system.xml: line 3: the unknown element <nonsense>"
            in run("convert", "system.xml", "-o", "b.xml.txt", "--to", "xml").stderr
        )


class TestModels:
    @pytest.mark.parametrize("suffix", [".json", ".txt", ".log", ".json.gz", ".log.gz"])
    def test_there_and_back(self, run: Run, folder: Path, suffix: str) -> None:
        """A model survives a conversion into every format, and back."""
        (folder / "model.txt").write_text("T = 1.5 + 2 * cache * x^2 - 0.1 * log10(x) * left\n", encoding="utf-8")
        expected = read_model("model.txt", read_variability_model("system.xml"))
        assert run("convert", "model.txt", "-o", f"a{suffix}").exit_code == 0
        assert read_model(f"a{suffix}", read_variability_model("system.xml")) == expected
        assert run("convert", f"a{suffix}", "-o", "b.txt").exit_code == 0
        assert read_model("b.txt", read_variability_model("system.xml")) == expected

    def test_the_last_round_of_a_log(self, run: Run, folder: Path) -> None:
        """Of a log the model of its last round is taken; as a log it is a single round."""
        second = ROUND.replace("1;2 * cache", "2;4 * left + 2 * cache", 1)
        (folder / "a.log").write_text("Learning progress:\n" + ROUND + second, encoding="utf-8")
        expected = read_model("a.log", read_variability_model("system.xml"))
        assert len(expected.terms) == 3
        result = run("convert", "a.log", "--to", "log", "-o", "-")
        assert [line[0] for line in result.stdout.splitlines() if line[:1].isdigit()] == ["0"]
        (folder / "b.log").write_text(result.stdout, encoding="utf-8")
        assert read_model("b.log", read_variability_model("system.xml")) == expected

    def test_without_a_system(self, run: Run, folder: Path) -> None:
        """Without a system description names are taken as they are, and stderr says so."""
        (folder / "system.xml").unlink()
        result = run("convert", "-", "--to", "txt", "-o", "-", stdin="2 * a * a")
        assert result.stdout.strip() == "2 * a^2"
        assert "note: there is no system description here" in result.stderr

    def test_unknown_names(self, refused: Refused, folder: Path) -> None:
        """With a system description a name that it does not have is refused, with its line and the nearest name."""
        (folder / "model.txt").write_text("# a model\n2 * cahce\n", encoding="utf-8")
        message = refused("convert", "model.txt", "-o", "a.json")
        assert message.startswith("model.txt:2:")
        assert "'cache'" in message

    def test_a_system_that_is_not_there(self, refused: Refused, folder: Path) -> None:
        """A system description that is named must be there."""
        (folder / "model.txt").write_text("2 * cache", encoding="utf-8")
        assert "nowhere.xml" in refused("convert", "model.txt", "-o", "a.json", "--system", "nowhere.xml")


class TestNames:
    @pytest.fixture(autouse=True)
    def _system(self, folder: Path) -> None:
        """Put a system with awkward names, a model and measurements into the project folder."""
        text = description(numeric="<configurationOption><name>1</name><values>3;4</values></configurationOption>")
        (folder / "system.xml").write_text(text.replace("<name>cache<", "<name>x;y<"), encoding="utf-8")
        (folder / "model.txt").write_text("2 * `x;y` + 3 * `1`", encoding="utf-8")
        (folder / "measurements.csv").write_text("1,x;y,time\n3,0,9\n4,0,12\n3,1,11\n", encoding="utf-8")

    def test_a_log_reads_back_or_is_refused(self, run: Run, refused: Refused, folder: Path) -> None:
        """Names that a log cannot say are refused before anything is learned or written; JSON and text can say them."""
        for command in (("convert", "model.txt", "-o", "a.log"), ("learn", "-o", "a.log"), ("learn",)):
            message = refused(*command)
            assert "'x;y'" in message
            assert "'1'" in message
            assert "-o model.json" in message
        assert not list(folder.glob("*.log"))
        assert run("learn", "-o", "a.json").exit_code == 0
        expected = read_model("model.txt", read_variability_model("system.xml"))
        for name in ("b.json", "b.txt"):
            assert run("convert", "model.txt", "-o", name).exit_code == 0
            assert read_model(name, read_variability_model("system.xml")) == expected

    def test_tables_read_back_or_are_refused(self, run: Run, refused: Refused) -> None:
        """A plain table can have a column 1; SPL Conqueror's cannot, and nor can it have one twice."""
        assert run("convert", "measurements.csv", "-o", "a.csv").exit_code == 0
        assert same(measured("a.csv"), measured("measurements.csv"))
        assert "'1'" in refused("convert", "measurements.csv", "-o", "b.csv", "--to", "splconqueror-csv")

    def test_switches_beside_options_of_their_name(self, refused: Refused, folder: Path) -> None:
        """An option called as the hidden option of another one is refused in SPL Conqueror's table."""
        numeric = (
            "<configurationOption><name>n</name><values>3</values><deselectedFlag>-1</deselectedFlag>"
            "</configurationOption>"
        )
        text = description(numeric=numeric).replace("<name>cache<", "<name>Disabledn<")
        (folder / "system.xml").write_text(text, encoding="utf-8")
        (folder / "measurements.csv").write_text("n,Disabledn,time\n3,0,9\n-1,1,12\n", encoding="utf-8")
        assert "'Disabledn'" in refused("convert", "measurements.csv", "-o", "b.csv", "--to", "splconqueror-csv")


class TestTargets:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("measurements.csv", "-o", "a.json"), "measurements cannot be written as 'json'\n    possible are: csv,"),
            (("system.xml", "-o", "a.csv"), "a system description cannot be written as 'csv'"),
            (("measurements.csv", "-o", "a"), "does not tell the format to write\n    choose one with --to: csv,"),
            (("measurements.csv", "-o", "a.dat"), "does not tell the format"),
            (("measurements.csv", "-o", "-"), "does not tell the format"),
            (("measurements.csv", "-o", "a", "--to", "cvs"), "'cvs'\n    did you mean 'csv'?"),
            (("nothing.csv", "-o", "a.xml"), "nothing.csv: there is no such file"),
            (("measurements.csv", "-o", "nowhere/a.xml"), "nowhere/a.xml: cannot be written"),
            (("measurements.csv", "-o", ".", "--to", "csv"), "this is a folder"),
            (("other.xml", "-o", "a.xml"), "other.xml: neither a system description"),
            (("truncated.xml", "-o", "a.csv"), "truncated.xml:3"),
        ],
    )
    def test_wrong_pairs(self, refused: Refused, folder: Path, arguments: tuple[str, ...], message: str) -> None:
        """Impossible conversions are refused with the possible formats, and nothing is written."""
        (folder / "other.xml").write_text("<html/>", encoding="utf-8")
        (folder / "truncated.xml").write_text("<results>\n<row>\n", encoding="utf-8")
        before = sorted(folder.iterdir())
        assert message in refused("convert", *arguments)
        assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SYSTEM, "system"),
        ("<?xml version='1.0'?><!-- <vm> --><results>", "measurements"),
        ("<html/>", None),
        ("<", None),
        ("a,b,time\n1,2,3\n", "measurements"),
        ("1;0;3.5\n0;1;2\n", "measurements"),
        ('{"schema": "splc.learn/1"}', "model"),
        ("Learning progress:\n" + ROUND, "model"),
        (ROUND, "model"),
        ("# a comment, with a comma\nT = 2 * cache\n", "model"),
        ("2 * `a,b;c` + 3", "model"),
        ("2 * `b;c#d` + 3", "model"),
        ("2 * `b#d` + `x;y`", "model"),
        ("", "model"),
    ],
)
def test_kinds(text: str, kind: str | None) -> None:
    """The content of a file decides its kind, whatever its name."""
    assert kind_of(Source("a", text.encode())) == kind
    assert kind_of(Source("a", b"\xef\xbb\xbf" + text.encode())) == kind


def test_kinds_of_other_encodings() -> None:
    """An XML file in UTF-16 is recognised as well."""
    assert kind_of(Source("a", SYSTEM.encode("utf-16"))) == "system"


def test_tables_become_the_numbers_of_one_row(folder: Path, run: Run) -> None:
    """If a tabled parameter becomes a number, a note names the row and says that other predictions change."""
    (folder / "analytical.txt").write_text("slope * x", encoding="utf-8")
    parameters = '[slope]\nby = "x"\n1 = 3\n2 = 5\n4 = 7\n'
    (folder / "parameters.toml").write_text(parameters, encoding="utf-8")
    result = run("convert", "analytical.txt", "-o", "out.txt")
    assert (folder / "out.txt").read_text(encoding="utf-8") == "5 * x\n"
    assert "slope is a table over x: its row for 2 was inserted" in result.stderr
    result = run("convert", "analytical.txt", "-o", "out.txt", "--at", "x=4")
    assert (folder / "out.txt").read_text(encoding="utf-8") == "7 * x\n"
    (folder / "parameters.toml").write_text('[slope]\nby = "x"\n1 = 3\n2 = 5\n', encoding="utf-8")
    result = run("convert", "analytical.txt", "-o", "out.txt", "--at", "x=1")
    assert "slope is a table over x: its row for 1 was inserted" in result.stderr


class TestProjectFolders:
    @pytest.mark.parametrize(
        ("source", "output", "key"),
        [
            ("system.xml", "normalised.xml", "system"),
            ("system.xml", "normalised.xml.gz", "system"),
            ("measurements.csv", "measurements.xml", "measurements"),
            ("measurements.csv", "measurements.csv.gz", "measurements"),
        ],
    )
    def test_no_second_file_of_a_kind(
        self, run: Run, refused: Refused, folder: Path, source: str, output: str, key: str
    ) -> None:
        """A second description or file of measurements is refused where commands could not choose between the two."""
        message = refused("convert", source, "-o", output)
        assert "the folder already has" in message
        assert f"{key} = '{source}'" in message
        assert not (folder / output).exists()
        assert run("learn", "--property", "time").exit_code == 0
        (folder / "splc.toml").write_text(f"{key} = '{source}'\n", encoding="utf-8")
        assert run("convert", source, "-o", output).exit_code == 0
        assert run("learn", "--property", "time").exit_code == 0

    def test_other_files_are_written(self, run: Run, folder: Path) -> None:
        """Files that no command finds by itself are written: XML of measurements is not a description."""
        assert run("convert", "measurements.csv", "-o", "m.xml").exit_code == 0
        assert run("convert", "system.xml", "-o", "-", "--to", "xml").exit_code == 0
        assert run("learn", "--property", "time").exit_code == 0
        (folder / "system.xml").rename(folder / "old.txt")
        assert run("convert", "old.txt", "-o", "system.xml").exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        "exp(0.5 + 0.25 * x + cache)",
        "0.5 + 2 * cache * log10(x + 1) + max(0, x - 2)",
        "9.5 + 2 * cache * [x >= 3] + min(x, 3) - 4 / x",
    ],
)
def test_products_and_subexpressions(run: Run, folder: Path, text: str) -> None:
    """Products and factors that are not products of options survive every format of models."""
    (folder / "m.txt").write_text(text, encoding="utf-8")
    wanted = run("predict", "m.txt", "measurements.csv", "--property", "time").stdout
    for source, target in (("m.txt", "a.log"), ("a.log", "b.json"), ("b.json", "c.txt"), ("c.txt", "d.json")):
        assert run("convert", source, "-o", target).exit_code == 0
        assert run("predict", target, "measurements.csv", "--property", "time").stdout == wanted
    for name in ("a.log", "d.json"):
        greatest = json.loads(run("optimize", name, "--maximize", "--json").stdout)
        assert greatest["configuration"]["x"] == 4


def test_a_folder_of_profiles(run: Run, refused: Refused, folder: Path) -> None:
    """A folder is not converted; the message names the command that reads it, and this command does."""
    (folder / "runs").mkdir()
    for p in (2, 4, 8, 16, 32):
        (folder / "runs" / f"p{p}.csv").write_text(f"time\n{p + 1}\n", encoding="utf-8")
    message = refused("convert", "runs", "-o", "a.json")
    hint = "name a file in it; splc scale runs reads a folder of CUBE profiles or CSV tables"
    assert f"runs: this is a folder, not a file\n    {hint}" in message
    assert run("scale", "runs").exit_code == 0


@pytest.mark.parametrize("suffix", [".log", ".json", ".txt"])
def test_models_without_terms(run: Run, models: Path, suffix: str) -> None:
    """A model whose influences are all 0 is written so that it can be read."""
    (models / "zero.txt").write_text("0 * x\n", encoding="utf-8")
    assert run("convert", "zero.txt", "-o", f"a{suffix}").exit_code == 0
    assert json.loads(run("optimize", f"a{suffix}", "--json").stdout)["predicted"] == 0
