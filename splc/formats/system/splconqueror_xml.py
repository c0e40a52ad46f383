"""SPL Conqueror's XML format of variability models: reading and writing.

Unlike SPL Conqueror, which ignores content that it does not understand, this reader reports all problems of a file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lxml import etree

from splc.data.table import TRUTH
from splc.errors import ExpressionError, OutputError, SplcError, VariabilityError, nearest
from splc.formats.system.assembly import Assembly
from splc.io.files import Source
from splc.io.numbers import not_a_number, number_text, parse_number
from splc.io.xml import inner_text, line_of, local_name, read_xml, write_xml, xml_text
from splc.system.constraints import BooleanConstraint, Constraint, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option, Presentation, step_values
from splc.system.variability import ROOT, VariabilityModel, plain_name

_COMMON = ("name", "outputString", "prefix", "postfix", "parent", "impliedOptions", "excludedOptions", "optional")
_NUMERIC = ("minValue", "maxValue", "stepFunction", "values", "deselectedFlag")
_OBSOLETE = ("children", "defaultValue")

Groups = tuple[tuple[str, ...], ...]
Parts = dict[str, list[etree._Element]]


class _ElementReader(Assembly):
    """Reads the options of one file."""

    def note(self, line: int | None, message: str) -> None:
        """Add a remark to `notes`."""
        self.notes.append(f"line {line}: {message}" if line else message)

    def elements(self, parent: etree._Element, where: str, known: Sequence[str]) -> Iterator[etree._Element]:
        """Yield the child elements with a known name; misspelled other ones that are not empty are problems."""
        for element in parent:
            name = local_name(element)
            if name in known:
                yield element
                continue
            if (hint := nearest(name, known)) and (len(element) or inner_text(element)):
                self.problems.add(f"unknown element <{name}> in <{where}>", line_of(element), hint=hint)
            else:
                self.note(line_of(element), f"the unknown element <{name}> in <{where}> has no effect")

    def parts(self, element: etree._Element) -> Parts:
        """Return an option's elements by name; duplicates of elements with a single value are problems."""
        children: Parts = {}
        for child in self.elements(element, "configurationOption", (*_COMMON, *_NUMERIC, *_OBSOLETE)):
            name = local_name(child)
            if name in children and name not in {"impliedOptions", "excludedOptions", *_OBSOLETE}:
                self.problems.add(f"duplicate <{name}> in an option", line_of(child))
            children.setdefault(name, []).append(child)
        return children

    def options(self, elements: dict[str, list[etree._Element]]) -> Iterator[Option]:
        """Yield the options of both sections with their references as written, without the root."""
        for section, read in (("binaryOptions", self.binary_option), ("numericOptions", self.numeric_option)):
            for element in elements[section]:
                parts, line = self.parts(element), line_of(element)
                if not (name := _text(parts, "name")):
                    self.problems.add("an option without a <name>", line)
                elif (option := read(name, parts, line)) is not None:
                    yield option

    def binary_option(self, name: str, parts: Parts, line: int) -> BinaryOption | None:
        """Return a binary option, None for the root."""
        shown = _presentation(parts)
        words = tuple(word.strip() for word in _text(parts, "values").split(";"))
        if len(words) == 2 and [TRUTH.get(word.casefold()) for word in words] == [0, 1]:
            shown = replace(shown, words=(words[0], words[1]))
        for part in _NUMERIC:
            if _text(parts, part) and (part != "values" or shown.words is None):
                self.note(line, f"{name}: <{part}> has no effect in a binary option")
        implied, excluded = _groups(parts, "impliedOptions"), _groups(parts, "excludedOptions")
        if name == ROOT:
            if implied or excluded:
                self.note(line, "what the root implies or excludes has no effect")
            return None
        optional = _text(parts, "optional").casefold()
        if optional not in {"true", "false", ""}:
            self.problems.add(f"{name}: <optional> must be True or False", line_of(parts["optional"][0]), text=optional)
        parent = None if (text := _text(parts, "parent")) in {"", ROOT} else text
        return BinaryOption(name, parent, optional == "true", implied, excluded, shown, line)

    def numeric_option(self, name: str, parts: Parts, line: int) -> NumericOption:
        """Return a numeric option, with a placeholder domain if its own has a problem."""
        for element_name in ("impliedOptions", "excludedOptions"):
            if _groups(parts, element_name):
                self.note(line, f"{name}: <{element_name}> has no effect in a numeric option")
        flag = self.number(parts, "deselectedFlag", name, math.nan)
        values, step, maximum = self.domain(parts, name, line)
        deselected = None if math.isnan(flag) else flag
        parent = None if (text := _text(parts, "parent")) in {"", ROOT} else text
        return NumericOption(name, values, parent, step, maximum, deselected, _presentation(parts), line)

    def number(self, parts: Parts, part: str, name: str, default: float) -> float:
        """Return the number in an element, the default if it is missing or empty."""
        if not (text := _text(parts, part)):
            return default
        if math.isnan(value := parse_number(text, ",")):
            self.problems.add(f"{name}: <{part}> {not_a_number(text, ',')}", line_of(parts[part][0]), text=text)
        return default if math.isnan(value) else value

    def domain(self, parts: Parts, name: str, line: int | None) -> tuple[tuple[float, ...], str | None, float | None]:
        """Return a numeric option's values, step function and maxValue (if it is above the last value)."""
        step, placeholder = " ".join(_text(parts, "stepFunction").split()), ((0.0,), None, None)
        if listed := _text(parts, "values"):
            return self.value_list(parts, name, listed) or (0.0,), None, None
        minimum = self.number(parts, "minValue", name, 0.0)
        maximum = self.number(parts, "maxValue", name, 10.0)
        if not step and minimum < maximum:
            hint = f"for example <stepFunction>{name} + 1</stepFunction>"
            self.problems.add(f"{name} has neither <stepFunction> nor <values>", line, hint=hint)
            return placeholder
        try:
            values = step_values(name, minimum, maximum, step or "n + 1")
        except SplcError as error:
            key = "stepFunction" if step and minimum <= maximum else "minValue"
            self.problems.include(error, line_of(parts[key][0]) if key in parts else line)
            return placeholder
        return values, step or None, maximum if maximum > values[-1] else None

    def value_list(self, parts: Parts, name: str, text: str) -> tuple[float, ...] | None:
        """Return the distinct values of a `;`-separated list, ascending; None (and problems) if one is not a number."""
        line = line_of(parts["values"][0])
        entries = [*filter(None, map(str.strip, text.split(";")))]
        values = [parse_number(entry, ",") for entry in entries]
        wrong = [entry for entry, value in zip(entries, values, strict=True) if math.isnan(value)]
        for entry in wrong:
            self.problems.add(f"{name}: {entry!r} in <values> {not_a_number(entry, ',')}", line)
        if not values:
            self.problems.add(f"{name}: <values> is empty", line)
        if not values or wrong:
            return None
        distinct = tuple(sorted(set(values)))
        if len(distinct) < len(values):
            self.note(line, f"{name}: <values> contains a duplicate")
        for element_name, end in (("minValue", distinct[0]), ("maxValue", distinct[-1])):
            bound = self.number(parts, element_name, name, end)
            if end < bound if element_name == "minValue" else end > bound:
                self.note(line, f"{name}: <values> exceeds <{element_name}>, which has no effect")
        return distinct

    def constraint(self, element: etree._Element, section: str, names: VariabilityModel) -> Iterator[Constraint]:
        """Yield a constraint; one that cannot be parsed is a problem."""
        text, line, table = " ".join(inner_text(element).split()), line_of(element), names.name_table
        try:
            if section == "booleanConstraints":
                yield parse_boolean(text, table, line)
                return
            if section != "mixedConstraints":
                yield parse_arithmetic(text, table, "non-boolean", line=line)
                return
            values = {str(key): str(value) for key, value in element.attrib.items()}
            # SPL Conqueror identifies them by position, not by name.
            for name, (key, value) in zip(("req", "exprKind"), [*values.items()], strict=False):
                if key not in {"req", "exprKind"}:
                    values.setdefault(name, value)
            requires, kind = (values.get(name, "pos").strip().casefold() for name in ("req", "exprKind"))
            if requires not in {"all", "none"}:
                self.problems.add('a mixed constraint needs req="all" or req="none"', line, text=inner_text(element))
            if kind not in {"pos", "neg"}:
                message = 'exprKind of a mixed constraint must be "pos" or "neg"'
                self.problems.add(message, line, text=values["exprKind"])
            yield parse_arithmetic(text, table, "mixed", "none" if requires == "none" else "all", kind == "neg", line)
        except ExpressionError as error:
            # Columns are relative to the start of the constraint.
            self.problems.include(ExpressionError(replace(each, column=None) for each in error.problems), line)


