"""Tables that tests write as text, and all that is inferred from them (golden files in `tests/golden/inference`).

A case is a sentence after `#`, a table after `$`, and below what is inferred: options with their values, roles,
reasons and warnings. A table is `NAME=VALUE|VALUE …`, all combinations of the values; a column `{EXPRESSION}` is
computed from the others, `at`, the number of the row, and `u`, a random number from 1 to 2; columns whose names begin
with `_` are not written. Or it is `HEADER / ROW / ROW …`. The settings of the user follow after ` -- `.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from splc.errors import SplcError
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import Inference, inference_of
from splc.formats.measurements.tables import read_table
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

# `NAME=VALUE|VALUE`; quotes and braces keep spaces together.
_WORD = re.compile(r"(?:\{[^}]*\}|'[^']*'|[^\s'{])+")


def table_text(text: str) -> str:
    """Return the CSV table that a line describes."""
    if " / " in text:
        return text.replace(" / ", "\n") + "\n"
    words = [word.partition("=") for word in _WORD.findall(text)]
    names, cells = [name.strip("'") for name, _, _ in words], [cell.strip("'") for _, _, cell in words]
    levels = [cell.split("|") for cell in cells if not cell.startswith("{")]
    given = [name for name, cell in zip(names, cells, strict=True) if not cell.startswith("{")]
    shown = [name for name in names if not name.startswith("_")]
    rng, lines = np.random.default_rng(1), [",".join(shown)]
    for at, values in enumerate(itertools.product(*levels)):
        row = dict(zip(given, values, strict=True))
        known = {name: _value(value) for name, value in row.items()}
        for name, cell in zip(names, cells, strict=True):
            if cell.startswith("{"):
                found = eval(cell[1:-1], {}, {**known, "at": at, "u": rng.uniform(1, 2)})  # noqa: S307
                known[name], row[name] = found, f"{found:.6f}" if isinstance(found, float) else str(found)
        lines.append(",".join(row[name] for name in shown))
    return "\n".join([*lines, ""])


def _value(text: str) -> float | int | str:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def inferred_lines(text: str) -> Iterator[str]:
    """Yield what is inferred from a table with settings."""
    table, _, words = text.partition(" -- ")
    settings = dict(word.split("=", 1) for word in words.split())
    contexts, ignore, options = (
        tuple(settings[key].split(",")) if key in settings else () for key in ("contexts", "ignore", "options")
    )
    source = read_table(Source("table.csv", table_text(table).encode()))
    try:
        found = inference_of(source, nfp=settings.get("nfp"), choice=ColumnChoice(contexts, ignore, options=options))
    except SplcError as error:
        yield from str(error).splitlines()
        return
    yield from found.assumptions
    yield from (f"constraint: {constraint.text}" for constraint in found.system.constraints)
    yield from (f"warning: {warning}" for warning in found.warnings)
    yield from (f"note: {note}" for note in found.notes)
    yield f"options: {', '.join(found.system.names)}"


def table(text: str) -> Source:
    """Return a table as a file."""
    return Source("table.csv", text.encode())


def inferred(text: str, options: tuple[str, ...] = (), **settings: Any) -> Inference:
    """Return what is inferred from a table."""
    return inference_of(table(text), **{"choice": ColumnChoice(options=options), **settings})


def rows(header: str, cells: Sequence[Sequence[object]]) -> str:
    """Return a table as text."""
    return "\n".join([header, *(",".join(map(str, row)) for row in cells)]) + "\n"


def kinds(system: VariabilityModel) -> dict[str, object]:
    """Return option → its values, None for binary options."""
    return {option.name: option.values if isinstance(option, NumericOption) else None for option in system.options}


def grid(*values: Sequence[Any]) -> list[list[Any]]:
    """Return all combinations with a made-up time each."""
    rng = np.random.default_rng(1)
    return [[*row, f"{rng.uniform(1, 2):.9f}"] for row in itertools.product(*values)]
