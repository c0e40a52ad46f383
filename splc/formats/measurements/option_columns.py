"""Columns of options: one of zeros and ones or of numbers for each option, or one of texts for an alternative group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.data.configurations import Configurations, value_indices, wrong_value
from splc.data.property_unit import unit_problem
from splc.data.table import TRUTH
from splc.errors import InputError, Problem, Problems, listed, nearest
from splc.formats.measurements.rows import MeasurementRows
from splc.formats.measurements.selections import only_index, option_is_optional
from splc.formats.table import TableSource
from splc.io.csv_rows import CodedTexts, distinct_texts
from splc.io.numbers import column_texts, not_a_number, parse_column, parse_number
from splc.system.groups import child_groups, child_texts, text_groups, wrong_child
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

_BINARY_VALUES, _BINARY_CELLS = frozenset((0.0, 1.0)), frozenset(("0", "1"))


def read_option_table(table: TableSource, system: VariabilityModel, decimal: str = ".") -> MeasurementRows:
    """Read the header and the columns of options of a table that was split; other columns remain texts.

    Options with only one possible value need no column, and neither do the members of a group that has a column.
    Columns of `root`, `Enabledx` and `Disabledx` are checked.
    """
    lines = np.array(table.lines[1:], dtype=np.int64)
    reasons: dict[int, list[str]] = {}
    header, columns, groups = with_children(system, *table.body(reasons))
    positions, extra_positions = _places(table.name, system, header, int(table.lines[0]))
    malformed = frozenset(reasons)
    blank: list[str] = []
    sizes = [option.size for option in system.options]
    indices = np.zeros((len(lines), len(sizes)), dtype=np.min_scalar_type(-max(sizes, default=1)))
    for position, option in enumerate(system.options):
        if option.name not in positions:
            indices[:, position] = only_index(option, system.mandatory) or 0
            continue
        texts = columns[positions[option.name]]
        column, wrong = option_column(option, texts, decimal)
        if isinstance(option, BinaryOption) and not system.inferred and not wrong and "" in distinct_texts(texts)[0]:
            blank.append(option.name)
        if option.name in groups:
            children = groups[option.name]
            wrong |= {text: wrong_child(option.name, children, text.strip()) for text in wrong if text.strip()}
        indices[:, position] = column
        for row in np.flatnonzero(column < 0).tolist():
            if row not in malformed:
                reasons.setdefault(row, []).append(wrong[texts[row]])
    _apply_switches(system, positions, columns, indices, reasons, malformed, table.name)
    notes = (f"empty cells are 0, which is deselected: {listed(blank)}",) if blank else ()
    others = {name: columns[at] for name, at in extra_positions.items()}
    return MeasurementRows(lines, indices, reasons, notes=notes, malformed=malformed, others=others)


def _places(
    file: str, system: VariabilityModel, header: Sequence[str], line: int
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the columns of options (and root, `Enabledx`, `Disabledx`), and the columns of other names."""
    problems = Problems(file)
    positions: dict[str, int] = {}
    extra: dict[str, int] = {}
    for at, cell in enumerate(header):
        spelling = system.spellings.get(cell)
        if spelling is not None and spelling != cell and spelling in header:
            # The table has a column of the exact name, too: an option `run-time` and a property `runtime`.
            spelling = None
        if not cell:
            problems.add(f"column {at + 1} has no name", line)
        elif cell in extra or spelling in positions:
            problems.add(f"duplicate column {cell!r}", line)
        elif spelling is not None:
            positions[spelling] = at
        else:
            extra[cell] = at
    missing = [
        option.name
        for option in system.options
        if option.name not in positions and only_index(option, system.mandatory) is None
    ]
    if len(missing) == len(system.options) and not positions:
        hint = f"the options of {system.name or 'the system'} are: {', '.join(system.names[:12])}"
        problems.add("no column has the name of an option", line, text=",".join(header), hint=hint)
        missing = []
    for name in missing:
        problems.add(f"there is no column for the option {name!r}", line, hint=nearest(name, extra, "is it the column"))
    problems.raise_if_any(InputError)
    return positions, extra


def option_column(option: Option, texts: Sequence[str], decimal: str) -> tuple[Array, dict[str, str]]:
    """Return the value indices of a column (-1 for wrong texts), and wrong text → its problem."""
    distinct, codes = distinct_texts(texts)
    cells = [text.strip().casefold() for text in distinct]
    if isinstance(option, BinaryOption) or _BINARY_VALUES.issuperset(option.values):
        cells = [str(TRUTH.get(text, text)) for text in cells]
    if isinstance(option, BinaryOption) and not _BINARY_CELLS.isdisjoint(cells):
        # Tables of versions before the option have no value of it.
        cells = [text or "0" for text in cells]
    numbers = parse_column(cells, decimal)
    indices = value_indices(option, numbers)
    deselects = {"", "nan"} if option_is_optional(option) else set()
    wrong = {}
    unlisted = sorted(set(numbers[(indices < 0) & ~np.isnan(numbers)].tolist()))
    unit = None
    if isinstance(option, NumericOption):
        unit = unit_problem(option.name, option.values, unlisted)
    for at, text in enumerate(cells):
        if np.isnan(numbers[at]) and text not in deselects:
            indices[at] = -1
            stripped = distinct[at].strip()
            reason = not_a_number(text, decimal)
            fault = reason if "too large" in reason else "is not one of its values"
            wrong[distinct[at]] = f"{option.name}: {stripped!r} {fault}" if stripped else f"{option.name} has no value"
        elif indices[at] < 0:
            wrong[distinct[at]] = unit or wrong_value(option, float(numbers[at]))
    return indices.astype(np.int32)[codes], wrong