def _text(parts: Parts, name: str) -> str:
    return inner_text(parts[name][0]) if name in parts else ""


def _presentation(parts: Parts) -> Presentation:
    def text_of(name: str) -> str:
        if name not in parts:
            return ""
        child = parts[name][0]
        text = "".join(map(str, child.itertext())) if len(child) else child.text or ""
        # Spaces around the text belong to the command line, unless they indent the XML.
        return text.strip() if "\n" in text or not text.strip() else text

    return Presentation(text_of("outputString") or None, text_of("prefix"), text_of("postfix"))


def _groups(parts: Parts, name: str) -> Groups:
    """Return the groups of names in `<impliedOptions>` or `<excludedOptions>`: one per child, names separated by |."""
    texts: list[str] = []
    for child in parts.get(name, ()):
        texts += [*map(inner_text, child), child.text or "", *(part.tail or "" for part in child)]
    groups = (tuple(filter(None, (entry.strip() for entry in text.split("|")))) for text in texts)
    return tuple(filter(None, groups))


def _write_option(section: etree._Element, option: Option, system: VariabilityModel) -> None:
    element = etree.SubElement(section, "configurationOption")
    shown, parent = option.presentation, "" if option.name == ROOT else option.parent or ROOT
    texts = (option.name, shown.output_string or "", shown.prefix, shown.postfix, parent)
    for name, text in zip(_COMMON, texts, strict=False):
        _child(element, name, text)
    for name, key in (("impliedOptions", "implied"), ("excludedOptions", "excluded")):
        members: Groups = getattr(option, key, ())
        groups_element = etree.SubElement(element, name)
        for group in members:
            _child(groups_element, "options", " | ".join(listable(member, system, "|") for member in group))
    if isinstance(option, BinaryOption):
        _child(element, "optional", str(option.optional))
        if option.presentation.words is not None:
            # SPL Conqueror reads these of numeric options only.
            _child(element, "values", ";".join(option.presentation.words))
        return
    values = option.values
    maximum, is_step = values[-1] if option.maximum is None else option.maximum, False
    _child(element, "minValue", number_text(values[0]))
    _child(element, "maxValue", number_text(maximum))
    with suppress(VariabilityError):
        is_step = option.step is not None and step_values(option.name, values[0], maximum, option.step) == values
    listed = ";".join(map(number_text, values))
    _child(element, *(("stepFunction", option.step or "") if is_step else ("values", listed)))
    if option.deselected_flag is not None:
        _child(element, "deselectedFlag", number_text(option.deselected_flag))


