"""Options that a later version has: two tables, empty cells, or zeros are the same measurements."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import splc
from tests.cli.conftest import Run

FACTOR = 1.05
DESCRIPTION = (
    '<vm name="s"><binaryOptions>'
    + "".join(f"<configurationOption><name>{name}</name></configurationOption>" for name in "abdc")
    + "</binaryOptions></vm>"
).replace("</name>", "</name><optional>True</optional>")


def rows(version: str, blank: str | None) -> list[str]:
    """Return the rows of a version; `blank`: what the first version has in the column of the new option."""
    found = []
    for a, b, d, c in itertools.product((0, 1), (0, 1), (0, 1), (0,) if version == "v1" else (0, 1)):
        time = (10 + 3 * a - 2 * b + d + 4 * c) * (FACTOR if version == "v2" else 1)
        cell = blank if version == "v1" else str(c)
        found.append(",".join([version, str(a), str(b), str(d), *([] if cell is None else [cell]), f"{time:.6g}"]))
    return found


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize("way", ["two tables", "blank", "zero"])
def test_new_binary_option(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, described: bool
) -> None:
    """All ways to state the measurements of a version before the option give the same change, and a note."""
    monkeypatch.chdir(tmp_path)
    if described:
        Path("system.xml").write_text(DESCRIPTION, encoding="utf-8")
    blank = {"two tables": None, "blank": "", "zero": "0"}[way]
    first, second = rows("v1", blank), rows("v2", blank)
    full = "version,a,b,d,c,time"
    if blank is None:
        Path("1.csv").write_text("\n".join(["version,a,b,d,time", *first, ""]), encoding="utf-8")
        Path("2.csv").write_text("\n".join([full, *second, ""]), encoding="utf-8")
        tables = ["--measurements", "1.csv", "--measurements", "2.csv"]
    else:
        Path("1.csv").write_text("\n".join([full, *first, *second, ""]), encoding="utf-8")
        tables = ["--measurements", "1.csv"]
    done = run("changed", *tables, "--by", "version", "--old", "v1", "--new", "v2", "--json")
    content = json.loads(done.stdout)
    assert (content["pairs"], content["factor"]) == (8, pytest.approx(FACTOR, rel=1e-3))
    assert ("c has no value in" in done.stderr) == (way != "zero" and not described)
    assert ("empty cells are 0, which is deselected: c" in done.stderr) == (way != "zero" and described)
    assert ("the column c is empty in the rows of 1.csv" in done.stderr) == (way == "two tables" and not described)


def test_frames() -> None:
    """Missing values beside zeros and ones are zeros in Python, too."""
    columns = zip(*(row.split(",") for row in (*rows("v1", ""), *rows("v2", ""))), strict=True)
    names = ("version", "a", "b", "d", "c", "time")
    table = {name: list(values) for name, values in zip(names, columns, strict=True)}
    table["c"] = [None if text == "" else int(text) for text in table["c"]]
    learned = splc.learn(table, "time", ignore="version")
    assert learned.system is not None
    assert [option.name for option in learned.system.binary_options] == ["a", "b", "d", "c"]
    zeros = {**table, "c": [value or 0 for value in table["c"]]}
    assert learned.predict(table).tolist() == learned.predict(zeros).tolist()
