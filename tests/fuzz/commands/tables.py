"""Generated measurements of a system, as text: clean tables, and tables with what users' tables have."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from tests.fuzz.commands.systems import System

Row = dict[str, str]
# Defects of users' tables, and texts instead of a measured value.
DEFECTS = (
    "cell", "cell", "cell", "option", "typo", "typo", "constant", "zeros", "huge", "tiny", "whole numbers", "copy",
    "sum", "new in a context", "new in a context",
)  # fmt: skip
CELLS = (
    "", "0", "-1", "inf", "nan", "failed", "-", "1e400", "0x1", "1e300", "1.8e308", "-1e308", "1e155", "1e-300",
    "4.9e-324",
)  # fmt: skip


def measured(system: System, rng: random.Random) -> list[Row]:
    """Draw configurations, and measure each once or more in every context."""
    # Wide tables have few rows: a command may do some ten models of them.
    count = min(rng.choice((1, 3, 5, 8, 12, 12, 20, 20, 30, 30, 50, 50, 80, 200)), 4000 // len(system.options))
    repeated = rng.choice((1, 1, 1, 2, 3))
    functions = {name: _function(system, rng) for name in system.properties}
    places: list[Row] = [{}]
    for name, named in system.contexts.items():
        places = [{**place, name: value} for place in places for value in named]
    rows = []
    factors = [rng.uniform(0.5, 2) for _ in places]
    for _ in range(count):
        values = system.configuration(rng)
        for place, factor in zip(places, factors, strict=True):
            if len(places) > 1 and rng.random() < 0.1:
                continue
            results = {name: function(values) * factor for name, function in functions.items()}
            for _ in range(repeated):
                noisy = {name: f"{value * rng.gauss(1, 0.05):.6g}" for name, value in results.items()}
                rows.append({name: f"{value:.12g}" for name, value in values.items()} | noisy | place)
    return rows


def _function(system: System, rng: random.Random) -> Callable[[Mapping[str, float]], float]:
    """Draw a sum of a constant and influences of options and pairs, of any magnitude; a few are 0 or negative."""
    unit = rng.choice((1.0, 1.0, 1.0, 1e-9, 1e6))
    base = unit * rng.choice((10.0, 10.0, 100.0, 0.0, -5.0))
    names = [each.name for each in system.options]
    terms = [
        (rng.choice(names), rng.choice(names), unit * rng.uniform(-1, 10)) for _ in range(rng.choice((0, 1, 3, 6)))
    ]

    def value(values: Mapping[str, float]) -> float:
        return base + sum(influence * values[a] * (values[b] if a != b else 1) for a, b, influence in terms)

    return value


def spoiled(rows: list[Row], system: System, rng: random.Random) -> list[Row]:
    """Return the rows with a defect of users' tables."""
    rows = [dict(row) for row in rows]
    nfp = rng.choice(system.properties)
    first, second = (rng.choice(system.options).name for _ in range(2))
    context, values = next(iter(system.contexts.items()), ("", ("",)))
    defect = rng.choice(DEFECTS)
    some = rng.sample(range(len(rows)), min(len(rows), rng.choice((1, 1, 3))))
    for at, row in enumerate(rows):
        cell = row[nfp]
        match defect:
            case "cell" if at in some:
                row[nfp] = rng.choice(CELLS)
            case "option" if at in some:
                row[first] = rng.choice(("", "7"))
            case "typo" if at in some and context:
                row[context] += rng.choice((" ", "o", ".0"))
            case "constant":
                row[nfp] = "3.5"
            case "zeros":
                row[nfp] = "0"
            case "huge" if "e" not in cell:
                row[nfp] = f"{cell}e60"
            case "tiny" if "e" not in cell:
                row[nfp] = f"{cell}e-60"
            case "whole numbers":
                row[nfp] = f"{float(cell):.0f}"
            case "copy":
                row[f"{first}_2"] = row[first]
            case "sum":
                row["total"] = f"{float(row[first]) + float(row[second]):.12g}"
            case "new in a context" if context and row[context] == values[0]:
                row[first] = "0"
    return rows


def as_csv(rows: Sequence[Row], rng: random.Random, *, plain: bool = False) -> str:
    """Write a table; the columns of a few tables are in another order, have decimal commas, or further columns."""
    names = list(rows[0])
    form = (
        "plain"
        if plain
        else rng.choice(("plain",) * 16 + ("shuffled", "semicolons", "tabs", "commas", "more", "spaces"))
    )
    if form == "shuffled":
        rng.shuffle(names)
    if form == "more":
        rows = [{"id": str(at), "root": "1", **row, "note": rng.choice(("", "ok"))} for at, row in enumerate(rows)]
        names = list(rows[0])
    if form in {"semicolons", "commas"}:
        rows = [{name: cell.replace(".", ",") for name, cell in row.items()} for row in rows]
    separator = {"semicolons": ";", "tabs": "\t", "spaces": ", "}.get(form, ",")
    quoted = form != "commas"
    lines = [names, *([row[name] for name in names] for row in rows)]
    return "".join(separator.join(_cell(cell, separator, quoted) for cell in line) + "\n" for line in lines)


def _cell(cell: str, separator: str, quoted: bool) -> str:
    return f'"{cell}"' if quoted and separator in cell else cell


def as_xml(rows: Sequence[Row], system: System) -> str:
    """Write measurements as SPL Conqueror does; each configuration once."""
    parts = ["<results>"]
    names = [each.name for each in system.options]
    for row in {tuple(row[name] for name in names): row for row in rows}.values():
        selected = ",".join(name for name in system.binary if row[name] == "1")
        numbers = ",".join(f"{name};{row[name]}" for name in system.numeric)
        data = {"Configuration": selected, "Variable Features": numbers} | {
            each: row[each] for each in system.properties
        }
        cells = "".join(f'<data columname="{escape(name)}">{escape(cell)}</data>' for name, cell in data.items())
        parts.append(f"<row>{cells}</row>")
    return "\n".join([*parts, "</results>\n"])


def kind_of(group: str) -> str:
    """Return the name of the column of text of an alternative group."""
    return group.removeprefix("group of ") + "_kind"


def groups_as_text(rows: Sequence[Row], system: System) -> list[Row]:
    """Return the rows with a column of text for each alternative group instead of a column for each member."""
    found = []
    for row in rows:
        row = dict(row)
        for group, members in system.groups().items():
            chosen = [name for name in members if row.pop(name) == "1"]
            row = {kind_of(group): "+".join(chosen) or "none", **row}
        found.append(row)
    return found
