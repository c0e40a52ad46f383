"""The tool that recomputes the errors of logs: `python -m casestudies.published_logs`."""

from __future__ import annotations

import csv
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from casestudies.published_logs import tables as shown
from casestudies.published_logs.__main__ import main
from casestudies.published_logs.logs import Request, Result, StrategyTest
from comparison.statistics import GroupTest, PairTest
from tests.cli.conftest import Run
from tests.cli.conftest import folder as folder  # noqa: PLC0414
from tests.cli.conftest import pressing as pressing  # noqa: PLC0414
from tests.cli.conftest import run as run  # noqa: PLC0414
from tests.support.real_data import DATA, real


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of two published logs, which is the current folder."""
    for name in ("x264_rand_t2", "x264_twise_t1"):
        shutil.copy(real("splc_logs", f"{name}.log"), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.real_data
def test_tables(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text and CSV have the stated and the recomputed errors."""
    arguments = [".", "--systems", str(DATA), "--jobs", "1"]
    assert main([*arguments, "--plot", "plot.svg"]) == 0
    text = capsys.readouterr().out
    assert "5 of 5 stated errors recomputed, 0 differ" in text
    assert "2 logs, 2 learnings" in text
    assert (tree / "plot.svg").read_text().count("<svg") == 1
    assert main([*arguments, "--table", "errors", "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["strategy"], row["size"], row["differ"]) for row in rows] == [
        ("random", "65", "0"),
        ("twise", "12", "0"),
    ]
    assert main([*arguments, "--table", "logs", "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["stated"] for row in rows] == ["9.15128892365152", "20.9293538687923"]
    assert float(rows[0]["recomputed"]) == pytest.approx(9.15128892365152)


@pytest.mark.real_data
def test_failures_and_differences_have_exit_code_1(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Logs that cannot be read are listed with the reason, the first twenty of them, and wrong errors are counted."""
    for number in range(22):
        (tree / f"x264_\x1b[2J{number:02}.log").write_text("nothing")
    assert main([".", "--systems", str(DATA), "--jobs", "1"]) == 1
    text = capsys.readouterr().out
    assert text.count("there is no learned model in this log") == 20
    assert "2 more (--table failures --csv)" in text
    assert "\x1b" not in text
    assert "5 of 5 stated errors" in text
    for path in tree.glob("x264_\x1b*"):
        path.unlink()
    log = tree / "x264_twise_t1.log"
    log.write_text(log.read_text().replace("20.9293538687923", "19.9293538687923"))
    assert main([".", "--systems", str(DATA), "--jobs", "1"]) == 1
    assert "4 of 5 stated errors recomputed, 1 differ" in capsys.readouterr().out


def test_interrupted(folder: Path, run: Run, pressing: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C ends the tool after the log in progress with exit code 130; the tables have what is finished."""
    learn = "vm system.xml\nall measurements.csv\nnfp time\nmlsettings abortError:0\nbinary featurewise\n"
    text = "".join(f"log {at}.log\n{learn}learn-splconqueror\nclean-sampling\n" for at in range(18))
    (folder / "all.a").write_text(text, encoding="utf-8")
    assert run("run", "all.a").exit_code == 0
    pressing(signal.SIGINT)
    assert main([".", "--relearn", "--jobs", "1", "--table", "relearned", "--csv"]) == 130
    printed = capsys.readouterr()
    assert printed.err.endswith("note: interrupted; the tables have the logs that were finished until then\n")
    assert 0 < len(list(csv.DictReader(printed.out.splitlines()))) < 18


@pytest.mark.real_data
def test_wrong_requests_are_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown folders, tables and forms are refused."""
    del tree
    for arguments, message in (
        (["none"], "there is no such folder"),
        (["."], "no system description with measurements"),
        ([".", "--plot", "a.gif"], "not written in this format"),
        (["x264_rand_t2.log"], "a file, not a folder"),
    ):
        assert main(arguments) == 2
        assert message in capsys.readouterr().err
    for arguments in ([".", "--table", "error"], [".", "--csv"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)


def test_comparisons_of_strategies() -> None:
    """The tables count the pairs with small p-values, and name the least median."""

    def result(*p_values: float) -> Result:
        pairs = tuple(PairTest(f"a{at}", "b", p_value, 0.5 + at / 8) for at, p_value in enumerate(p_values))
        group = GroupTest({"a": 3, "b": 4}, {"a": 2.5, "b": 1.5}, 3.5, 0.04, pairs)
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
