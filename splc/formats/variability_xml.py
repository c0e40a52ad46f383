"""SPL Conqueror's XML of variability models: reading and writing.

The format is described in the documentation of SPL Conqueror. Where SPL Conqueror drops what it does not understand,
this reader reports it, all problems of a file at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lxml import etree

from splc.constraints import (
    ArithmeticConstraint,
    BooleanConstraint,
    Constraint,
    parse_arithmetic,
    parse_boolean,
)
from splc.errors import (
    ExpressionError,
    OutputError,
    Problem,
    Problems,
    SplcError,
    VariabilityError,
    nearest,
)
from splc.formats.files import read_source, write_whole
from splc.formats.numbers import number_text, parse_number
from splc.formats.xml import inner_text, line_of, local_name, read_xml
from splc.options import BinaryOption, NumericOption, Option, Presentation, step_values
from splc.variability import ROOT, VariabilityModel

_OPTION_SECTIONS = ("binaryOptions", "numericOptions")
# SPL Conqueror's README says numericConstraints, its reader only knows nonBooleanConstraints.
_CONSTRAINT_SECTIONS = ("booleanConstraints", "nonBooleanConstraints", "numericConstraints", "mixedConstraints")
_COMMON = ("name", "outputString", "prefix", "postfix", "parent", "impliedOptions", "excludedOptions", "optional")
_NUMERIC = ("minValue", "maxValue", "stepFunction", "values", "deselectedFlag")
_OBSOLETE = ("children", "defaultValue")
_DEFAULT_MINIMUM = 0.0
_DEFAULT_MAXIMUM = 10.0

Groups = tuple[tuple[str, ...], ...]


def read_variability_model(path: str | Path) -> VariabilityModel:
    """Read a variability model.

    Args:
        path: an XML file with the root `<vm>`, also compressed (`.gz`); `-` is standard input.

    Raises:
        InputError: if the file cannot be read or is not such XML.
        VariabilityError: with all problems of the model and their lines.
    """
    source = read_source(path)
    root = read_xml(source, "vm", "a variability model")
    return _Reader(source.name).read(root)


@dataclass
class _Reader:
    """Collects what is wrong (`problems`) and what is only worth saying (`notes`) in one file."""

    file: str

    def __post_init__(self) -> None:
        self.problems = Problems(self.file)
        self.notes: list[str] = []

    def note(self, line: int | None, message: str) -> None:
        """Keep a remark for `VariabilityModel.notes`."""
        self.notes.append(f"line {line}: {message}" if line else message)

    def read(self, root: etree._Element) -> VariabilityModel:
        """Return the model of a document.

        Raises:
            VariabilityError: with everything that is wrong with it.
        """
        name = (root.get("name") or "").strip()
        if not name:
            self.problems.add('<vm> has no name: <vm name="…">', line_of(root))
        found: dict[str, list[etree._Element]] = {section: [] for section in (*_OPTION_SECTIONS, *_CONSTRAINT_SECTIONS)}
        for section in self.elements(root, "vm", tuple(found)):
            kind = "configurationOption" if local_name(section) in _OPTION_SECTIONS else "constraint"
            found[local_name(section)] += self.elements(section, local_name(section), (kind,))

        binary = [self.binary_option(element) for element in found["binaryOptions"]]
        numeric = [self.numeric_option(element) for element in found["numericOptions"]]
        raw: list[Option] = [option for option in (*binary, *numeric) if option is not None]
        if not raw and not len(self.problems):
            self.problems.add("the model has no options", line_of(root))
        names = _bare(raw)
        options = tuple(_resolved(option, names.spellings) for option in raw)
        constraints = [
            constraint
            for section in _CONSTRAINT_SECTIONS
            for element in found[section]
            if (constraint := self.constraint(element, section, names)) is not None
        ]
        try:
            model = VariabilityModel(name, options, tuple(constraints), self.file, tuple(self.notes))
        except SplcError as error:
            self.problems.include(error)
        self.problems.raise_if_any(VariabilityError)
        return model

    def elements(self, parent: etree._Element, where: str, known: Sequence[str]) -> Iterator[etree._Element]:
        """Yield the child elements of a known name; of the others, near misses with a content are problems.

        Published models contain `<postFix> </postFix>` and elements of older versions: these are only noted.
        """
        for element in parent:
            name = local_name(element)
            hint = nearest(name, known)
            if name in known:
                yield element
            elif hint and (len(element) or inner_text(element)):
                self.problems.add(f"<{name}> is not known in <{where}>", line_of(element), hint=hint)
            else:
                self.note(line_of(element), f"<{name}> in <{where}> is not known and has no effect")

    def parts(self, element: etree._Element, known: Sequence[str]) -> dict[str, list[etree._Element]]:
        """Return an option's elements by name; those with one value must not be there twice."""
        found: dict[str, list[etree._Element]] = {}
        for part in self.elements(element, "configurationOption", (*known, *_OBSOLETE)):
            name = local_name(part)
            if name in found and name not in {"impliedOptions", "excludedOptions", *_OBSOLETE}:
                self.problems.add(f"<{name}> is there twice in one option", line_of(part))
            found.setdefault(name, []).append(part)
        return found

    def name(self, element: etree._Element, parts: dict[str, list[etree._Element]]) -> str | None:
        """Return an option's name, None (and a problem) where it has none."""
        name = _text(parts, "name")
        if not name:
            self.problems.add("an option without a <name>", line_of(element))
            return None
        return name

    def binary_option(self, element: etree._Element) -> BinaryOption | None:
        """Return a binary option whose references are as written; None for the root and for an option without name."""
        parts = self.parts(element, _COMMON + _NUMERIC)
        name = self.name(element, parts)
        line = line_of(element)
        if name is None:
            return None
        for part in (part for part in _NUMERIC if _text(parts, part)):
            self.note(line, f"{name}: <{part}> has no effect in a binary option")
        implied, excluded = _groups(parts, "impliedOptions"), _groups(parts, "excludedOptions")
        if name == ROOT:
            if implied or excluded:
                self.note(line, "what the root implies or excludes has no effect")
            return None
        optional = _text(parts, "optional").casefold()
        if optional not in {"true", "false", ""}:
            self.problems.add(
                f"{name}: <optional> is neither True nor False",
                line_of(parts["optional"][0]),
                text=optional,
            )
        return BinaryOption(name, _parent(parts), optional == "true", implied, excluded, _presentation(parts), line)

    def numeric_option(self, element: etree._Element) -> NumericOption | None:
        """Return a numeric option, with a makeshift domain where its own has a problem."""
        parts = self.parts(element, _COMMON + _NUMERIC)
        name = self.name(element, parts)
        line = line_of(element)
        if name is None:
            return None
        for part in ("impliedOptions", "excludedOptions"):
            if _groups(parts, part):
                self.note(line, f"{name}: <{part}> has no effect in a numeric option")
        flag = self.number(parts, "deselectedFlag", name, None)
        values, step, maximum = self.domain(parts, name, line)
        return NumericOption(name, values, _parent(parts), step, maximum, flag, _presentation(parts), line)

    def number(
        self, parts: dict[str, list[etree._Element]], part: str, name: str, default: float | None
    ) -> float | None:
        """Return the number in an element, the default where it is missing or empty."""
        text = _text(parts, part)
        if not text:
            return default
        value = parse_number(text, ",")
        if math.isnan(value):
            self.problems.add(f"{name}: <{part}> is not a number", line_of(parts[part][0]), text=text)
            return default
        return value

    def domain(
        self, parts: dict[str, list[etree._Element]], name: str, line: int | None
    ) -> tuple[tuple[float, ...], str | None, float | None]:
        """Return a numeric option's values, step function and maxValue (where that lies above the last value)."""
        listed = _text(parts, "values")
        step = " ".join(_text(parts, "stepFunction").split())
        makeshift = ((0.0,), None, None)
        if listed:
            return self.value_list(parts, name, listed) or (0.0,), None, None
        minimum = self.number(parts, "minValue", name, _DEFAULT_MINIMUM)
        maximum = self.number(parts, "maxValue", name, _DEFAULT_MAXIMUM)
        if minimum is None or maximum is None:
            return makeshift
        if not step and minimum < maximum:
            hint = f"for instance <stepFunction>{name} + 1</stepFunction>"
            self.problems.add(f"{name} has neither <stepFunction> nor <values>", line, hint=hint)
            return makeshift
        try:
            values = step_values(name, minimum, maximum, step or "n + 1")
        except SplcError as error:
            key = "stepFunction" if step and minimum <= maximum else "minValue"
            self.problems.include(error, line_of(parts[key][0]) if key in parts else line)
            return makeshift
        return values, step or None, maximum if maximum > values[-1] else None

    def value_list(self, parts: dict[str, list[etree._Element]], name: str, text: str) -> tuple[float, ...] | None:
        """Return the distinct values of a `;`-separated list, ascending; None (and problems) where it has none."""
        line = line_of(parts["values"][0])
        values = []
        for entry in filter(None, (entry.strip() for entry in text.split(";"))):
            value = parse_number(entry, ",")
            if math.isnan(value):
                self.problems.add(f"{name}: {entry!r} in <values> is not a number", line)
            values.append(value)
        if not values:
            self.problems.add(f"{name}: <values> lists no value", line)
            return None
        distinct = tuple(sorted(set(values)))
        if any(math.isnan(value) for value in values):
            return None
        if len(distinct) < len(values):
            self.note(line, f"{name}: <values> lists a value twice")
        for part, end in (("minValue", distinct[0]), ("maxValue", distinct[-1])):
            bound = self.number(parts, part, name, end)
            if bound is not None and (end < bound if part == "minValue" else end > bound):
                self.note(line, f"{name}: <values> reaches beyond <{part}> and overrides it")
        return distinct

    def constraint(self, element: etree._Element, section: str, names: VariabilityModel) -> Constraint | None:
        """Return a constraint, None (and a problem) where it cannot be parsed."""
        text, line = inner_text(element), line_of(element)
        text = " ".join(text.split())
        table = names.name_table
        try:
            if section == "booleanConstraints":
                return parse_boolean(text, table, line)
            if section != "mixedConstraints":
                return parse_arithmetic(text, table, "non-boolean", line=line)
            requires, negated = self.mixed(element, line)
            return parse_arithmetic(text, table, "mixed", requires, negated, line)
        except ExpressionError as error:
            # The column counts from the start of the constraint, which is not where the line starts.
            for problem in error.problems:
                self.problems.include(ExpressionError(replace(problem, column=None)), line)
            return None

    def mixed(self, element: etree._Element, line: int | None) -> tuple[Literal["all", "none"], bool]:
        """Return `req` and whether `exprKind` is `neg`; SPL Conqueror goes by position, whatever they are called."""
        given = [(str(key), str(value)) for key, value in element.attrib.items()]
        found = dict(given)
        unnamed = [(at, value) for at, (key, value) in enumerate(given) if key not in {"req", "exprKind"}]
        for at, value in unnamed:
            if at < 2:
                found.setdefault(("req", "exprKind")[at], value)
        requires = found.get("req", "").strip().casefold()
        kind = found.get("exprKind", "pos").strip().casefold()
        if requires not in {"all", "none"}:
            self.problems.add('a mixed constraint needs req="all" or req="none"', line, text=inner_text(element))
        if kind not in {"pos", "neg"}:
            self.problems.add('exprKind of a mixed constraint is "pos" or "neg"', line, text=found["exprKind"])
        return ("none" if requires == "none" else "all"), kind == "neg"


