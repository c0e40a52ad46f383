"""Failures beside measurements: the table of failed runs, and rows without a value."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice
from splc.formats.measurements.failures import (
    failures_object,
    failures_of,
    failures_of_object,
    read_failed_runs,
    with_failures,
)
from splc.formats.measurements.read import read_parts
from splc.formats.measurements.rows import Policy
from splc.io.files import Source
from splc.system.extension import extended
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel.of(
    {"a": bool, "mode": ["fast", "safe", "exact"], "n": [1, 2, 4, 8], "x": [0.001, 0.002, 0.003]}
)
SPACE = Space(SYSTEM)
EVERY = SPACE.enumerate()


def split(fails: Array) -> tuple[Configurations, Configurations]:
    """Return the configurations that fail and the others."""
    return EVERY[fails], EVERY[~fails]


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        ({"a": (1,), "mode_exact": (1,)}, "a and mode=exact"),
        ({"a": (0,), "n": (4, 8)}, "a=0 and n>=4"),
        ({"mode_fast": (1,), "n": (1, 2), "x": (0.001,)}, "mode=fast and n<=2 and x=0.001"),
        ({"n": (2, 4), "x": (0.002, 0.003)}, "2<=n<=4 and x>=0.002"),
    ],
)
def test_the_constraint_excludes_what_failed(values: dict[str, tuple[float, ...]], condition: str) -> None:
    """The constraint of a rule excludes the failed configurations and no others, also of small numbers."""
    fails = np.all([np.isin(EVERY.value(name), allowed) for name, allowed in values.items()], axis=0)
    failed, succeeded = split(fails)
    found = failures_of(failed, succeeded)
    assert found is not None
    assert {*found.rules[0].condition.split(" and ")} == {*condition.split(" and ")}
    assert found.explained.all()
    assert (found.expected(EVERY) == fails).all()
    restricted = VariabilityModel(SYSTEM.name, SYSTEM.options, (*SYSTEM.constraints, *found.constraints))
    assert (~Space(restricted).check(EVERY) == fails).all()
    assert Space(restricted).count == (~fails).sum()


def test_runs_are_counted() -> None:
    """A rule states the runs with its values; a configuration that succeeded in another run has not failed."""
    fails = (EVERY.value("a") == 1) & (EVERY.value("mode_safe") == 1)
    failed, succeeded = split(fails)
    twice = Configurations.concatenate([failed, failed, succeeded[:4]])
    found = failures_of(twice, succeeded)
    assert found is not None
    assert str(found.rules[0]) == f"all {2 * len(failed)} runs with a and mode=safe failed"
    assert len(found) == len(failed)
    assert failures_of(succeeded[:4], succeeded) is None


def test_a_model_file_keeps_them() -> None:
    """What a file of a model states reads back; damaged content states nothing."""
    failed, succeeded = split(EVERY.value("n") == 8)
    found = failures_of(failed, succeeded, "m.failures.csv")
    assert found is not None
    content = failures_object(found)
    again = failures_of_object(content, SYSTEM)
    assert again is not None
    assert again.configurations == found.configurations
    assert again.rules == found.rules
    assert (again.explained == found.explained).all()
    wrong: list[object] = [None, [], {}, {**content, "runs": [1]}, {**content, "rules": [{"condition": 1}]}, "text"]
    assert [failures_of_object(damaged, SYSTEM) for damaged in wrong] == [None] * len(wrong)
    assert failures_of_object({**content, "rules": [{**content["rules"][0], "constraint": "!!("}]}, SYSTEM) is None
    assert failures_of_object(content, VariabilityModel.of({"other": bool})) is None


def table(text: str) -> Source:
    """Return a table of failed runs."""
    return Source("m.failures.csv", text.encode())


def test_a_table_of_another_system_is_refused() -> None:
    """A table without the options, or with other values, is refused once, with its name and the lines."""
    for text, line in (("b,c,reason\n1,2,x\n", 1), ("a,mode,n,x,reason\n1,fast,1,0.001,r\n1,fast,3,0.001,r\n", 3)):
        with pytest.raises(InputError) as raised:
            read_failed_runs(table(text), SYSTEM, {})
        assert (raised.value.problems[0].file, raised.value.problems[0].line) == ("m.failures.csv", line)
        assert "remove" in (raised.value.problems[-1].hint or "")


def test_rows_of_other_contexts_are_left_out() -> None:
    """Failed runs of another value of a context that took turns are those of other measurements."""
    text = "a,mode,n,x,version,reason\n1,fast,1,0.001,v1,r\n1,fast,2,0.001,v2,r\n"
    assert read_failed_runs(table(text), SYSTEM, {"version": "v2"})[0].value("n").tolist() == [2]
    assert len(read_failed_runs(table(text), SYSTEM, {"host": "h"})[0]) == 2


def test_values_that_never_worked() -> None:
    """Where options are inferred from what succeeded, each value that no such run has is a rule."""
    rows = [
        "1,fast,16,0.001",
        "1,slow,2,0.001",
        "0,slow,16,0.001",
        "0,slow,16,0.001",
        "1,fast,2,0.001",
        "1,fast,,0.001",
    ]
    text = "\n".join(["a,mode,n,x,reason", *(f"{row},r" for row in rows)])
    inside, rules, others = read_failed_runs(table(text), replace(SYSTEM, inferred=True), {})
    assert (len(inside), others) == (1, 1)
    assert {str(rule): rule.configurations for rule in rules} == {
        "all 3 runs with mode=slow failed": 2,
        "all 3 runs with n=16 failed": 2,
    }


@pytest.mark.parametrize(
    ("values", "further", "failing"),
    [
        ({"a": (1,), "n": (4, 8)}, [3, 5, 16], [5, 16]),
        ({"n": (1, 2)}, [0, 1.5, 3], [0, 1.5]),
        ({"a": (0,), "n": (2, 4)}, [1.5, 3, 5], [3]),
        ({"mode_fast": (1,), "x": (0.002,)}, [0.0015, 0.0025], []),
    ],
)
def test_further_values(values: dict[str, tuple[float, ...]], further: list[float], failing: list[float]) -> None:
    """A rule about a range of numbers is about those that no run had, too, and about no others."""
    fails = np.all([np.isin(EVERY.value(name), allowed) for name, allowed in values.items()], axis=0)
    found = failures_of(*split(fails))
    assert found is not None
    *_, name = values
    system = extended(replace(SYSTEM, inferred=True), {name: further})
    rows = Space(system).enumerate()
    rows = rows[np.isin(rows.value(name), further)]
    assert np.unique(rows.value(name)[found.of_system(system).expected(rows)]).tolist() == failing


@pytest.mark.parametrize(
    ("column", "worked", "failed"), [("status", "ok", "timeout"), ("Outcome", "done", "crash"), ("exit_code", "0", "3")]
)
def test_a_status_says_which_runs_failed(column: str, worked: str, failed: str) -> None:
    """Values of runs that failed by a status are no values; the column is neither a context nor a property then."""
    lines = [f"a,n,time,{column}", f"0,1,2,{worked}", f"1,1,99,{failed}", f"0,2,3,{worked}", f"1,2,,{failed}"]
    source = Source("m.csv", "\n".join(lines).encode())
    system = VariabilityModel.of({"a": bool, "n": [1, 2]})
    (read,) = read_parts(source, system, Policy())
    assert read.column("time").tolist()[::2] == [2, 3]
    assert np.isnan(read.column("time")[1::2]).all()
    assert read.properties == ("time",)
    assert read.contexts == {}
    (named,) = read_parts(source, system, Policy(columns=ColumnChoice((column,), where={column: failed})))
    assert named.contexts == {column: failed}


def test_rows_without_a_value_failed(tmp_path: Path) -> None:
    """Configurations that have no value of any property have failed, also without a table of failed runs."""
    values = np.arange(float(len(EVERY)))
    fails = (EVERY.value("a") == 1) & (EVERY.value("n") == 8)
    time, energy = np.where(fails, np.nan, values), np.where(fails | (values == 0), np.nan, values)
    measured = Measurements(EVERY, {"time": time, "energy": energy})
    found = with_failures(measured, [str(tmp_path / "m.csv")], SPACE.check).failures
    assert found is not None
    assert len(found) == fails.sum()
    assert "a and n=8" in str(found.rules[0])


def test_combinations_seen(tmp_path: Path) -> None:
    """Failed runs that a constraint of the description excludes are no failures of the system."""
    lines = ["a,mode,n,x,reason", *(f"1,exact,{n},{x},r" for n, x in product((1, 2, 4, 8), (0.001, 0.002)))]
    (tmp_path / "m.failures.csv").write_text("\n".join(lines), encoding="utf-8")
    succeeded = EVERY[~((EVERY.value("a") == 1) & (EVERY.value("mode_exact") == 1))]
    measured = Measurements(succeeded, {"time": np.ones(len(succeeded))})
    assert len(with_failures(measured, [str(tmp_path / "m.csv")], SPACE.check).failures or ()) == 8
    excluding = Space(
        VariabilityModel.of(
            {"a": bool, "mode": ["fast", "safe", "exact"], "n": [1, 2, 4, 8], "x": [0.001, 0.002, 0.003]},
            ["!a | !mode_exact"],
        )
    )
    assert with_failures(measured, [str(tmp_path / "m.csv")], excluding.check).failures is None
