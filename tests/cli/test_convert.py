"""`splc convert`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splc import Measurements, read_model, read_variability_model
from splc.formats.detect import kind_of
from splc.io.files import Source
from tests.cli.conftest import SYSTEM, Run, description

Refused = Callable[..., str]
ROUND = "1;2 * cache + 3 * x;1;1;1;1;0.1;2;3 * x;1;1;1\n"


def same(one: Measurements, other: Measurements) -> bool:
    """Return whether two measurements hold the same configurations and values."""
    return one.configurations == other.configurations and all(
        np.array_equal(one.repetitions(nfp), other.repetitions(nfp), equal_nan=True) for nfp in one.properties
    )


class TestMeasurements:
    def test_standard_input_and_output(self, run: Run, folder: Path) -> None:
        """`-` is standard input and output; what comes in may be compressed."""
        text = (folder / "measurements.csv").read_bytes()
        result = run("convert", "-", "-o", "-", "--to", "csv", stdin=gzip.compress(text))
        assert result.stdout.encode() == text

    def test_what_is_left_out_is_said_first(self, run: Run, folder: Path) -> None:
        """That contexts are left out is not among the notes that are printed with -v only."""
        names = [f"host{number}" for number in range(6)]
        (folder / "a.csv").write_text(f"{','.join(names)},fast,time\n{'a,' * 6}0,1\n{'a,' * 6}1,2\n", encoding="utf-8")
        (folder / "system.xml").unlink()
        stderr = run("convert", "a.csv", "--to", "splconqueror-csv", "-o", "-").stderr
        assert "more notes with -v" in stderr
        assert f"contexts are left out: {', '.join(names)}" in stderr


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


@pytest.mark.parametrize("suffix", [".log", ".json", ".txt"])
def test_models_without_terms(run: Run, models: Path, suffix: str) -> None:
    """A model whose influences are all 0 is written so that it can be read."""
    (models / "zero.txt").write_text("0 * x\n", encoding="utf-8")
    assert run("convert", "zero.txt", "-o", f"a{suffix}").exit_code == 0
    assert json.loads(run("optimize", f"a{suffix}", "--json").stdout)["predicted"] == 0