def _text(parts: dict[str, list[etree._Element]], name: str) -> str:
    return inner_text(parts[name][0]) if name in parts else ""


def _parent(parts: dict[str, list[etree._Element]]) -> str | None:
    name = _text(parts, "parent")
    return None if name in {"", ROOT} else name


def _presentation(parts: dict[str, list[etree._Element]]) -> Presentation:
    def given(name: str) -> str:
        text = "".join(map(str, parts[name][0].itertext())) if name in parts else ""
        # Blanks beside the text belong to the command line, unless they only indent the XML.
        return text.strip() if "\n" in text or not text.strip() else text

    return Presentation(given("outputString") or None, given("prefix"), given("postfix"))


def _groups(parts: dict[str, list[etree._Element]], name: str) -> Groups:
    """Return the groups of names in `<impliedOptions>` or `<excludedOptions>`: one per child, names separated by |."""
    texts = [text for part in parts.get(name, ()) for text in _group_texts(part)]
    groups = (tuple(filter(None, (entry.strip() for entry in text.split("|")))) for text in texts)
    return tuple(filter(None, groups))


def _group_texts(part: etree._Element) -> list[str]:
    beside = [part.text or "", *(child.tail or "" for child in part)]
    return [*map(inner_text, part), *beside]


def _bare(options: Sequence[Option]) -> VariabilityModel:
    """Return a model that only knows the options' names, so that references can be looked up in it."""
    unique: dict[str, Option] = {}
    for option in options:
        if option.name != ROOT:
            bare = BinaryOption(option.name) if isinstance(option, BinaryOption) else replace(option, parent=None)
            unique.setdefault(option.name, bare)
    return VariabilityModel("", tuple(unique.values()))


