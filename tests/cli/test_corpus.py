"""`splc corpus`."""

from __future__ import annotations

import csv
import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from comparison.statistics import GroupTest, PairTest
from splc.cli.show import corpus as shown
from splc.formats.models.log_errors import ALL_VALUES
from splc.splconqueror.corpus.corpus import Request, Result, StrategyTest
from splc.splconqueror.corpus.learnings import Recomputed
from tests.cli.conftest import Run
from tests.support.real_data import DATA, real


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of two published logs, which is the current folder."""
    for name in ("x264_rand_t2", "x264_twise_t1"):
        shutil.copy(real("splc_logs", f"{name}.log"), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.real_data
def test_tables_and_json(tree: Path, run: Run) -> None:
    """The text, CSV and JSON have the stated and the recomputed errors."""
    arguments = ("corpus", ".", "--systems", str(DATA), "--jobs", "1")
    result = run(*arguments)
    assert result.exit_code == 0
    assert "5 of 5 stated errors recomputed, 0 differ" in result.stdout
    assert "2 logs, 2 learnings" in result.stdout
    content = json.loads(run(*arguments, "--json").stdout)
    assert content["schema"] == "splc.corpus/1"
    assert [(each["strategy"], each["size"], each["differing"]) for each in content["cells"]] == [
        ("random", 65, 0),
        ("twise", 12, 0),
    ]
    rows = list(csv.DictReader(run(*arguments, "--table", "logs", "--csv").stdout.splitlines()))
    assert [row["stated"] for row in rows] == ["9.15128892365152", "20.9293538687923"]
    assert float(rows[0]["recomputed"]) == pytest.approx(9.15128892365152)
    assert "| x264" in run(*arguments, "--markdown").stdout
    assert "tabular" in run(*arguments, "--latex", "--table", "errors").stdout
    assert run(*arguments, "--plot", "plot.svg").exit_code == 0
    assert (tree / "plot.svg").read_text().count("<svg") == 1


@pytest.mark.real_data
def test_failures_and_differences_have_exit_code_1(tree: Path, run: Run) -> None:
    """Logs that cannot be read are listed with the reason, and wrong errors are counted."""
    (tree / "x264_\x1b[2J.log").write_text("nothing")
    result = run("corpus", ".", "--systems", str(DATA))
    assert result.exit_code == 1
    assert "there is no learned model in this log" in result.stdout
    assert "\x1b" not in result.stdout
    assert "5 of 5 stated errors" in result.stdout
    (tree / "x264_\x1b[2J.log").unlink()
    log = tree / "x264_twise_t1.log"
    log.write_text(log.read_text().replace("20.9293538687923", "19.9293538687923"))
    result = run("corpus", ".", "--systems", str(DATA), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["differing"] == 1


def test_interrupted(folder: Path, run: Run, pressing: Callable[..., None]) -> None:
    """Ctrl-C ends the command after the log in progress with exit code 130; the tables have what is finished."""
    learn = "vm system.xml\nall measurements.csv\nnfp time\nmlsettings abortError:0\nbinary featurewise\n"
    names = [f"{at}.log" for at in range(18)]
    text = "".join(f"log {name}\n{learn}learn-splconqueror\nclean-sampling\n" for name in names)
    (folder / "all.a").write_text(text, encoding="utf-8")
    assert run("run", "all.a").exit_code == 0
    pressing(signal.SIGINT)
    result = run("corpus", ".", "--relearn", "--jobs", "1", "--json")
    assert result.exit_code == 130
    assert result.stderr.endswith("note: interrupted; the tables have the logs that were finished until then\n")
    found = json.loads(result.stdout)
    assert (found["interrupted"], found["logs"]) == (True, 18)
    assert 0 < found["learnings"] < 18


@pytest.mark.real_data
def test_wrong_requests_are_refused(tree: Path, refused: Callable[..., str]) -> None:
    """Unknown folders, tables and forms are refused."""
    del tree
    for arguments, message in (
        (("none",), "there is no such folder"),
        ((".",), "no system description with measurements"),
        ((".", "--table", "error"), "did you mean 'errors'"),
        ((".", "--csv"), "CSV has one table"),
        ((".", "--csv", "--json"), "one output format"),
        ((".", "--plot", "a.gif"), "not written in this format"),
        (("x264_rand_t2.log",), "a file, not a folder"),
    ):
        assert message in refused("corpus", *arguments)


def test_comparisons_of_strategies() -> None:
    """The tables count the pairs with small p-values, and name the least median."""

    def result(*p_values: float) -> Result:
        pairs = tuple(PairTest(f"a{at}", "b", p_value, 0.5 + at / 8) for at, p_value in enumerate(p_values))
        group = GroupTest({"a": 3, "b": 4}, {"a": 2.5, "b": 1.5}, 3.5, 0.04, "holm", pairs)
        return Result(Request(root="."), 0, (), (), (), (), (StrategyTest("x264", 40, group),))

    assert shown.tables_of(result(0.01, 0.05, 0.2), ["tests"])[0].rows == (
        ("x264", 40, 2, 3.5, 0.04, "1 of 3", "b", 1.5),
    )
    (table,) = shown.tables_of(result(0.01, 0.05), ["pairs"])
    assert table.rows == (
        ("x264", 40, "a0", "b", 0.01, 0.5, "negligible"),
        ("x264", 40, "a1", "b", 0.05, 0.625, "small"),
    )
    assert "(holm)" in str(table.caption)


def test_rules_of_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """The rules by which stated errors are right are counted, if there are others than that of all values."""
    numbers = (1, "s", ("pw",), 12, 7, 1.0, 1.0, 1.0, 1.0, 1, 2, 0, "pairwise")
    rules = {ALL_VALUES: 1, "evaluation set": 1}
    for found, shown_rule in ((rules, True), ({ALL_VALUES: 2}, False)):
        learnings = (Recomputed("a.log", *numbers, rules=found),)
        shown.show(Result(Request(root="."), 1, learnings, (), (), (), ()), (), "text")
        line = "right by the rule: all values 1, evaluation set 1"
        assert (line in capsys.readouterr().out.splitlines()) == shown_rule
