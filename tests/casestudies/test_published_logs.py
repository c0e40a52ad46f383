"""The tool that recomputes the errors of published logs, draws their samples and learns their rounds again."""

from __future__ import annotations

import csv
import re
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from casestudies.published_logs import tables
from casestudies.published_logs.__main__ import main
from casestudies.published_logs.log_errors import LogErrors
from casestudies.published_logs.log_learnings import learnings_of
from casestudies.published_logs.logs import Request, Result, StrategyTest
from casestudies.published_logs.logs import run as recomputed
from casestudies.published_logs.relearn import Relearned, relearned
from comparison.statistics import GroupTest, PairTest
from sampling import Space, sample
from sampling.draws import compat_positions
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.measurements.csv import write_configurations
from splc.formats.models.log_writer import learned_log_text
from splc.io.files import Source, read_source
from splc.learning import learn
from splc.learning.learner import round_errors
from splc.learning.stepwise.settings import Settings
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.cli.conftest import Run
from tests.cli.conftest import folder as folder  # noqa: PLC0414
from tests.cli.conftest import pressing as pressing  # noqa: PLC0414
from tests.cli.conftest import run as run  # noqa: PLC0414
from tests.support.golden_messages import check_calls, shown
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
    """Unknown folders, tables and forms, and trees without logs or without systems are refused."""
    (tree / "empty").mkdir()
    for arguments, message in (
        (["none"], "there is no such folder"),
        ([str(DATA / "x264")], "no logs"),
        (["."], "error: .: no system description with measurements"),
        ([".", "--systems", "empty"], "error: empty: no system description with measurements"),
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

    assert tables.tables_of(result(0.01, 0.05, 0.2), ["tests"])[0].rows == (
        ("x264", 40, 2, 3.5, 0.04, "1 of 3", "b", 1.5),
    )
    (table,) = tables.tables_of(result(0.01, 0.05), ["pairs"])
    assert table.rows == (
        ("x264", 40, "a0", "b", 0.01, 0.5, "negligible"),
        ("x264", 40, "a1", "b", 0.05, 0.625, "small"),
    )
    assert "(holm)" in str(table.caption)


LOGS = (
    "Dune_divDistBased_t2",
    "Dune_solvBased_t1",
    "LLVM_distBased_t3",
    "x264_henard_t1",
    "x264_rand_t2",
    "x264_twise",
    "x264_twise_t1",
    "x264_twise_t2",
)


def measurements(**options: object) -> Measurements:
    """Return measurements of all configurations of a system."""
    everything = Space(VariabilityModel.of(options)).enumerate()
    rng = np.random.default_rng(5)
    x = {name: everything.column(name) for name in options}
    last = list(x.values())[-1]
    values = 40 + 9 * x["a"] + 5 * x["b"] * last + 3 * x["c"] + rng.random(len(everything))
    return Measurements(everything, {"time": values})


@pytest.fixture
def measured() -> Measurements:
    """Return measurements of a system of both kinds of options."""
    return measurements(a=bool, b=bool, c=bool, d=bool, n=[1, 2, 4])


def program_log(
    measured: Measurements,
    rows: object,
    commands: str,
    settings: Mapping[str, object],
    preset: str = "splconqueror-2019",
) -> str:
    """Return a log as SPL Conqueror's program writes it."""
    result = learn(measured, "time", preset, learning_set=np.asarray(rows), settings=settings)
    text = learned_log_text(result, test_errors=round_errors(result))
    text = re.sub("^command: splc .*\n", "", text, flags=re.MULTILINE)
    # The program does not know these settings, and writes its largest number with 15 digits.
    text = re.sub(" leastValue:[^ ]*", "", text)
    text = re.sub(" first:.*? blacklisted", " blacklisted", text).replace(
        "1.7976931348623157E+308", "1.79769313486232E+308"
    )
    return text.replace("command: learn-splconqueror", f"{commands}command: learn-splconqueror", 1)


def written(log: str, folder: Path) -> Path:
    """Return the file that the log is written to."""
    (folder / "a.log").write_text(log, encoding="utf-8")
    return folder / "a.log"


def again(log: str, measured: Measurements, folder: Path) -> Relearned:
    """Return the only learning of a log, learned again."""
    [learning] = learnings_of(read_source(written(log, folder)))
    return relearned(learning, measured, "time", str(folder / "a.log"), folder)


@pytest.mark.parametrize("place", ["lists/all.csv", "all.csv", ""])
@pytest.mark.parametrize("redraws", [True, False])
def test_draws_from_a_list(place: str, redraws: bool, tmp_path: Path) -> None:
    """A random sample from a list follows by the rule of its version; without the list, the measurements are it."""
    measured = measurements(**dict.fromkeys("abcdef", bool))
    order = np.random.default_rng(1).permutation(len(measured)) if place else np.arange(len(measured))
    if place:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        write_configurations(measured.configurations[order], tmp_path / place)
    rows = order[compat_positions(len(measured), 20, 10, redraws)]
    command = "command: binary random numConfigs:20 seed:10 fromFile:lists/all.csv\n"
    log = program_log(measured, rows, command, {"first": "d", "abortError": 1})
    found = again(log, measured, tmp_path)
    assert (found.complete, found.equal, found.rounds) == (True, found.rounds, found.rounds)
    assert found.rounds > 2
    assert ("before June 2023" in found.sample) == redraws
    # Another seed is another sample.
    other = again(log.replace("seed:10", "seed:11"), measured, tmp_path)
    assert (other.equal, other.complete, bool(other.sample)) == (0, False, bool(place))


def test_the_first_round_that_differs(measured: Measurements, tmp_path: Path) -> None:
    """Another influence, another term, and a missing last round are found where they are."""
    log = program_log(measured, np.arange(len(measured)), "", {"first": "d", "abortError": 1})
    found = again(log, measured, tmp_path)
    assert found.complete
    assert found.sample == "all measurements"
    assert found.rounds > 3
    lines = log.splitlines()
    where = [at for at, line in enumerate(lines) if line.startswith("3;")]
    fields = lines[where[-1]].split(";")
    influence = float(fields[1].split(" * ")[0])
    changed = fields[1].replace(fields[1].split(" * ")[0], repr(influence * (1 + 1e-8)), 1)
    wrong = log.replace(fields[1] + ";", changed + ";")
    assert (again(wrong, measured, tmp_path).equal, "influences" in again(wrong, measured, tmp_path).reason) == (
        2,
        True,
    )
    shorter = "\n".join(line for line in lines if not re.match(rf"{found.rounds};", line))
    assert again(shorter, measured, tmp_path).equal == found.rounds - 1
    longer = again(log.replace("abortError:1 ", "abortError:60 "), measured, tmp_path)
    assert (longer.equal, "abortError" in longer.reason) == (1, True)
    assert not again(log.replace("bagging:False", "bagging:True"), measured, tmp_path).sample


def test_logs_of_splc(measured: Measurements, tmp_path: Path) -> None:
    """Samples of splc are drawn again with their seed, and settings such as a first term of several words are read."""
    drawn = sample(measured.system, "random:25", 7)
    settings = {"first": "b * b", "abortError": 1, "learn_logFunction": True}
    settings["first"] = "log10( n )"
    result = learn(
        measured,
        "time",
        "splconqueror",
        learning_set=drawn,
        settings=settings,
        seed=7,
        provenance={"sampling": "random:25"},
    )
    found = again(learned_log_text(result), measured, tmp_path)
    assert found.complete, found.reason
    assert found.sample == "random:25"
    [learning] = learnings_of(read_source(tmp_path / "a.log"))
    assert learning.stated.seed == 7
    assert Settings().changed(learning.stated.settings) == Settings().changed(settings)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("binary satoutput numConfigs:20 seed:1", "solver"),
        ("binary random numConfigs:20 seed:1", "order is not known"),
        ("hybrid distribution-aware numConfigs:20", "decides about the sample"),
        ("binary allbinary validation", "validation set"),
        ("binary nonsense", "unknown binary sampling strategy"),
    ],
)
def test_samples_that_cannot_be_drawn_again(command: str, reason: str, measured: Measurements, tmp_path: Path) -> None:
    """The reason says what is not known."""
    log = program_log(measured, np.arange(20), f"command: {command}\n", {"first": "d"})
    found = again(log, measured, tmp_path)
    assert (found.equal, found.sample) == (0, "")
    assert reason in found.reason