def _resolved(option: Option, spellings: dict[str, str]) -> Option:
    """Return the option with its references in full spelling; unknown ones stay as they are."""

    def resolve(name: str) -> str:
        return spellings.get(name, name)

    parent = resolve(option.parent) if option.parent is not None else None
    if isinstance(option, NumericOption):
        return replace(option, parent=parent)
    return replace(
        option,
        parent=parent,
        implied=tuple(tuple(map(resolve, group)) for group in option.implied),
        excluded=tuple(tuple(map(resolve, group)) for group in option.excluded),
    )


def write_variability_model(model: VariabilityModel, path: str | Path) -> None:
    """Write a variability model that this reader and SPL Conqueror's read.

    A step function is kept where it gives the option's values, else the values are listed.

    Args:
        model: the model.
        path: the file, compressed where its name ends in `.gz`; `-` is standard output.

    Raises:
        OutputError: if it cannot be written, or a name cannot be said in XML.
    """
    try:
        root = _document(model)
    except ValueError as error:
        problem = Problem(f"the model cannot be written as XML: {error}", str(path))
        raise OutputError(problem) from None
    etree.indent(root)
    write_whole(path, etree.tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n")


def _document(model: VariabilityModel) -> etree._Element:
    root = etree.Element("vm", name=model.name)
    binary = etree.SubElement(root, "binaryOptions")
    _write_option(binary, BinaryOption(ROOT, optional=False))
    for option in model.binary_options:
        _write_option(binary, option)
    numeric = etree.SubElement(root, "numericOptions")
    for numeric_option in model.numeric_options:
        element = _write_option(numeric, numeric_option)
        _write_domain(element, numeric_option)
    sections: dict[str, list[Constraint]] = {
        "booleanConstraints": [],
        "nonBooleanConstraints": [],
        "mixedConstraints": [],
    }
    for constraint in model.constraints:
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


def _child(parent: etree._Element, name: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, name)
    element.text = text
    return element


def _write_option(section: etree._Element, option: Option) -> etree._Element:
    element = etree.SubElement(section, "configurationOption")
    _child(element, "name", option.name)
    _child(element, "outputString", option.presentation.output_string or "")
    _child(element, "prefix", option.presentation.prefix)
    _child(element, "postfix", option.presentation.postfix)
    _child(element, "parent", "" if option.name == ROOT else option.parent or ROOT)
    binary = option if isinstance(option, BinaryOption) else BinaryOption(option.name)
    for name, groups in (("impliedOptions", binary.implied), ("excludedOptions", binary.excluded)):
        part = etree.SubElement(element, name)
        for group in groups:
            _child(part, "options", " | ".join(group))
    if isinstance(option, BinaryOption):
        _child(element, "optional", "True" if option.optional else "False")
    return element


def _write_domain(element: etree._Element, option: NumericOption) -> None:
    maximum = option.values[-1] if option.maximum is None else option.maximum
    _child(element, "minValue", number_text(option.values[0]))
    _child(element, "maxValue", number_text(maximum))
    if _reproduces(option, maximum):
        _child(element, "stepFunction", option.step or "")
    else:
        _child(element, "values", ";".join(map(number_text, option.values)))
    if option.deselected_flag is not None:
        _child(element, "deselectedFlag", number_text(option.deselected_flag))


def _reproduces(option: NumericOption, maximum: float) -> bool:
    if option.step is None:
        return False
    try:
        return step_values(option.name, option.values[0], maximum, option.step) == option.values
    except VariabilityError:
        return False
