"""The verbs on values in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import splc
from splc.errors import SpecError, SplcError, VariabilityError
from tests.support.paths import SMG2000


@cache
def known() -> splc.VariabilityModel:
    """Return a system of each kind of option."""
    return splc.VariabilityModel.of({"x": [1, 2, 3, 4, 5, 6], "tls": bool, "codec": ["a", "b"]})


@cache
def grid() -> splc.Configurations:
    """Return its configurations."""
    return splc.Space(known()).enumerate()


@cache
def columns() -> dict[str, Any]:
    """Return a table of measurements of all of them."""
    x, tls, codec = (grid().value(name) for name in ("x", "tls", "codec_a"))
    values = {"time": 10 + 3 * x + 5 * tls, "size": 20 - 2 * x, "version": ["1"] * len(grid())}
    return {"x": x, "tls": tls, "codec": np.where(codec == 1, "a", "b"), **values}


def test_learning_from_a_table() -> None:
    """A table gives what its measurements give, with a system or with the inferred one; `where` selects rows."""
    result = splc.learn(columns(), "time", system=known())
    measured = splc.Measurements.from_frame(known(), columns())
    assert result.model == splc.learn(measured, "time").model
    assert result.system == known()
    inferred = splc.learn(columns(), "time", options="codec", ignore="size")
    assert inferred.system is not None
    assert inferred.model.predict(columns()) == pytest.approx(columns()["time"])
    both = {name: [*values, *values] for name, values in columns().items()}
    both["version"] = ["1"] * len(grid()) + ["2"] * len(grid())
    both["time"][len(grid()) :] = [2 * value for value in columns()["time"]]
    second = splc.learn(both, "time", system=known(), where={"version": "2"})
    assert second.predict(grid()) == pytest.approx(2 * result.predict(grid()), rel=1e-6)
    with pytest.raises(SplcError, match="the context 'version' has 2 values"):
        splc.learn(both, "time", system=known())


def test_learning_from_a_file() -> None:
    """A path is read as the commands read it; settings are those of `splc.learning.learn`."""
    case = SMG2000 / "2d"
    system = splc.read_variability_model(case / "system.xml")
    result = splc.learn(case / "measurements.csv", "solve_compute_seconds", "splconqueror", system=system, seed=3)
    measured = splc.read_measurements(case / "measurements.csv", system)
    assert result.model == splc.learning.learn(measured, "solve_compute_seconds", "splconqueror").model
    assert result.seed == 3


@pytest.mark.parametrize("preset", [None, "splconqueror"])
def test_optimizing(preset: str | None) -> None:
    """The best configurations are those of a search of all valid ones, by the full model where there is one."""
    result = splc.learn(columns(), "time", preset, system=known())
    predicted = result.predict(grid())
    for maximize in (False, True):
        found = splc.optimize(result, count=3, maximize=maximize)
        values = np.sort(-predicted if maximize else predicted)
        # Configurations that differ only in options without a use are one.
        best = values[:3] if preset is None else np.unique(values.round(9))[:3]
        assert np.abs(found.predicted[0]) == pytest.approx(np.abs(best))
        assert result.predict(found.configurations) == pytest.approx(found.predicted[0])
    fixed = splc.optimize(result, splc.Space(known()), fixed={"tls": True, "codec": "b"})
    assert fixed.configurations.value("tls") == [1]
    assert fixed.predicted[0] == pytest.approx(predicted[(columns()["tls"] == 1) & (columns()["codec"] == "b")].min())


def test_the_front_of_several_models() -> None:
    """Of several models it is the Pareto front; a model may be a formula."""
    result = splc.learn(columns(), "time", system=known())
    size = splc.parse_model("20 - 2 * x", known())
    front = splc.optimize([result, size])
    assert sorted(front.configurations.value("x")) == [1, 2, 3, 4, 5, 6]
    assert splc.optimize([result, size], maximize=[False, True]).configurations.value("x") == [1]
    formulas = splc.optimize([splc.parse_model("x", known()), size], splc.Space(known()))
    assert sorted(formulas.configurations.value("x")) == [1, 2, 3, 4, 5, 6]


def test_explaining() -> None:
    """The options of a result and of its printed model have the same order of importance here."""
    result = splc.learn(columns(), "time", system=known())
    assert [each.name for each in splc.explain(result).options][:2] == ["x", "tls"]
    assert [each.name for each in splc.explain(result.model, splc.Space(known())).options][:2] == ["x", "tls"]


def test_refused() -> None:
    """A model without a space, wrong counts and impossible values are refused."""
    model = splc.parse_model("x", known())
    result = splc.learn(columns(), "time", system=known())
    with pytest.raises(SpecError, match="needs a space"):
        splc.optimize(model)
    with pytest.raises(SpecError, match="needs a space"):
        splc.explain(model)
    with pytest.raises(SpecError, match="2 models, but 1 values of maximize"):
        splc.optimize([result, model], maximize=[True])
    for each in (result, model):
        with pytest.raises(SpecError, match="must be at least 1, not 0"):
            splc.optimize(each, splc.Space(known()), 0)
    with pytest.raises(VariabilityError):
        splc.optimize(result, fixed={"codec_a": True, "codec_b": True})
    with pytest.raises(SplcError, match=r"nothing\.csv"):
        splc.learn(Path("nothing.csv"), "time")


def test_scaling_models() -> None:
    """`splc.scale` is `splc.scaling.fit`."""
    assert splc.scale is splc.scaling.fit


ROWS = "version,fast,n,time\n1.9,0,1,3\n1.10,0,1,4\n1.9,1,2,5\n1.10,1,2,6.5\n1.9,0,3,x\n1.10,1,3,9\n"
# The notes of all functions that read a table.
NOTES: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "infer_system": lambda table: splc.infer_system(table).notes,
    "learn": lambda table: splc.learn(table).notes,
    "learn a system": lambda table: splc.learn(table, system=splc.infer_system(table)).notes,
    "learn by": lambda table: splc.learn(table, by="n").notes,
    "suggest": lambda table: splc.suggest(table).notes,
    "explain": lambda table: splc.explain(table).notes,
}
# Functions that read no table, or return `Measurements`, whose `report` has everything.
OTHERS = (
    "calibrate compare optimize parse_model read_measurements read_measurements_by read_model read_variability_model "
    "sample scale tune"
)


def test_every_function_is_in_one_of_these_lists() -> None:
    """A new function joins the test of notes, or the list of those that read no table."""
    functions = {name for name in vars(splc)["__all__"] if name.islower() and not name.startswith("_")}
    assert functions == {name.split()[0] for name in NOTES} | set(OTHERS.split())


@pytest.mark.parametrize("name", NOTES)
def test_what_is_doubtful_about_a_table_is_noted(tmp_path: Path, name: str) -> None:
    """What functions return has notes on numbers that may be versions, and on values that are missing."""
    (tmp_path / "t.csv").write_text(ROWS, encoding="utf-8")
    notes = " ".join(NOTES[name](str(tmp_path / "t.csv")))
    assert ("1.10 as 1.1" in notes) == (name != "learn a system")
    assert ("1 value of time is missing" in notes) == (name != "infer_system")


def test_rows_that_are_left_out_are_noted() -> None:
    """That rows were dropped which the system excludes is a note."""
    system = splc.VariabilityModel.of({"x": [1, 2, 3, 4, 5, 6], "tls": bool, "codec": ["a", "b"]}, ["x < 6"])
    assert "4 of 24 configurations" in splc.learn(columns(), "time", system=system, invalid="drop").notes[1]


def test_what_is_doubtful_about_an_answer_is_noted() -> None:
    """A search that may have missed the optimum says so, and so does an explanation of a constant."""
    system = splc.VariabilityModel.of({f"n{number}": range(600) for number in range(4)})
    model, space = splc.parse_model("n0 * n1 + n1 * n2 + n2 * n3 - 600 * n0", system), splc.Space(system)
    assert splc.optimize(splc.parse_model("n0 - n1", system), space).notes == ()
    assert "a better one may exist" in " ".join(splc.optimize(model, space, limit=1000).notes)
    assert splc.explain(splc.parse_model("3", system), space).notes


def test_groups_of_a_table() -> None:
    """Groups of a table are a column, which is no option then, or labels of its rows, also where rows are repeated."""
    draw = np.random.default_rng(0)
    table = {name: draw.integers(1, 9, 40).astype(float).repeat(2) for name in ("n", "m")}
    table["time"] = table["n"] * 3 + table["m"]
    days = [f"day {row // 8}" for row in range(80)]
    by_column = splc.learn({**table, "day": days}, "time", groups="day")
    by_label = splc.learn(table, "time", groups=days)
    assert by_column.groups is not None
    assert by_label.groups is not None
    assert by_column.groups.column == "day"
    assert np.array_equal(by_column.groups.labels, by_label.groups.labels)
    assert by_column.expected == by_label.expected
    assert splc.learn(table, "time", groups="n").groups is not None
    with pytest.raises(splc.SplcError):
        splc.learn(table, "time", groups=days[:3])
