"""SPL Conqueror's XML format of variability models: reading and writing.

Unlike SPL Conqueror, which ignores content that it does not understand, this reader reports all problems of a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from lxml import etree

from splc.errors import ExpressionError, Problems, SplcError, VariabilityError
from splc.formats.system.option_elements import ElementReader, write_option
from splc.io.files import Source, read_source
from splc.io.xml import inner_text, line_of, local_name, read_xml, write_xml, xml_text
from splc.system.constraints import (
    ArithmeticConstraint,
    BooleanConstraint,
    Constraint,
    parse_arithmetic,
    parse_boolean,
)
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ROOT, VariabilityModel

_OPTION_SECTIONS = ("binaryOptions", "numericOptions")
# SPL Conqueror's README has numericConstraints, its reader nonBooleanConstraints.
_CONSTRAINT_SECTIONS = ("booleanConstraints", "nonBooleanConstraints", "numericConstraints", "mixedConstraints")


def read_variability_model(path: str | Path) -> VariabilityModel:
    """Read the variability model of a system.

    `path`: an XML file with the root element `<vm>`, also compressed (`.gz`); `-` is standard input.
    """
    return parse_variability_model(read_source(path))


def parse_variability_model(source: Source) -> VariabilityModel:
    """Return the variability model of a document, as `read_variability_model`."""
    root = read_xml(source, "vm", "a variability model")
    return _read(root, ElementReader(source.name))


def _read(root: etree._Element, reader: ElementReader) -> VariabilityModel:
    """Return the model of a document."""
    name = (root.get("name") or "").strip()
    if not name:
        reader.problems.add('<vm> has no name: <vm name="…">', line_of(root))
    elements: dict[str, list[etree._Element]] = {section: [] for section in (*_OPTION_SECTIONS, *_CONSTRAINT_SECTIONS)}
    for section in reader.elements(root, "vm", tuple(elements)):
        kind = "configurationOption" if local_name(section) in _OPTION_SECTIONS else "constraint"
        elements[local_name(section)] += reader.elements(section, local_name(section), (kind,))

    binary = [reader.binary_option(element) for element in elements["binaryOptions"]]
    numeric = [reader.numeric_option(element) for element in elements["numericOptions"]]
    raw: list[Option] = [option for option in (*binary, *numeric) if option is not None]
    if not raw and not len(reader.problems):
        reader.problems.add("the model has no options", line_of(root))
    names = _names_only(raw)
    options = tuple(_resolved(option, names.spellings) for option in raw)
    constraints = [
        constraint
        for section in _CONSTRAINT_SECTIONS
        for element in elements[section]
        if (constraint := _constraint(element, section, names, reader.problems)) is not None
    ]
    try:
        system = VariabilityModel(name, options, tuple(constraints), reader.file, tuple(reader.notes))
    except SplcError as error:
        reader.problems.include(error)
    reader.problems.raise_if_any(VariabilityError)
    return system


def _constraint(
    element: etree._Element, section: str, names: VariabilityModel, problems: Problems
) -> Constraint | None:
    """Return a constraint, None (and a problem) if it cannot be parsed."""
    text, line = inner_text(element), line_of(element)
    text = " ".join(text.split())
    table = names.name_table
    try:
        if section == "booleanConstraints":
            return parse_boolean(text, table, line)
        if section != "mixedConstraints":
            return parse_arithmetic(text, table, "non-boolean", line=line)
        requires, negated = _mixed_attributes(element, line, problems)
        return parse_arithmetic(text, table, "mixed", requires, negated, line)
    except ExpressionError as error:
        # Columns are relative to the start of the constraint.
        for problem in error.problems:
            problems.include(ExpressionError(replace(problem, column=None)), line)
        return None


def _mixed_attributes(element: etree._Element, line: int, problems: Problems) -> tuple[Literal["all", "none"], bool]:
    """Return `req` and whether `exprKind` is `neg`; SPL Conqueror identifies them by position, not by name."""
    attributes = [(str(key), str(value)) for key, value in element.attrib.items()]
    values = dict(attributes)
    unnamed = [(at, value) for at, (key, value) in enumerate(attributes) if key not in {"req", "exprKind"}]
    for at, value in unnamed:
        if at < 2:
            values.setdefault(("req", "exprKind")[at], value)
    requires = values.get("req", "").strip().casefold()
    kind = values.get("exprKind", "pos").strip().casefold()
    if requires not in {"all", "none"}:
        problems.add('a mixed constraint needs req="all" or req="none"', line, text=inner_text(element))
    if kind not in {"pos", "neg"}:
        problems.add('exprKind of a mixed constraint must be "pos" or "neg"', line, text=values["exprKind"])
    return ("none" if requires == "none" else "all"), kind == "neg"


def _names_only(options: Sequence[Option]) -> VariabilityModel:
    """Return a model of the option names only, to resolve references."""
    unique: dict[str, Option] = {}
    for option in options:
        if option.name != ROOT:
            option_name = (
                BinaryOption(option.name) if isinstance(option, BinaryOption) else replace(option, parent=None)
            )
            unique.setdefault(option.name, option_name)
    return VariabilityModel("", tuple(unique.values()))


def _resolved(option: Option, spellings: dict[str, str]) -> Option:
    """Return the option with its references in full spelling; unknown references are kept."""

    def resolve(name: str) -> str:
        return spellings.get(name, name)

    parent = resolve(option.parent) if option.parent is not None else None
    if isinstance(option, NumericOption):
        return replace(option, parent=parent)
    if parent == option.parent and not option.implied and not option.excluded:
        return option
    return replace(
        option,
        parent=parent,
        implied=tuple(tuple(map(resolve, group)) for group in option.implied),
        excluded=tuple(tuple(map(resolve, group)) for group in option.excluded),
    )


def write_variability_model(
    system: VariabilityModel, path: str | Path, comments: Sequence[str] = ()
) -> tuple[str, ...]:
    """Write a variability model in a form that SPL Conqueror reads, too.

    A step function is written if it gives the option's values; otherwise the values are listed.

    `path`: the file, compressed where its name ends in `.gz`; `-` is standard output.
    """
    write_xml(path, lambda: _document(system, comments), "the model")
    return ()


def variability_model_text(system: VariabilityModel) -> str:
    """Return a variability model as the text that `write_variability_model` writes."""
    return xml_text(lambda: _document(system, ()), "the model").decode("utf-8")


def _document(system: VariabilityModel, comments: Sequence[str]) -> etree._Element:
    root = etree.Element("vm", name=system.name)
    for text in comments:
        # XML does not allow two hyphens in a comment, nor one as its last character.
        root.append(etree.Comment(f" {re.sub('-(?=-)', '- ', text)} "))
    binary = etree.SubElement(root, "binaryOptions")
    for option in (BinaryOption(ROOT, optional=False), *system.binary_options):
        write_option(binary, option, system)
    numeric = etree.SubElement(root, "numericOptions")
    for numeric_option in system.numeric_options:
        write_option(numeric, numeric_option, system)
    sections: dict[str, list[Constraint]] = {
        "booleanConstraints": [],
        "nonBooleanConstraints": [],
        "mixedConstraints": [],
    }
    for constraint in system.constraints:
        sections[_section(constraint)].append(constraint)
    for name, constraints in sections.items():
        section = etree.SubElement(root, name)
        for constraint in constraints:
            element = etree.SubElement(section, "constraint")
            element.text = constraint.text
            if isinstance(constraint, ArithmeticConstraint) and constraint.kind == "mixed":
                element.set("req", constraint.requires)
                element.set("exprKind", "neg" if constraint.negated else "pos")
    return root


def _section(constraint: Constraint) -> str:
    if isinstance(constraint, BooleanConstraint):
        return "booleanConstraints"
    return "mixedConstraints" if constraint.kind == "mixed" else "nonBooleanConstraints"