def _apply_switches(
    system: VariabilityModel,
    positions: dict[str, int],
    columns: Sequence[Sequence[str]],
    indices: Array,
    reasons: dict[int, list[str]],
    malformed: frozenset[int],
    file: str,
) -> None:
    """Check the columns of the root and of SPL Conqueror's hidden options against the columns of the options."""

    def refuse(rows: Array, reason: str) -> None:
        for row in np.flatnonzero(rows).tolist():
            if row not in malformed:
                reasons.setdefault(row, []).append(reason)

    for name, (position, means_enabled) in {ROOT: (-1, True), **system.switches}.items():
        if name not in positions:
            continue
        switch, _ = option_column(BinaryOption(name), columns[positions[name]], ".")
        if position < 0:
            if len(switch) and (switch != 1).all():
                hint = "rename it, if it is another column"
                message = f"the column {ROOT!r} is the root of the options, which is always selected (1)"
                raise InputError(Problem(message, file, hint=hint))
            refuse(switch != 1, "the root is always selected")
            continue
        deselected = system.options[position].size - 1
        refuse(switch < 0, f"{name} must be 0 or 1")
        disabled = (switch == 0) if means_enabled else (switch == 1)
        indices[disabled, position] = deselected
        refuse(
            (switch >= 0) & ~disabled & (indices[:, position] == deselected),
            f"{name} contradicts the value of {system.names[position]}",
        )


def option_texts(configurations: Configurations, *, plain: bool = False) -> list[list[str]]:
    """Return one column of texts per option: its words, 0 or 1, the shortest number, or the flag where deselected.

    `plain`: whether binary options are 0 or 1 also if they have words.
    """
    texts = []
    for position, option in enumerate(configurations.system.options):
        if isinstance(option, NumericOption):
            flag = option.deselected_flag
            numbers = [*option.values, *([] if flag is None else [flag])]
            table = column_texts(np.array(numbers, dtype=float))
        else:
            table = ["0", "1"] if plain else list(option.presentation.words or ("0", "1"))
        texts.append([table[index] for index in configurations.indices[:, position].tolist()])
    return texts


def exact_names(system: VariabilityModel) -> frozenset[str]:
    """Return the names that other columns of a table must not have."""
    return frozenset((*system.names, *system.switches, ROOT))


def with_children(
    system: VariabilityModel, header: Sequence[str], columns: Sequence[Sequence[str]]
) -> tuple[list[str], list[Sequence[str]], dict[str, list[BinaryOption]]]:
    """Return the columns of a table, with columns of zeros and ones for the children of groups that have one column.

    The column of an option is that of its group if its children have no columns and some of its cells are texts, which
    name a child by its output string, its name, or its name without that of the option. Other texts are kept: they are
    wrong values. The third result is option → children of the groups that have one column.
    """
    names, cells = list(header), list(columns)
    groups: dict[str, list[BinaryOption]] = {}
    present = {system.spellings.get(name, name) for name in header}
    for parent, children in child_groups(system).items():
        if parent not in present or any(child.name in present for child in children):
            continue
        at = next(at for at, name in enumerate(header) if system.spellings.get(name) == parent)
        child_of = child_texts(parent, children)
        distinct = {text: child_of.get(text.strip()) for text in distinct_texts(cells[at])[0]}
        if not any(child or is_text(text.strip()) for text, child in distinct.items()):
            continue
        groups[parent] = children
        for child in children:
            names.append(child.name)
            selected = {text: "1" if name == child.name else "0" for text, name in distinct.items()}
            cells.append(CodedTexts.of(cells[at], selected.__getitem__))
        optional = parent not in system.mandatory
        spellings = {
            text: "1" if child else "0" if optional and not text.strip() else text for text, child in distinct.items()
        }
        cells[at] = CodedTexts.of(cells[at], spellings.__getitem__)
    return names, cells, groups


def with_groups(system: VariabilityModel, columns: Sequence[Sequence[str]]) -> tuple[list[str], list[Sequence[str]]]:
    """Return the header and the columns of options with one column of text for each option with texts as its values."""
    table = dict(zip(system.names, columns, strict=True))
    for parent, children in text_groups(system).items():
        texts = [""] * len(table[parent])
        for child in children:
            text = child.presentation.output_string or child.name
            texts = [text if cell == "1" else before for before, cell in zip(texts, table.pop(child.name), strict=True)]
        table[parent] = texts
    return [*table], [*table.values()]


def is_text(text: str) -> bool:
    """Return whether a cell is neither empty nor a value of a binary option."""
    return text.casefold() not in {*TRUTH, "", "nan"} and parse_number(text) not in (0, 1)
