"""Plans, commands and their output, and batches of configurations."""

from __future__ import annotations

import csv
import errno
import json
import os
import platform
import re
import shlex
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.command_strings import output_strings
from splc import __version__
from splc.data.configurations import Configurations
from splc.errors import MachineError
from splc.io.csv_rows import split_line
from splc.measuring import execution, runner
from splc.measuring.command import BoundCommand, bind, parse_template, program
from splc.measuring.execution import Run
from splc.measuring.machine import load_warning, machine, machine_errors
from splc.measuring.properties import extract, parse_properties
from splc.measuring.runner import Ended
from splc.measuring.session import batches, run_batches
from splc.measuring.setup import Setup, require_batchable
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.measuring.conftest import PLANS, Program, Recorder, first_runs, grid, measurement
from tests.support.golden_messages import Lines, check_calls, check_cases, check_messages
from tests.support.programs import file_size_limit
from tests.support.systems import group


def result(run: execution.Run) -> execution.RunResult:
    """Return a made-up result: noisy for odd rows, a failure now and then."""
    row, repetition = run
    if row % 4 == 3 and repetition % 2:
        return execution.RunResult({}, "failed")
    return execution.RunResult({"t": 1.0 + (row % 2) * float(np.random.default_rng([row, repetition + 9]).random())})


def runs_of(plan: execution.Plan, count: int, recorded: execution.RunResults | None = None) -> Iterator[execution.Run]:
    """Yield what a plan still runs, and record it."""
    recorded = execution.RunResults(["t"]) if recorded is None else recorded
    for stage in plan.stages(count, recorded):
        for run in stage:
            if run not in recorded.results:
                recorded.add(run, result(run))
                yield run


@given(PLANS, st.integers(1, 6))
def test_repetitions(plan: execution.Plan, count: int) -> None:
    """Every configuration has its repetitions and warm-ups; more only while it deviates, and never beyond the limit."""
    recorded = execution.RunResults(["t"])
    runs = list(runs_of(plan, count, recorded))
    assert len(runs) == len(set(runs))
    for row in range(count):
        measured = sorted(repetition for at, repetition in runs if at == row and repetition >= 0)
        assert measured == list(range(len(measured)))
        assert sum(at == row for at, repetition in runs if repetition < 0) == plan.warmup
        most = plan.repeat if plan.max_deviation is None else plan.max_repeat
        assert plan.repeat <= len(measured) <= most
        assert len(measured) == most or row not in plan.unsettled([row], recorded)
        if len(measured) > plan.repeat:
            assert plan.unsettled([row], recorded, len(measured) - 1) == [row]


@given(PLANS, st.integers(1, 6), st.integers(1, 20))
def test_parts(plan: execution.Plan, count: int, part: int) -> None:
    """However long a part is, all runs are listed once, earlier repetitions in earlier parts."""
    plan = replace(plan, max_deviation=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("splc.measuring.execution.PART", part)
        parts = list(plan.stages(count, execution.RunResults(["t"])))
    runs = [run for each in parts for run in each]
    assert sorted(runs) == sorted((row, at) for row in range(count) for at in range(-plan.warmup, plan.repeat))
    lowest = [min(repetition for _, repetition in each) for each in parts]
    assert lowest == sorted(set(lowest))


@pytest.mark.parametrize("order", ["repetition", "random"])
@pytest.mark.parametrize("kind", ["repeat", "warmup"])
def test_huge_plans(order: execution.Order, kind: str) -> None:
    """A plan of 10^15 repetitions is listed part by part."""
    first = next(execution.Plan(order=order, **{kind: execution.LIMIT}).stages(3, execution.RunResults(["t"])))
    assert len(set(first)) == len(first) <= execution.PART
    assert {row for row, _ in first} == {0, 1, 2}


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8), st.sampled_from([1e-300, 1.0, 1e300]))
def test_deviation(values: list[float], scale: float) -> None:
    """The deviation is the sample's standard deviation over its absolute mean, in every magnitude."""
    array = np.array(values)
    mean = abs(float(array.mean()))
    assume(mean >= 1e-6 * float(np.abs(array).max()) and float(np.abs(array).max()) >= 1e-3)
    expected = float(array.std(ddof=1)) / mean
    assert execution.relative_deviation([value * scale for value in values]) == pytest.approx(
        expected, rel=1e-6, abs=1e-9
    )


