"""Logs whose samples are drawn again and whose rounds are learned again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from casestudies.published_logs.log_learnings import learnings_of
from casestudies.published_logs.logs import Request, run
from casestudies.published_logs.relearn import Relearned, relearned
from sampling import Space, sample
from sampling.draws import compat_positions
from splc.data.measurements import Measurements
from splc.formats.measurements.csv import write_configurations
from splc.formats.models.log_writer import learned_log_text
from splc.io.files import read_source
from splc.learning import learn
from splc.learning.judging import round_errors
from splc.learning.stepwise.settings import Settings
from splc.system.variability import VariabilityModel
from tests.support.real_data import DATA, real

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
    found = run(Request(root=str(tmp_path / "logs"), systems=str(DATA), relearn=True))
    results = {Path(each.file).stem: each.relearned for each in found.learnings}
    assert results.keys() == {*names} - {"x264_twise"}
    for name, rounds in (("x264_twise_t1", 2), ("x264_twise_t2", 3))[: len(names) // 2]:
        result = results.pop(name)
        assert result is not None
        assert (result.equal, result.reason) == (rounds, "")
        assert "ref_5" in result.sample
    assert all(result is not None and result.reason and not result.sample for result in results.values())
    assert found.not_relearned == 0