def _child(parent: etree._Element, name: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, name)
    element.text = text
    return element


_OPTION_SECTIONS = ("binaryOptions", "numericOptions")
# SPL Conqueror's README has numericConstraints, its reader nonBooleanConstraints.
_CONSTRAINT_SECTIONS = ("booleanConstraints", "nonBooleanConstraints", "numericConstraints", "mixedConstraints")


def parse_variability_model(source: Source) -> VariabilityModel:
    """Return the variability model of a document with the root element `<vm>`."""
    root = read_xml(source, "vm", "a variability model")
    reader = _ElementReader(source.name)
    if not (name := (root.get("name") or "").strip()):
        reader.problems.add('<vm> has no name: <vm name="…">', line_of(root))
    elements: dict[str, list[etree._Element]] = {section: [] for section in (*_OPTION_SECTIONS, *_CONSTRAINT_SECTIONS)}
    for section in reader.elements(root, "vm", tuple(elements)):
        kind = "configurationOption" if local_name(section) in _OPTION_SECTIONS else "constraint"
        elements[local_name(section)] += reader.elements(section, local_name(section), (kind,))
    if not (raw := [*reader.options(elements)]) and not len(reader.problems):
        reader.problems.add("the model has no options", line_of(root))
    unique: dict[str, Option] = {}  # a system of the names only resolves references
    for option in (each for each in raw if each.name != ROOT):
        plain = BinaryOption(option.name) if isinstance(option, BinaryOption) else replace(option, parent=None)
        unique.setdefault(option.name, plain)
    names = VariabilityModel("", tuple(unique.values()))
    for section_name in _CONSTRAINT_SECTIONS:
        for element in elements[section_name]:
            reader.constraints += reader.constraint(element, section_name, names)
    return reader.system(name, [_resolved(option, names.spellings) for option in raw])


def _resolved(option: Option, spellings: dict[str, str]) -> Option:
    """Return the option with its references in full spelling; unknown references are kept."""
    parent = None if option.parent is None else spellings.get(option.parent, option.parent)
    if isinstance(option, NumericOption):
        return replace(option, parent=parent)
    implied, excluded = (
        tuple(tuple(spellings.get(name, name) for name in group) for group in groups)
        for groups in (option.implied, option.excluded)
    )
    return replace(option, parent=parent, implied=implied, excluded=excluded)


def write_variability_model(
    system: VariabilityModel, path: str | Path, comments: Sequence[str] = ()
) -> tuple[str, ...]:
    """Write a model in a form that SPL Conqueror reads, too: steps where they give the values, else the values."""
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
    numeric = etree.SubElement(root, "numericOptions")
    for option in (BinaryOption(ROOT, optional=False), *system.options):
        _write_option(binary if isinstance(option, BinaryOption) else numeric, option, system)
    sections = {name: etree.SubElement(root, f"{name}Constraints") for name in ("boolean", "nonBoolean", "mixed")}
    for constraint in system.constraints:
        kind = "boolean" if isinstance(constraint, BooleanConstraint) else constraint.kind.replace("-b", "B")
        element = _child(sections[kind], "constraint", constraint.text)
        if not isinstance(constraint, BooleanConstraint) and kind == "mixed":
            element.set("req", constraint.requires)
            element.set("exprKind", "neg" if constraint.negated else "pos")
    return root


def listable(name: str, system: VariabilityModel, separators: str) -> str:
    """Return a spelling of an option's name without separators, for lists."""
    if not set(name) & set(separators):
        return name
    label = plain_name(name)
    if system.spellings.get(label) != name:
        raise OutputError(f"the option {name!r} cannot be listed in this format", hint="rename it")
    return label
