"""Columns of words of which some are truth values, of zeros and ones with the name of a counter, and ignored lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splc import infer_system, read_measurements
from splc.data.measurements import Measurements

BOOLEANS = ("off", "on", "yes", "no", "true", "false")


def table(folder: Path, values: tuple[str, ...], name: str) -> Path:
    """Return a table of an option with these values, another option, and a time."""
    rows = [f"{value},{other},{10 + 3 * at + other}" for at, value in enumerate(values) for other in (0, 1)]
    file = folder / "t.csv"
    file.write_text("\n".join([f"{name},cache,time", *rows, ""]), encoding="utf-8")
    return file


@pytest.mark.parametrize("other", ["full", "auto"])
@pytest.mark.parametrize("word", BOOLEANS)
def test_truth_values_beside_words(word: str, other: str, tmp_path: Path) -> None:
    """A truth value beside another word is a word; the rows of the table that the system is inferred from are valid."""
    file = table(tmp_path, (word, other), "sync")
    system = infer_system(file, options=["sync"])
    assert {f"sync_{word}", f"sync_{other}"} <= set(system.names)
    measured = read_measurements(file, system)
    assert isinstance(measured, Measurements)
    assert len(measured) == 4


@pytest.mark.parametrize("values", [("yes", "no"), ("off", "on"), ("true", "false"), ("0", "1")])
@pytest.mark.parametrize("name", ["index", "id", "row"])
def test_switches_are_no_counters(name: str, values: tuple[str, ...], tmp_path: Path) -> None:
    """A column of zeros and ones is an option, also one with the name of a column that numbers rows."""
    assert infer_system(table(tmp_path, values, name)).names[:2] == (name, "cache")


def test_ignored_list_of_stated_options(tmp_path: Path) -> None:
    """`a,b` is two ignored columns, also of a file that states its options."""
    results = [
        {
            "command": f"x {a} {b} {c}",
            "times": [1 + a + b + c],
            "exit_codes": [0],
            "parameters": {"a": a, "b": b, "c": c},
        }
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
    ]
    file = tmp_path / "h.json"
    file.write_text(json.dumps({"results": results}), encoding="utf-8")
    assert infer_system(file, ignore=["a,b"]).names == ("c",)