@pytest.mark.real_data
@pytest.mark.parametrize(
    "names", [("x264_rand_t2", "x264_twise_t1"), pytest.param(LOGS, marks=pytest.mark.slow)], ids=len
)
def test_published_logs(names: Sequence[str], tmp_path: Path) -> None:
    """The published logs of t-wise samples are learned again; the others say what is not known about their samples."""
    (tmp_path / "logs").mkdir()
    for name in names:
        shutil.copy(real("splc_logs", f"{name}.log"), tmp_path / "logs")
    found = recomputed(Request(root=str(tmp_path / "logs"), systems=str(DATA), relearn=True))
    results = {Path(each.file).stem: each.relearned for each in found.learnings}
    assert results.keys() == {*names} - {"x264_twise"}
    for name, rounds in (("x264_twise_t1", 2), ("x264_twise_t2", 3))[: len(names) // 2]:
        result = results.pop(name)
        assert result is not None
        assert (result.equal, result.reason) == (rounds, "")
        assert "ref_5" in result.sample
    assert all(result is not None and result.reason and not result.sample for result in results.values())
    assert found.not_relearned == 0


LINEAR = "1;2 * x;10;10;10;10;1;1;2 * x;1;1;"


def errors(measured: list[float], *rounds: str, x: tuple[float, ...] = (1.0, 2.0, 4.0), times: int = 1) -> str:
    """Return rule → round → error of a log on the values of `x`, the last time that they are asked for."""
    system = VariabilityModel("s", (NumericOption("x", x),))
    configurations = Configurations.from_columns(system, {"x": [*x]})
    [learning] = learnings_of(Source("a.log", "\n".join(["Learning progress:", *rounds, ""]).encode()))
    asked = LogErrors(Measurements(configurations, {"time": np.array(measured)}), "time")
    for _ in range(times):
        found = {rule: dict(own) for rule, own in asked.of(learning, "a.log").items()}
        asked.forget()
    return "; ".join(f"{rule}: {shown([*own.items()])}" for rule, own in found.items())


def test_errors_of_rounds() -> None:
    """Errors by both rules, of values that have none, and wrong terms are those of the golden file."""
    check_calls("errors-of-rounds", errors, LINEAR=LINEAR)


def test_columns_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors are the same after the columns of terms were dropped."""
    once = errors([1.0, 4.0, 8.0], LINEAR)
    monkeypatch.setattr("casestudies.published_logs.log_errors.MAX_BYTES", 0)
    assert errors([1.0, 4.0, 8.0], LINEAR, times=2) == once


@pytest.mark.real_data
def test_samplings_sizes_and_test_errors_of_rounds() -> None:
    """A learning has the commands that drew its learning set, its size, and the test error of each round."""
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_henard_t1.log"))
    assert found.stated.sampling == ("binary satoutput henard:true numConfigs:12 seed:3",)
    assert found.stated.configurations == 12
    assert [this.test_error for this in found.rounds.values()] == [34.237334662276, 13.993756221183]
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_twise_t2.log"))
    assert (found.stated.sampling, found.stated.configurations) == (("twise t:2",), 65)