CPUINFO = "processor\t: 0\nvendor_id\t: X\nmodel name\t:  Fast CPU: 3 GHz \nmodel name\t: other\n"


def test_machine() -> None:
    """The description has what Python and the system state."""
    found, system = machine(), os.uname()
    total = re.search(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert total is not None
    assert found.pop("memory_bytes") == pytest.approx(1024 * int(total[1]), rel=0.1)
    assert found == {
        **{key: found[key] for key in ("cpu", "governor")},
        **{"node": platform.node(), "architecture": system.machine, "system": system.sysname, "kernel": system.release},
        **{"cores": os.cpu_count(), "usable_cores": len(os.sched_getaffinity(0))},
        **{"python": platform.python_version(), "splc": __version__},
    }


def processor(text: str | Exception, processor: str) -> Any:
    """Return the processor where the system has this text about it, and Python this name."""
    with pytest.MonkeyPatch.context() as patch:
        raised = text if isinstance(text, Exception) else None
        patch.setattr(Path, "read_text", Mock(return_value=text, side_effect=raised))
        patch.setattr(platform, "processor", lambda: processor)
        return machine()["cpu"]


def counts_without_system_calls() -> Any:
    """Return the cores and the memory of a system without the functions that state them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("sched_getaffinity", "sysconf"):
            patch.delattr(os, name)
        found = machine()
    return found["usable_cores"] == os.cpu_count(), found["memory_bytes"]


def raised(*error: Any) -> None:
    """Raise an error of the system as one of the machine."""
    with machine_errors():
        raise OSError(*error)


def summary(outcomes: Mapping[execution.Run, float | str]) -> tuple[Any, ...]:
    """Return the scatter of times and work (its configurations, the median, the largest, and whose) and the failures.

    `outcomes`: the time of each run, or the reason why it failed.
    """
    found = execution.RunResults(("time", "work"))
    for run, outcome in outcomes.items():
        reason = outcome if isinstance(outcome, str) else None
        values: dict[str, Any] = {"time": outcome, "work": 4.0} if reason is None else {"time": 1e6, "work": 1e6}
        found.add(run, execution.RunResult(values, reason))
    scatters = [
        (one.name, one.configurations, round(one.median, 9), round(one.largest, 9), one.row)
        for one in execution.scatters(found)
    ]
    return *scatters, *execution.failure_reasons(found)


def warned(*loads: float | None, **session: Any) -> str | None:
    """Return the warning about the loads of runs, on a machine of four cores."""
    begin = {"kind": "session", "load": 9.0, "machine": {"cores": 4}, **session}
    return load_warning([begin, *({"kind": "run", "load": load} for load in loads)])


def listed(count: int, **plan: Any) -> list[execution.Run]:
    """Return the runs of a plan in their order."""
    return list(runs_of(execution.Plan(**plan), count))


def test_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans, orders of runs, their scatter, and what is said about a machine."""
    monkeypatch.setattr(platform, "node", lambda: "here")
    runs = (execution.Plan, listed, execution.relative_deviation, summary)
    machines = (processor, counts_without_system_calls, raised, warned)
    check_calls("plans-and-machines", *runs, *machines, errno=errno, CPUINFO=CPUINFO)


EXTRAS = ("options", "repetition")


def bound(text: str, configurations: Configurations) -> BoundCommand:
    """Return a template over configurations."""
    return bind(parse_template(text, configurations.system, EXTRAS), configurations, output_strings(configurations))


def lines(command: BoundCommand) -> list[str]:
    """Return the argument vectors of all configurations, quoted as for a shell."""
    return [shlex.join(command.arguments(row)) for row in range(command.count)]


def test_arguments(configurations: Configurations) -> None:
    """A template gives the argument vector of each configuration, split like a shell's but run without one."""
    check_cases("command-lines", lambda text: lines(bound(text, configurations)))


def test_messages(configurations: Configurations) -> None:
    """Messages about a command have its text or the placeholder; all are reported together, before anything is run."""
    system = configurations.system
    check_messages("commands", lambda text: bind(parse_template(text, system, EXTRAS), configurations))
    template = parse_template("run {x} {cache?a} {options}", system, EXTRAS)
    check_messages("output-strings", lambda text: bind(template, configurations, text.split("|")))
    check_messages("batch-commands", lambda text: require_batchable(text.split(), template, system))
    require_batchable(["cache", "x"], parse_template("run {x} {cache?a}", system, EXTRAS), system)


@given(st.lists(st.text(st.characters(exclude_characters="\0\x01\x02", exclude_categories=["Cs"])), max_size=5))
def test_what_is_quoted_arrives(words: list[str]) -> None:
    """Any text that is quoted as for a shell, its braces doubled, arrives as it is."""
    model = VariabilityModel("s", (BinaryOption("b"),))
    text = shlex.join(["run", *words]).replace("{", "{{").replace("}", "}}")
    command = bind(parse_template(text, model, ()), Configurations(model, np.array([[0]])))
    assert command.arguments(0) == ("run", *words)


@pytest.mark.parametrize(("name", "word"), [("x", "r3"), ("repetition", "r7")])
def test_extras(name: str, word: str) -> None:
    """Placeholders that are not options are filled in when the run is known; an option of this name comes first."""
    rows = Configurations(VariabilityModel("s", (NumericOption(name, (7.0,)),)), np.array([[0]]))
    assert bound("run r{repetition}", rows).arguments(0, {"repetition": "3"}) == ("run", word)


def test_group_gives_its_selected_child() -> None:
    """The parent of an alternative group is replaced by its child's output string, or name; elsewhere it is a value."""
    cg, mg, direct = group("cg", "mg", "direct", parent="solver")
    cg = replace(cg, presentation=Presentation(" CG "))
    direct = replace(direct, presentation=Presentation("--direct now"))
    system = VariabilityModel("s", (BinaryOption("solver"), cg, mg, direct))
    rows = Configurations(system, np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]]))
    command = bound("run {solver?-s {solver}|none} {cg} {= 2*solver}", rows)
    assert lines(command) == ["run -s CG 1 2", "run -s mg 0 2", "run -s direct 0 2", "run none 0 0"]
    assert set(command.template.option_names) == {"solver", "cg", "mg", "direct"}
    check_messages("groups", lambda text: bound(text, rows))


