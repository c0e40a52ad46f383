"""`splc compare`: the reference of directed measures, and influences of opposite sign."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_compare import compared


def test_every_row_names_the_reference(models: Path, run: Run) -> None:
    """Tables name the reference of directed measures; `--reference` chooses it and leaves the keys of JSON alone."""
    (models / "third.txt").write_text("2 * x + 3", encoding="utf-8")
    wanted = ("--measure", "max_relative_error", "--measure", "r2")
    pair = ("analytical.txt", "other.txt")
    plain = compared(run, *pair, *wanted)
    chosen = compared(run, *pair, *wanted, "--reference", "second")
    assert (plain["semantic"]["reference"], chosen["semantic"]["reference"]) == ("first", "second")
    assert chosen["settings"]["reference"] == "second"
    for key, value in plain["semantic"].items():
        assert (value == chosen["semantic"][key]) == (key not in {"reference", "max_relative_error", "r2"})
    assert chosen["measured"] == plain["measured"]

    def rows(*arguments: str) -> list[tuple[str, float]]:
        text = run("compare", *arguments, *wanted, "--format", "csv").stdout
        found = [row for row in csv.reader(io.StringIO(text)) if "rror" in row[1] or "R²" in row[1]]
        return [(row[1], float(row[3])) for row in found]

    both = rows(*pair)
    swapped = rows(*pair, "--reference", "second")
    semantic, exchanged = plain["semantic"], chosen["semantic"]
    assert both[:4] == [
        ("Error rate, % of analytical.txt", semantic["error_rate"]),
        ("Error rate, % of other.txt", semantic["error_rate_reversed"]),
        ("Greatest relative error, % of analytical.txt", semantic["max_relative_error"]),
        ("R², reference analytical.txt", semantic["r2"]),
    ]
    assert swapped[:4] == [
        both[1],
        both[0],
        ("Greatest relative error, % of other.txt", exchanged["max_relative_error"]),
        ("R², reference other.txt", exchanged["r2"]),
    ]
    assert both[4:] == swapped[4:]
    assert [title for title, _ in both[4:6]] == ["Error rate, % of measured", "Error rate, % of predicted"]
    several = [title for title, _ in rows(*pair, "third.txt")[:2]]
    assert several == ["Error rate, % of analytical.txt", "Error rate, % of the other model"]


def test_the_reference_of_correlations_and_notes(models: Path, run: Run) -> None:
    """With `--reference second`, correlations are with that error rate, and its undefined rows are counted."""
    (models / "zero.txt").write_text("x - 1", encoding="utf-8")
    (models / "third.txt").write_text("2 * x + 3", encoding="utf-8")
    files = ("analytical.txt", "zero.txt", "third.txt", "other.txt", "--table", "correlations")
    for reference, missing in (("first", "error_rate"), ("second", "error_rate_reversed")):
        found = compared(run, *files, "--reference", reference)["correlations"]
        keys = {each["measure"] for each in found}
        assert {"error_rate", "error_rate_reversed"} - keys == {missing}
        assert f"relative to the {reference} model" in run("compare", *files, "--reference", reference).stdout
    note = "3 configurations where zero.txt predicts 0 are left out of the error rate"
    assert note in run("compare", *files, "--reference", "second").stderr
    assert note not in run("compare", *files).stderr


def test_influences_of_opposite_sign_are_marked(models: Path, run: Run) -> None:
    """Table, CSV and JSON mark a term whose influences have opposite signs; its score is that of the thesis."""
    (models / "a.txt").write_text("3 * x", encoding="utf-8")
    (models / "b.txt").write_text("-2 * x", encoding="utf-8")
    syntactic = compared(run, "a.txt", "b.txt")["syntactic"]
    assert syntactic["classes"][0]["terms"] == [{"term": "x", "score": 1, "found": "opposite sign", "a": 3, "b": -2}]
    assert (syntactic["opposite"], syntactic["normalized"]) == (1, 0.75)
    text = run("compare", "a.txt", "b.txt").stdout
    assert "normalised 0.75, 1 influence of opposite sign" in text
    assert "opposite sign" in next(line for line in text.splitlines() if line.startswith("x "))
    assert "influences of opposite sign" in run("compare", "a.txt", "b.txt", "--format", "csv").stdout
    assert "opposite" not in run("compare", "a.txt", "a.txt").stdout
