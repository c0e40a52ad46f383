"""SPL Conqueror's XML format of measurements: reading and writing.

A row consists of `data` elements. Their first attribute is `Configuration` (or `BinaryOptions`) for selected options,
`Variable Features` (or `NumericOptions`) for numeric values, `ConfigID` for both, or the name of a property.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from lxml import etree

from splc.data.measurements import Measurements, require_size
from splc.errors import InputError, Problem
from splc.formats.column_choice import StatedRoles, columns_of, natural, value_notes
from splc.formats.measurements.csv import check_names, exact_names
from splc.formats.measurements.rows import MeasurementRows, Policy, left_out
from splc.formats.measurements.selections import Selections, name_and_value
from splc.formats.system.splconqueror_xml import listable
from splc.formats.table import ColumnRows, TableSource
from splc.io.files import Source
from splc.io.numbers import number_text, parse_column, parse_number
from splc.io.xml import inner_text, line_of, read_xml_children, write_xml
from splc.system.options import NumericOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

BINARY = {"configuration", "binaryoptions"}
NUMERIC = {"variable features", "numericoptions"}
IDENTIFIER = {"configid"}
_RESERVED = BINARY | NUMERIC | IDENTIFIER
_SEPARATOR = "@"
_BLANK = ("",)

# Property → row → the texts of its repetitions.
_Columns = dict[str, dict[int, tuple[str, ...]]]


def read_measurements_xml(source: Source, system: VariabilityModel, policy: Policy) -> MeasurementRows:
    """Read the rows of an XML file with the root `<results>`. See `splc.formats.measurements.read.read_measurements`.

    The delimiters that the file states, by default commas, apply unless others are given.
    """
    root, rows = read_xml_children(source, "results", "a measurement file")
    decimal = _delimiter(root, "decimalDelimiter", policy.decimal, source)
    between = _delimiter(root, "separator", policy.separator, source)
    selections, columns, lines = Selections(system), _Columns(), array("q")
    for row, element in enumerate(rows):
        lines.append(line_of(element))
        split = between if _first_attribute(element).casefold() == "true" else None
        _read_row(row, element, split, selections, columns)
    count, values, missing = len(lines), dict[str, Array](), dict[str, Array]()
    indices, slots, notes = selections.finish(count), np.ones(count, dtype=np.int64), list[str]()
    single = {name: column for name, column in columns.items() if max(map(len, column.values())) == 1}
    texts = {name: [column.get(row, _BLANK)[0] for row in range(count)] for name, column in single.items()}
    names, nfp = exact_names(system), policy.nfp or policy.usual
    properties, contexts = columns_of(texts, policy.columns, source.name, decimal=decimal, options=names, nfp=nfp)
    for name, column in columns.items():
        if name in properties or name not in texts:
            every, counts = [text for each in column.values() for text in each], np.zeros(count, dtype=np.int64)
            numbers, counts[[*column]] = parse_column(every, decimal), [*map(len, column.values())]
            notes += value_notes({name: every}, {name: numbers}, decimal)
            require_size(count, int(counts.max()), len(every), file=source.name)
            measured = np.arange(counts.max()) < counts[:, np.newaxis]
            values[name] = np.full(measured.shape, np.nan)
            values[name][measured] = numbers
            # A row without the property lacks one value.
            missing[name] = (np.isnan(values[name]) & measured).sum(axis=1) + (counts == 0)
            slots = np.maximum(slots, counts)
    deviation = _deviation(root, notes)
    rows_read = (np.array(lines, dtype=np.int64), indices, selections.reasons, values, missing, slots)
    return MeasurementRows(*rows_read, notes=tuple(notes), deviation=deviation, contexts=contexts)


def _first_attribute(element: etree._Element) -> str:
    """Return the value of an element's first attribute, of any name, without spaces around it."""
    return next((str(value).strip() for value in element.values()), "")


def _read_row(row: int, element: etree._Element, split: str | None, selections: Selections, columns: _Columns) -> None:
    described = False
    for data in element:
        name, text = _first_attribute(data), inner_text(data)
        kind = name.casefold()
        described |= kind in _RESERVED
        if kind in BINARY:
            selections.select(row, text.split(","))
        elif kind in NUMERIC:
            selections.assign(row, text.split(","))
        elif kind in IDENTIFIER:
            selections.identify(row, text)
        elif not name:
            selections.refuse(row, "a data element has no name (columname=…)")
        elif row in columns.setdefault(name, {}):
            selections.refuse(row, f"the property {name!r} is given twice")
        else:
            columns[name][row] = (*text.removesuffix(split).split(split),) if split else (text,)
    if not described:
        selections.refuse(row, "the row has no Configuration")


