"""Systems with the constraints that all rows of a table satisfy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sampling import Space, sample
from splc import Measurements, VariabilityModel, infer_system, read_measurements, read_variability_model
from splc.data.configurations import Configurations, describe_configuration
from splc.errors import plural
from splc.formats.measurements.constraints import (
    failures_object,
    failures_of,
    failures_of_object,
    read_failed_runs,
    with_failures,
)
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.io.files import Source
from splc.system.variability import extended
from splc.types import Array
from tests.support.golden_messages import check_calls
from tests.support.mined_tables import Rows, random_rows, satisfying
from tests.support.paths import SMG2000
from tests.support.real_data import real

ROWS = 2000
NUMERIC = ("pb:9,3", "pb:25,5", "cci", "bbd", "ofat:5", "hyper:30", "random:20")
SLOW = pytest.mark.slow


def measured(table: dict[str, Array]) -> dict[str, Array]:
    """Return a table with a property."""
    rows = len(next(iter(table.values())))
    columns = {name: values.astype(float) if values.dtype == bool else values for name, values in table.items()}
    return {**columns, "time": np.random.default_rng(0).uniform(1, 2, rows)}


def system_of(table: dict[str, Array], *, constraints: bool = True) -> VariabilityModel:
    """Return the system of a table."""
    return infer_system(measured(table), nfp="time", constraints=constraints)


def implies(name: str, value: float) -> Callable[[Rows], Array]:
    """Return the rule that `x0` has a value where an option is selected."""
    return lambda table: ~table[name] | (table["x0"] == value)


def clause(literals: Sequence[tuple[str, bool]]) -> Callable[[Rows], Array]:
    """Return the rule that one of some options has its value."""
    return lambda table: np.logical_or.reduce([table[name] == value for name, value in literals])


PLANTED: tuple[Callable[[Rows], Array], ...] = (
    lambda t: ~t["a"] | t["b"],
    lambda t: ~t["a"] | t["n"],
    lambda t: t["c"] == t["d"],
    lambda t: ~t["e"] | ~t["f"],
    lambda t: np.where(t["g"], t["h"] ^ t["i"], ~t["h"] & ~t["i"]),
    lambda t: t["j"] | t["k"],
    lambda t: t["l"] | (t["x0"] == 1),
    lambda t: ~t["l"] | (t["x1"] != 3),
)


def planted() -> dict[str, Array]:
    """Return rows with a constraint of each kind."""
    return satisfying(random_rows(np.random.default_rng(1), 40 * ROWS, 14, (3, 5)), *PLANTED)


class TestStructure:
    """Constraints become structure where that is exact."""

    def test_kinds(self) -> None:
        """Implications are parents, sets of options groups; the rest are constraints."""
        found = system_of(planted())
        parents = {option.name: option.parent for option in found.binary_options if option.parent is not None}
        assert parents == {"a": "b", "d": "c", "h": "g", "i": "g"}
        assert ("h", "i") in found.alternative_groups
        assert not found.option("d").optional
        assert found.exclusions["e"] == ("f",)
        assert [each.text for each in found.constraints] == [
            "!a | n",
            "j | k",
            "l * (x1 - 1) * (x1 - 2) * (x1 - 4) * (x1 - 5) = 0",
            "(1 - l) * (x0 - 1) = 0",
        ]

    def test_equivalent(self) -> None:
        """The system allows exactly what the planted constraints allow."""
        table = planted()
        free = system_of(table, constraints=False)
        drawn = Space(free).draw(3000, np.random.default_rng(0))
        columns = {name: drawn.column(name) for name in free.names}
        t = {name: values == 1 if set(values) <= {0, 1} else values for name, values in columns.items()}
        allowed = np.all([rule(t) for rule in PLANTED], axis=0)
        found = system_of(table)
        assert Space(found).check(Configurations.from_columns(found, columns)).tolist() == allowed.tolist()
        assert 0 < allowed.sum() < len(allowed)

    def test_switched_off(self) -> None:
        """Without constraints, all combinations are valid."""
        free = system_of(planted(), constraints=False)
        assert Space(free).count == 2**14 * 15
        assert not free.constraints

    def test_written_and_read(self, tmp_path: Path) -> None:
        """The description that is written has the same valid configurations."""
        found = system_of(planted())
        write_variability_model(found, tmp_path / "system.xml")
        assert Space(read_variability_model(tmp_path / "system.xml")).count == Space(found).count

    def test_names(self) -> None:
        """Names may be operators, have spaces, or contain each other."""
        names = {"a": "b", "b": "a b", "l": "x-1", "x0": "x", "x1": "1 + x", "j": "!j", "k": "k|"}
        table = {names.get(name, name): values for name, values in planted().items()}
        assert Space(system_of(table)).count == Space(system_of(planted())).count

    def test_values(self) -> None:
        """Small, large and negative values are compared exactly."""
        for levels in ([-3, -2, -1], [0.001, 0.002, 0.003], [1e6, 2e6, 3e6], [1e-9, 2e-9, 3e-9], [5, 5.0000001, 6]):
            table = random_rows(np.random.default_rng(1), ROWS, 8, (3,))
            table["x0"] = np.array(levels)[table["x0"].astype(int) - 1]
            table = satisfying(table, implies("a", levels[0]))
            found = infer_system(measured(table), options=["x0"], nfp="time")
            rows = Configurations.from_columns(found, {name: np.asarray(table[name], float) for name in found.names})
            assert Space(found).check(rows).all()


class TestRows:
    """All rows of the table remain valid, whatever it has."""

    @pytest.mark.parametrize("seed", range(12))
    def test_random_systems(self, seed: int) -> None:
        """Random clauses, text, cells without a value, repetitions."""
        rng = np.random.default_rng(seed)
        table = random_rows(rng, 3000, int(rng.integers(2, 12)), tuple(rng.integers(2, 7, rng.integers(0, 3))))
        binary = [name for name, values in table.items() if values.dtype == bool]
        for _ in range(int(rng.integers(0, 4))):
            literals = [(str(name), bool(rng.random() < 0.5)) for name in rng.choice(binary, 2)]
            table = satisfying(table, clause(literals))
        rows = rng.integers(0, len(table["a"]), int(rng.integers(1, 600)))
        columns = {name: values[rows].astype(float) for name, values in table.items()}
        if "x0" in columns and seed % 3 == 0:
            columns["x0"] = np.where(columns["a"] == 1, columns["x0"], np.nan)
        data: dict[str, object] = {**columns, "mode": np.where(rng.random(len(rows)) < 0.5, "p", "q")}
        data["time"] = rng.uniform(1, 2, len(rows))
        found = infer_system(data, nfp="time", options="mode")
        assert len(read_measurements(data, found)) > 0

    def test_text(self) -> None:
        """The texts of a column are options in constraints."""
        rng = np.random.default_rng(0)
        table = random_rows(rng, 600, 8)
        mode = rng.choice(["aes", "none", "rsa"], 600)
        kept = ~table["a"] | (mode == "aes")
        data = {name: values[kept].astype(float) for name, values in table.items()}
        found = infer_system({**data, "mode": mode[kept], "time": rng.random(kept.sum())}, options="mode", nfp="time")
        assert found.option("a").parent == "mode_aes"
        assert Space(found).count == 2**7 * (1 + 1 + 2)

    def test_optional_numbers(self) -> None:
        """A numeric option without a value wherever a binary one is deselected needs it."""
        rng = np.random.default_rng(0)
        table = random_rows(rng, 600, 8, (4,))
        data = {name: values.astype(float) for name, values in table.items()}
        data["x0"] = np.where(table["a"], data["x0"], np.nan)
        found = infer_system({**data, "time": rng.random(600)}, nfp="time")
        assert Space(found).count == 2**7 * (1 + 4)


class TestReal:
    """Tables of others."""

    @pytest.mark.real_data
    @pytest.mark.parametrize(
        ("file", "nfp", "count", "free"), [("HSQLDB", "performance", 864, 6144), ("dconvert", "time", 1920, 24576)]
    )
    def test_complete_tables(self, file: str, nfp: str, count: int, free: int) -> None:
        """Tables of all valid configurations have as many (of dconvert, ten are missing)."""
        table = real("tuning", f"{file}.csv.gz")
        found = infer_system(table, nfp=nfp)
        assert Space(found).count == count
        assert Space(infer_system(table, nfp=nfp, constraints=False)).count == free
        assert len(read_measurements(table, found)) > 0

    @pytest.mark.real_data
    @pytest.mark.parametrize("spec", ["optionwise", "negoptionwise", "pairwise", "twise:3", "covering:2", "henard:50"])
    @pytest.mark.parametrize("system", ["LLVM", *(pytest.param(name, marks=SLOW) for name in ("x264", "Dune"))])
    def test_designs_of_binary_options(self, system: str, spec: str) -> None:
        """Combinations that a design leaves out are no constraints."""
        self.require_no_false_one(read_variability_model(real(system, "FeatureModel.xml")), spec)

    @pytest.mark.real_data
    @pytest.mark.parametrize("numeric", [*NUMERIC, "factorial:2", pytest.param("ff", marks=SLOW)])
    @pytest.mark.parametrize(
        "binary", ["optionwise", *(pytest.param(name, marks=SLOW) for name in ("pairwise", "random:8"))]
    )
    def test_mixed_designs(self, binary: str, numeric: str) -> None:
        """Nor are combinations of designs of binary and numeric options."""
        self.require_no_false_one(
            read_variability_model(real("exastencils", "FeatureModel.xml")), f"{binary}+{numeric}"
        )

    @pytest.mark.parametrize("spec", ["pb:9,3", "cci", "bbd", "ofat:4", "factorial:2", "lhs:30", "random:40"])
    def test_numeric_designs(self, spec: str) -> None:
        """Designs of numeric options have no constraint."""
        self.require_no_false_one(read_variability_model(SMG2000 / "3d" / "system.xml"), spec)

    def require_no_false_one(self, described: VariabilityModel, spec: str) -> None:
        """Compare the valid configurations with and without the constraints that are inferred from a sample."""
        chosen = sample(described, spec, seed=1)
        data: dict[str, Array] = {name: chosen.column(name) for name in described.names}
        data["time"] = np.random.default_rng(0).uniform(1, 2, len(chosen))
        found, free = (
            infer_system(data, nfp="time", options=described.names, constraints=constraints)
            for constraints in (True, False)
        )
        drawn = Space(described).draw(2000 if Space(described).count > 2000 else 100, np.random.default_rng(0))
        columns = {name: drawn.column(name) for name in described.names}
        known = np.ones(len(drawn), dtype=bool)
        for option in free.numeric_options:
            known &= np.isin(columns[option.name], option.values)
        columns = {name: values[known] for name, values in columns.items()}
        valid = [Space(each).check(Configurations.from_columns(each, columns)) for each in (found, free)]
        assert valid[0].tolist() == valid[1].tolist()


OPTIONS = {"a": bool, "mode": ["fast", "safe", "exact"], "n": [1, 2, 4, 8], "x": [0.001, 0.002, 0.003]}
SYSTEM = VariabilityModel.of(OPTIONS)
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


@pytest.mark.parametrize("share", [0.45, 1.0])
def test_failures_that_are_frequent_with_a_value_make_no_rule_of_more_values(share: float) -> None:
    """Runs that fail at random, but more often with one value, make no rule; if all of them fail, it is the value."""
    rng, rules = np.random.default_rng(0), list[str]()
    for _ in range(20):
        rows = rng.permutation(len(EVERY))[:60]
        fails = (EVERY.value("n")[rows] == 8) & (rng.random(len(rows)) < share)
        found = failures_of(EVERY[rows[fails]], EVERY[rows[~fails]])
        rules += [rule.condition for rule in found.rules] if found else []
    assert rules == (["n=8"] * 20 if share == 1 else [])


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
    """Failures that a model file states are read back; damaged content states none."""
    failed, succeeded = split(EVERY.value("n") == 8)
    found = failures_of(failed, succeeded)
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


def test_zeros_of_failed_runs() -> None:
    """In several rows, 0 wherever another value is missing is a failed run; elsewhere it is a value."""
    fails = (EVERY.value("a") == 1) & (EVERY.value("n") == 8)
    time, rate = np.where(fails, np.nan, 2.0), np.where(fails, 0.0, 0.5)
    found = with_failures(Measurements(EVERY, {"time": time, "rate": rate}), [], None).failures
    assert found is not None
    assert len(found) == fails.sum()
    time[np.flatnonzero(~fails)[0]] = np.nan
    assert with_failures(Measurements(EVERY, {"time": time, "rate": rate}), [], None).failures is None


def test_each_run_that_failed_counts(tmp_path: Path) -> None:
    """A configuration that failed in three runs has failed three times."""
    rows = (f"{a},{n},{'' if a and n == 4 else a + n}" for a, n in product((0, 1), (1, 2, 4)) for _ in range(3))
    (tmp_path / "m.csv").write_text("\n".join(["a,n,time", *rows]))
    failures = read_measurements(tmp_path / "m.csv", infer_system(tmp_path / "m.csv")).failures
    assert failures is not None
    assert failures.runs.tolist() == [3]


def test_combinations_seen(tmp_path: Path) -> None:
    """Failed runs that a constraint of the description excludes are no failures of the system."""
    lines = ["a,mode,n,x,reason", *(f"1,exact,{n},{x},r" for n, x in product((1, 2, 4, 8), (0.001, 0.002)))]
    (tmp_path / "m.failures.csv").write_text("\n".join(lines), encoding="utf-8")
    succeeded = EVERY[~((EVERY.value("a") == 1) & (EVERY.value("mode_exact") == 1))]
    measured = Measurements(succeeded, {"time": np.ones(len(succeeded))})
    assert len(with_failures(measured, [str(tmp_path / "m.csv")], SPACE.check).failures or ()) == 8
    excluding = Space(VariabilityModel.of(OPTIONS, ["!a | !mode_exact"]))
    assert with_failures(measured, [str(tmp_path / "m.csv")], excluding.check).failures is None


def failed_runs(*rows: str, inferred: bool = False, **contexts: str) -> tuple[object, ...]:
    """Return the configurations in a table of failed runs, what never worked, and the number of other runs."""
    source = Source("m.failures.csv", "\n".join(rows).encode())
    inside, rules, others = read_failed_runs(source, replace(SYSTEM, inferred=inferred), contexts)
    texts = [f"{rule} ({plural(rule.configurations, 'configuration', 'configurations')})" for rule in rules]
    return [describe_configuration(inside, row) for row in range(len(inside))], texts, others


def test_calls() -> None:
    """Tables of failed runs are read as the golden file has it."""
    check_calls("failed-runs", failed_runs)