def test_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program is a path, or is found in PATH; messages have what is wrong with it, and what to do."""
    monkeypatch.chdir(tmp_path)
    Path("solver").touch()
    Path("below").mkdir()
    check_messages("programs", lambda name: program(name, "."))
    Path("solver").chmod(0o755)
    assert program("./solver", ".") == program("solver", "/", str(tmp_path)) == str(tmp_path / "solver")


NESTED = json.dumps({"a": {"b.c": [1, {"d": "2.5"}], "n": None, "t": True}, "big": 10**400})


def value(text: str, stdout: str = "") -> float | str:
    """Return the value of a property, or why there is none."""
    values, wrong = extract(parse_properties([text], ()), Ended(0, stdout, "took 2", 1.5, 0.25))
    assert len(values) + len(wrong) == 1
    return wrong[0] if wrong else next(iter(values.values()))


def test_properties() -> None:
    """Properties and their values, and messages about them."""
    check_calls("properties", parse_properties, value, split_line, NESTED=NESTED, LARGEST=csv.field_size_limit())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_arrives(number: float) -> None:
    """Every finite number is read as it was printed, from all sources."""
    assert value("p=csv:p", f"a,p\n1,{number!r}\n") == number
    assert value("p=json:p", json.dumps({"p": number})) == number
    assert value("p=regex:p=(.*)", f"p={number!r}") == number


ALL = grid(3, "p", "n")
# Does something (the line in braces) before it prints a row.
READING = """
import csv, os, signal, sys, time
p = sys.argv[1]
rows = list(csv.DictReader(sys.stdin))
assert all(row["p"] == p for row in rows)
print("hello")
print("n,t,what", flush=True)
for row in rows:
    n = row["n"]
    {}
    print(f"{n},{p}.{n},x", flush=True)