def _delimiter(root: etree._Element, attribute: str, delimiter: str | None, source: Source) -> str:
    character = delimiter if delimiter is not None else str(root.get(attribute) or ",")
    if len(character) != 1 or character.isalnum():
        raise InputError(Problem(f"{attribute} must be a single character", source.name, line_of(root), text=character))
    return character


def _deviation(root: etree._Element, notes: list[str]) -> float | None:
    text = str(root.get("deviation") or "")
    numbers = [parse_number(part) for part in text.split(";") if part.strip()]
    if any(map(np.isnan, numbers)):
        notes.append(f"deviation={text!r} is not a list of numbers and has no effect")
        return None
    return max(numbers, default=None)


def write_measurements_xml(measurements: Measurements, path: str | Path) -> tuple[str, ...]:
    """Write measurements in a form that SPL Conqueror reads, too; return notes on what is left out.

    The repetitions of a property are in one `data` element, separated by `@`. SPL Conqueror ignores contexts of texts.
    """
    check_names(measurements, _RESERVED, "this format", exact=False)
    write_xml(path, lambda: _document(measurements), "the measurements")
    return left_out(measurements, "contexts", "repetitions", "deviation")


def _document(measurements: Measurements) -> etree._Element:
    configurations = measurements.configurations
    system = configurations.system
    binary, pairs = [], []
    for position, option in enumerate(system.options):
        name = listable(option.name, system, ",;")
        if isinstance(option, NumericOption):
            flags = () if option.deselected_flag is None else (option.deselected_flag,)
            pairs.append((position, [f"{name};{number_text(value)}" for value in (*option.values, *flags)]))
        else:
            binary.append((position, name))
    root = etree.Element("results", decimalDelimiter=".", separator=_SEPARATOR)
    if measurements.report.deviation is not None:
        root.set("deviation", number_text(measurements.report.deviation))
    for row, indices in enumerate(configurations.indices.tolist()):
        texts = {name: _joined(values[row]) for name, values in measurements.values.items()}
        element = etree.SubElement(root, "row")
        if any(_SEPARATOR in text for text in texts.values()):
            element.set("multipleMeasurements", "true")
        _data(element, "Configuration", ",".join([ROOT, *(name for position, name in binary if indices[position])]))
        _data(element, "Variable Features", ",".join(table[indices[position]] for position, table in pairs))
        for name, text in {**measurements.contexts, **texts}.items():
            if text:
                _data(element, name, text)
    return root


def _joined(values: Array) -> str:
    indices = np.flatnonzero(~np.isnan(values))
    if not len(indices):
        return ""
    return _SEPARATOR.join(["NaN" if np.isnan(v) else number_text(v) for v in values[: indices[-1] + 1].tolist()])


def _data(row: etree._Element, name: str, text: str) -> None:
    etree.SubElement(row, "data", columname=name).text = text


def read_xml_columns(source: Source) -> TableSource:
    """Read the columns of options of an XML file; an empty cell of a numeric option means that it is deselected."""
    _, rows = read_xml_children(source, "results", "a measurement file")
    selected, values, properties = list[frozenset[str]](), list[dict[str, str]](), dict[str, None]()
    for row in rows:
        children, pairs = list[str](), dict[str, str]()
        for data in row:
            name, text = _first_attribute(data), inner_text(data)
            kind = name.casefold()
            if kind in IDENTIFIER:
                hint = "name the description of the system with --system"
                message = "options cannot be inferred from ConfigID"
                raise InputError(Problem(message, source.name, line_of(data), hint=hint))
            parts = filter(None, map(str.strip, text.split(",")))
            if kind in BINARY:
                children += [part for part in parts if part != ROOT]
            elif kind in NUMERIC:
                for part in parts:
                    option, value = name_and_value(part) or ("", "")
                    if not option:
                        message = f"{part!r} is not an option with a value"
                        raise InputError(Problem(message, source.name, line_of(data)))
                    pairs[option] = value
            elif name:
                properties.setdefault(name)
        selected.append(frozenset(children))
        values.append(pairs)
    if not selected:
        raise InputError(Problem("the file has no rows", source.name))
    numeric = dict.fromkeys(name for row in values for name in row)
    binary = sorted({name for row in selected for name in row if name not in numeric}, key=natural)
    columns: dict[str, Sequence[str]] = {name: ["1" if name in row else "0" for row in selected] for name in binary}
    columns |= {name: [row.get(name, "") for row in values] for name in numeric}
    stated = StatedRoles(tuple(columns), (), tuple(properties), tuple(numeric))
    return TableSource(source.name, source.data, ColumnRows((*columns,), (*columns.values(),)), stated=stated)
