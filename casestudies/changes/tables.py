"""The tables of false alarms, of detected changes, and of right names."""

from __future__ import annotations

from collections.abc import Sequence

from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table


def false_alarm_table(rows: Sequence[Row]) -> Table:
    """Return how often a change is stated without one, in percent, by the number of options and in all."""
    kept = [row for row in rows if row["kind"] == "none"]
    lines: list[tuple[Cell, ...]] = []
    for options in dict.fromkeys(row["options"] for row in kept):
        own = [row for row in kept if row["options"] == options]
        lines.append((options, sum(row["draws"] for row in own), _percent(own, "found"), _percent(own, "stated")))
    whole = (sum(row["draws"] for row in kept), _percent(kept, "found"), _percent(kept, "stated"))
    lines.append(("all", *whole))
    header = ("options", "versions", "change stated, %", "influence stated, %")
    return Table(header, tuple(lines), "False alarms: pairs of versions without a change")


def detection_table(rows: Sequence[Row]) -> Table:
    """Return how often a change is found, and the influence named, in percent, by noise and number of pairs."""
    kept = [row for row in rows if row["kind"] in {"influence", "factor"}]
    cells = dict.fromkeys((row["noise"], row["pairs"]) for row in kept)
    lines: list[tuple[Cell, ...]] = []
    for kind, size in dict.fromkeys((row["kind"], row["size"]) for row in kept):
        line: list[Cell] = [f"{'one influence' if kind == 'influence' else 'common factor'} {100 * size:g} %"]
        for noise, pairs in cells:
            own = [
                row
                for row in kept
                if (row["kind"], row["size"], row["noise"], row["pairs"]) == (kind, size, noise, pairs)
            ]
            named = f" ({_percent(own, 'named'):.0f})" if kind == "influence" else ""
            line.append(f"{_percent(own, 'found'):.0f}{named}")
        lines.append(tuple(line))
    header = ("change", *(f"noise {100 * noise:g} %, {pairs} pairs" for noise, pairs in cells))
    return Table(header, tuple(lines), "Changes that are found, in percent (the influence is named)")


def names_table(rows: Sequence[Row]) -> Table:
    """Return how many of the stated names are right, and how many of the changed influences are stated, in percent."""
    kept = [row for row in rows if row["kind"] in {"several", "joint"}]
    lines: list[tuple[Cell, ...]] = []
    for row in kept:
        method = "splc changed, pairs" if row["kind"] == "several" else "learn --share, rows per version"
        share = 100 * row["right"] / row["stated"] if row["stated"] else None
        lines.append(
            (method, row["pairs"], 100 * row["noise"], row["stated"], share, 100 * row["right"] / row["changed"])
        )
    header = ("method", "measured", "noise, %", "names stated", "of them right, %", "changes named, %")
    return Table(header, tuple(lines), "Versions with one to five changes of 5 to 40 % among 20 options")


def equal_table(rows: Sequence[Row]) -> Table:
    """Return how often a change is stated between equal versions whose runs are measured, in percent."""
    deviation = 100 * sum(row["deviation"] * row["draws"] for row in rows) / sum(row["draws"] for row in rows)
    line = (sum(row["draws"] for row in rows), deviation, _percent(rows, "found"), _percent(rows, "beyond"))
    header = ("tests", "deviation of ratios, %", "change stated, %", "beyond 5 %, %")
    return Table(header, (line,), "False alarms: equal versions of gzip, 20 pairs of three runs each, in turn")


def _percent(rows: Sequence[Row], key: str) -> float:
    share: float = 100 * sum(row[key] for row in rows) / max(1, sum(row["draws"] for row in rows))
    return share