"""
FILE = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print("t;p;n")
for row in reversed(rows): print(f"{row['p']}.{row['n']};{row['p']};{float(row['n'])}")
"""
# Processes that end before their first row end the batch only if they follow each other.
NOW_AND_THEN = """
import csv, sys
print("p,n,t", flush=True)
for number, row in enumerate(csv.DictReader(sys.stdin)):
    if number:
        sys.exit("ended")
    if (int(row["p"]) + int(row["n"])) % 2:
        sys.exit("odd")
    print(row["p"], row["n"], row["p"] + "." + row["n"], sep=",", flush=True)
"""


def setup(command: str, **settings: Any) -> Setup:
    """Return a batch measurement of all configurations, by `p` if the command has it."""
    return measurement(ALL, command, "t", batch=("p",) if "{p}" in command else (), **settings)


def measured(made: Setup, runs: Sequence[Run] = ()) -> Recorder:
    """Run all configurations once, or some runs."""
    recorder = Recorder()
    run_batches(made, runs or first_runs(made), recorder, lambda: False, on_end=recorder.ends.append)
    return recorder


@pytest.mark.parametrize("name", ["batches", "time-limits-of-batches"])
def test_rows(name: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process reads its configurations and has a value for each row that it prints, or a reason."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)

    def shown(made: Setup) -> Lines:
        recorder, failed = measured(made), defaultdict[str, list[str]](list)
        found = sorted(recorder.results.items())
        for (row, _), result in found:
            if result.reason:
                failed[f"{result.reason}, {result.stdout!r}"].append(f"{row + 1}")
        values = " ".join(str(result.values.get("t", "-")) for _, result in found)
        counts = (" + ".join(str(end[key]) for end in recorder.ends) for key in ("rows", "stray"))
        texts = [f"{' '.join(rows)}: {text}" for text, rows in failed.items()]
        return Lines("\n".join([values, *texts, "{} rows, {} other lines".format(*counts)]))

    def printing(code: str, arguments: str = "", **more: Any) -> Lines:
        return shown(setup(program(code) + arguments, **more))

    def reading(action: str, **more: Any) -> Lines:
        return printing(READING.replace("{}", action), " {p}", **more)

    def spelled(command: str) -> Lines:
        return shown(measurement(grid(2, "block-size"), command, "t", batch=()))

    check_calls(name, printing, reading, spelled, FILE=FILE, NOW_AND_THEN=NOW_AND_THEN)


def test_groups() -> None:
    """A batch has one repetition and agrees in its options; the order of the runs is kept."""
    runs = [(row, repetition) for repetition in (0, 1) for row in (8, 0, 7, 1)]
    groups = [[(row, at), (row + step, at)] for at in (0, 1) for row, step in ((8, -1), (0, 1))]
    assert batches(setup("run {p}"), runs) == groups
    assert [len(batch) for batch in batches(setup("run"), runs)] == [4, 4]


def test_seconds(program: Program) -> None:
    """The seconds of a row begin with the row before it, those of a run without a row with its process."""
    for code, runs in ((READING.replace("{}", "time.sleep(0.05)"), 9), ("import time; time.sleep(0.05); exit(3)", 1)):
        before = time.perf_counter()
        found = measured(setup(program(code) + " {p}"), [] if runs == 9 else [(0, 0)]).results
        assert runs * 0.05 < sum(result.seconds for result in found.values()) < time.perf_counter() - before


def test_stopping(program: Program) -> None:
    """Asked to stop, a batch ends after the row in flight."""
    recorder = Recorder()
    made = setup(program(READING.replace("{}", "pass")) + " {p}")
    run_batches(made, first_runs(made), recorder, lambda: len(recorder.results) >= 4)
    assert len(recorder.results) == 4


def test_a_full_disk(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run fails if the file of configurations cannot be written; without a file a batch needs no disk."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    command = program(READING.replace("{}", "pass")) + " {p}"
    with file_size_limit(0):
        with pytest.raises(MachineError, match="cannot do any run"):
            measured(setup(command + " {configurations}"))
        assert list(measured(setup(command)).values.values()) == [1.1, 1.2, 1.3, 2.1, 2.2, 2.3, 3.1, 3.2, 3.3]
