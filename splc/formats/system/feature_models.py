"""Feature models: the tree and the clauses in which a system can be written; FeatureIDE and DIMACS."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product
from pathlib import Path

import numpy as np
from lxml import etree

from splc.errors import InputError, OutputError, Problem, Problems, nearest, plural
from splc.formats.system.assembly import Assembly, FeatureNode, Group, disjunction, features_of, free_name, options_of
from splc.io.files import Source, write_whole
from splc.io.xml import inner_text, line_of, local_name, read_xml, write_xml
from splc.system.clauses import Clause, Formula, clauses, equivalence, implication, joined, negation
from splc.system.constraints import OptionLiteral
from splc.system.options import BinaryOption, NumericOption, Option, Presentation
from splc.system.variability import ROOT, VariabilityModel

Literals = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Structure:
    """A system as a feature tree and clauses."""

    root: FeatureNode  # the root feature; numeric options are not in the tree
    added: bool  # whether the root feature, which is always selected, is not an option of the system
    clauses: tuple[Literals, ...]  # the clauses that the tree lacks, in the order of the system
    notes: tuple[str, ...]  # what a file of this structure has beside the system, and what it lacks


def notes_of_presentations(system: VariabilityModel) -> tuple[str, ...]:
    """Return the note of what a file about features lacks of the options of a system."""
    if all(option.presentation == Presentation() for option in system.options):
        return ()
    return ("how options are written on a command line (outputString, prefix, postfix) is left out",)


def structure_of(system: VariabilityModel, *, several: bool) -> Structure:
    """Return a system as a feature tree and clauses; `several`: whether a feature can have groups beside others."""
    features, children_of_parent = dict[str, FeatureNode](), dict[str | None, list[BinaryOption]]()
    for option in system.binary_options:
        features[option.name] = FeatureNode(option.name)
        children_of_parent.setdefault(option.parent, []).append(option)

    def groups_of(members: Sequence[BinaryOption], implied: Sequence[tuple[str, ...]]) -> list[Group]:
        """Return the groups of the features below one feature."""
        related = {option.name: frozenset((option.name, *system.alternatives(option))) for option in members}
        # The alternatives of every option in a group are the others in it.
        exact = [each for each in dict.fromkeys(related.values()) if {related[name] for name in each} == {each}]
        exact = [each for each in exact if len(each) > 1]
        groups = [Group(1, 1, [features[name] for name in related if name in each]) for each in exact]
        grouped = set[str]().union(*exact)
        for names in implied:
            ungrouped = [option for option in members if option.name in set(names) - grouped]
            whole = len(ungrouped) == len(names) > 1 and set(names) <= related.keys()
            if whole and all(option.optional for option in ungrouped):
                groups.append(Group(1, len(ungrouped), [features[option.name] for option in ungrouped]))
                grouped.update(names)
        if groups and not several and (len(groups) > 1 or len(grouped) < len(members)):
            groups, grouped = [], set()
        solitary = [
            (features[option.name], not option.optional and not system.exclusions[option.name])
            for option in members
            if option.name not in grouped
        ]
        return [*children(sorted(solitary, key=lambda entry: not entry[1])), *groups]

    top = children_of_parent.get(None, [])
    if len(top) == 1 and top[0].name in system.mandatory:
        root, added = features[top[0].name], False
    else:
        name = system.name if system.name.strip() and system.name not in features else free_name("system", features)
        root, added = FeatureNode(name), True
        root.groups = groups_of(top, ())
    for option in system.binary_options:
        features[option.name].groups = groups_of(children_of_parent.get(option.name, []), option.implied)
    tree = VariabilityModel(system.name, *options_of(root))
    # A root that was added is true.
    in_tree = {frozenset(literals_of(clause, tree)) for clause in clauses(tree)}
    in_tree |= {literals - {(root.name, False)} for literals in in_tree} if added else set()
    needed = (literals_of(clause, system) for clause in clauses(system))
    missing = (literals or ((root.name, False),) for literals in needed if frozenset(literals) not in in_tree)
    beside = (f"the root feature {root.name!r} is added, which is always selected",) if added else ()
    return Structure(root, added, tuple(missing), (*beside, *notes_of_presentations(system)))


def children(members: Iterable[tuple[FeatureNode, bool]]) -> list[Group]:
    """Return the groups of features below one feature, each with whether it is mandatory, in their order."""
    groups = []
    for needed, run in groupby(members, key=lambda member: member[1]):
        features = [feature for feature, _ in run]
        groups.append(Group(len(features) if needed else 0, len(features), features))
    return groups


def literals_of(clause: Clause, system: VariabilityModel) -> Literals:
    """Return a clause as names of options and whether they are selected."""
    # A literal allows either the selected values of an option or the deselected one.
    restrictions = ((system.options[position], allowed) for position, allowed in clause.literals if any(allowed))
    return tuple((option.name, allowed[isinstance(option, BinaryOption)]) for option, allowed in restrictions)


MAX_COMBINATIONS = 10_000  # the most combinations of values among which an arithmetic constraint is stated
_UVL = "write UVL, which has numbers: --to uvl"


def violations(system: VariabilityModel, form: str, problems: Problems) -> Iterator[list[tuple[Option, float]]]:
    """Yield each combination of values of options that violates an arithmetic constraint; too many are a problem."""
    for constraint in system.arithmetic_constraints:
        names = [name for name in constraint.names if name != ROOT]
        options = [system.option(name) for name in names if name in system.positions]
        lists = [option.values if isinstance(option, NumericOption) else (0.0, 1.0) for option in options]
        size = math.prod(map(len, lists))
        if len(options) < len(names) or size > MAX_COMBINATIONS:
            large = f", and this one is about {size:,} combinations of values" if len(options) == len(names) else ""
            message = f"{form} has no arithmetic constraints{large}"
            problems.add(message, constraint.line, text=constraint.text, hint=_UVL)
            continue
        rows = np.array([*product(*lists)]).reshape(size, len(lists))
        columns = {ROOT: np.ones(size), **{option.name: rows[:, at] for at, option in enumerate(options)}}
        holds = np.broadcast_to(constraint.holds(columns.__getitem__), size)
        if constraint.requires == "all":
            binary = [isinstance(option, BinaryOption) for option in options]
            holds = holds | (rows[:, np.array(binary, dtype=bool)] == 0).any(axis=1)
        yield from ([*zip(options, row, strict=True)] for row in rows[~holds].tolist())


def binary_clauses(system: VariabilityModel, form: str) -> list[Literals]:
    """Return the clauses of the arithmetic constraints of a system that has binary options only."""
    problems = Problems(system.source)
    for option in system.numeric_options:
        problems.add(f"{form} has no numeric options: {option.name}", option.line, hint=_UVL)
    excluded = [*violations(system, form, problems)]
    problems.raise_if_any(OutputError)
    return [tuple((option.name, value == 0) for option, value in row) for row in excluded]


_FEATURES = ("and", "or", "alt", "feature")
# Elements that are ignored: texts, attributes of features, and settings of FeatureIDE's editor.
_BESIDE = ("description", "graphics", "attribute", "property", "tags")
_SECTIONS = ("struct", "constraints", "properties", "calculations", "comments", "featureOrder")


class _FeatureIdeReader(Assembly):
    """Reads one file."""

    def known_children(
        self, element: etree._Element, names: tuple[str, ...], ignored: tuple[str, ...] = _BESIDE
    ) -> Iterator[etree._Element]:
        """Yield the elements with known names; others are problems."""
        for child in element:
            if local_name(child) in names:
                yield child
            elif local_name(child) not in ignored:
                self.problems.add(f"unknown element <{local_name(child)}> in <{local_name(element)}>", line_of(child))

    def feature(self, element: etree._Element) -> FeatureNode:
        """Return a feature with all features below it."""
        name = " ".join((element.get("name") or "").split())
        feature = FeatureNode(name, line_of(element))
        self.features.setdefault(name, feature)
        subfeatures = [
            (self.feature(child), child.get("mandatory") == "true") for child in self.known_children(element, _FEATURES)
        ]
        kind = local_name(element)
        if kind == "and":
            feature.groups = children(subfeatures)
        elif subfeatures and kind == "feature":
            self.problems.add(f"<feature> {name!r} has features below it", feature.line, hint="write <and>")
        elif subfeatures:
            members = [member for member, _ in subfeatures]
            feature.groups = [Group(1, 1 if kind == "alt" else len(members), members, feature.line)]
        return feature

    def formula(self, element: etree._Element) -> Formula:
        """Return the formula of an element."""
        kind, line = local_name(element), line_of(element)
        if kind == "var":
            name = " ".join(inner_text(element).split())
            if name not in self.features:
                raise InputError(Problem(f"unknown feature {name!r}", line=line, hint=nearest(name, self.features)))
            return OptionLiteral(self.features[name].name, True)
        parts = [self.formula(child) for child in element]
        match kind, parts:
            case "not", [part]:
                return negation(part)
            case "imp" | "eq", [first, second]:
                return (implication if kind == "imp" else equivalence)(first, second)
            case "not" | "imp" | "eq", _:
                raise InputError(Problem(f"<{kind}> has {'one part' if kind == 'not' else 'two parts'}", line=line))
            case "disj" | "conj", _:
                return joined(parts, conjunction=kind == "conj")
            case "atmost1", _:
                pairs = combinations(map(negation, parts), 2)
                return joined((joined(pair, conjunction=False) for pair in pairs), conjunction=True)
        raise InputError(Problem(f"unknown element <{kind}> in a formula", line=line))


def parse_featureide(source: Source) -> VariabilityModel:
    """Return the system of a feature model in FeatureIDE's XML."""
    document = read_xml(source, "featureModel", "a feature model of FeatureIDE", "extendedFeatureModel")
    reader = _FeatureIdeReader(source.name)
    struct, rules = list[FeatureNode](), list[etree._Element]()
    for section in reader.known_children(document, _SECTIONS, ()):
        if local_name(section) == "struct":
            struct += [reader.feature(element) for element in reader.known_children(section, _FEATURES, ())]
        elif local_name(section) == "constraints":
            rules += reader.known_children(section, ("rule",), ())
    if len(struct) != 1:
        message = "more than one root feature" if struct else "the model has no features"
        reader.problems.add(message, line_of(document), hint="<struct> has one element, the root feature")
        reader.problems.raise_if_any()
    if ROOT in reader.features:
        reader.features[ROOT].name = reader.root_name(reader.features)
    for rule in rules:
        try:
            formulas = [reader.formula(child) for child in rule if local_name(child) not in _BESIDE]
            if len(formulas) != 1:
                raise InputError(Problem("a rule has one formula", line=line_of(rule)))
        except InputError as error:
            reader.problems.include(error)
        else:
            reader.require(formulas[0], line_of(rule), " ".join(inner_text(rule).split()))
    return reader.tree(struct[0].name, struct[0])


def write_featureide(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a feature model in FeatureIDE's XML."""
    arithmetic = binary_clauses(system, "FeatureIDE")
    structure = structure_of(system, several=False)
    write_xml(path, lambda: _document(structure, [*structure.clauses, *arithmetic]), "the feature model")
    return structure.notes


def _document(structure: Structure, rules: Sequence[Literals]) -> etree._Element:
    document = etree.Element("featureModel")
    etree.SubElement(document, "properties")
    struct = etree.SubElement(document, "struct")
    elements = {structure.root.name: _feature(struct, structure.root, abstract=structure.added, mandatory=True)}
    for feature in features_of(structure.root):
        for group in feature.groups:
            for member in group.members:
                needed = group.lower == len(group.members)
                elements[member.name] = _feature(elements[feature.name], member, mandatory=needed)
    constraints = etree.SubElement(document, "constraints")
    for clause in rules:
        rule = etree.SubElement(constraints, "rule")
        parent = rule if len(clause) == 1 else etree.SubElement(rule, "disj")
        for name, positive in clause:
            etree.SubElement(parent if positive else etree.SubElement(parent, "not"), "var").text = name
    return document


def _feature(parent: etree._Element, feature: FeatureNode, **marks: bool) -> etree._Element:
    kind = "feature"
    if feature.groups:
        # A group is alone below its feature; every other feature below one is mandatory or optional.
        group = feature.groups[-1]
        exclusive = group.upper == 1 < len(group.members)
        kind = "alt" if exclusive else "or" if group.lower == 1 < len(group.members) else "and"
    element = etree.SubElement(parent, kind, name=feature.name)
    for mark in (mark for mark, is_set in marks.items() if is_set):
        element.set(mark, "true")
    return element


_NAME = re.compile(r"c\s+(\d{1,9})\$?\s+(\S.*)")  # some writers mark variables that are not features with a dollar
_HEADER = re.compile(r"p\s+cnf\s+(\d{1,9})\s+(\d{1,12})\s*")
_LITERAL = re.compile(r"-?\d{1,11}", re.ASCII)
FLAT_ROOT = "__Root__"  # the root that FeatureIDE adds to models without a hierarchy; it writes no clause about it
MAX_VARIABLES = 1_000_000  # a header may state any number of variables; each is an option


def parse_dimacs(source: Source) -> VariabilityModel:
    """Return the system of clauses in DIMACS, each variable an optional option; those without a name are `v1`, …."""
    assembly = Assembly(source.name)
    problems, variables, stated_count, is_wrong = assembly.problems, -1, -1, False
    names, found, clause = dict[int, tuple[str, int]](), list[tuple[int, list[int]]](), list[int]()
    for number, line in enumerate(source.text().splitlines(), 1):
        if line.startswith("%"):
            break
        if line.startswith("c"):
            if match := _NAME.match(line):
                names.setdefault(int(match[1]), (" ".join(match[2].split()), number))
        elif line.startswith("p"):
            header = _HEADER.fullmatch(line)
            if header is None or variables >= 0 or int(header[1]) > MAX_VARIABLES:
                message = f"one line is 'p cnf VARIABLES CLAUSES', with at most {MAX_VARIABLES:,} variables"
                problems.add(message, number, text=line)
            else:
                variables, stated_count = int(header[1]), int(header[2])
        else:
            for word in line.split():
                literal = int(word) if _LITERAL.fullmatch(word) else variables + 1
                if abs(literal) > variables:
                    message = f"{word!r} is not a variable (the line 'p' states {max(variables, 0):,})"
                    problems.add(message, number, text=line)
                    is_wrong = True
                elif literal and clause:
                    clause.append(literal)
                elif literal:
                    found.append((number, clause := [literal]))
                elif clause or is_wrong:
                    clause, is_wrong = [], False
                else:
                    problems.add("an empty clause, which never holds", number, text=line)
    if variables < 0:
        problems.add("the line 'p cnf VARIABLES CLAUSES' is missing")
    if clause:
        problems.add("the last clause does not end with 0", found[-1][0])
    if stated_count not in {-1, len(found)} and not len(problems):
        assembly.notes.append(f"{plural(len(found), 'clause', 'clauses')}; the line 'p' states {stated_count:,}")
    if names.get(1, ("",))[0] == FLAT_ROOT and all(abs(literal) > 1 for _, literals in found for literal in literals):
        assembly.notes.append(f"the root feature {FLAT_ROOT!r} is in no clause; it is always selected")
        found.insert(0, (names[1][1], [1]))
    numbers = range(1, max(variables, 0) + 1)
    reserved = assembly.root_name(name for number, (name, _) in names.items() if number in numbers)
    stated = (names.get(number, (f"v{number}", None)) for number in numbers)
    options = [BinaryOption(reserved if name == ROOT else name, line=line) for name, line in stated]
    for line_number, literals in found:
        parts = [(options[abs(literal) - 1].name, literal > 0) for literal in dict.fromkeys(literals)]
        assembly.constraints.append(disjunction(parts, line_number))
    return assembly.system(assembly.default_name, options)


def write_dimacs(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as clauses, with the names of its options in comments."""
    all_clauses = [*(literals_of(clause, system) for clause in clauses(system)), *binary_clauses(system, "DIMACS")]
    numbers = {option.name: at for at, option in enumerate(system.binary_options, 1)}
    lines = [f"c {number} {name}" for name, number in numbers.items()]
    lines.append(f"p cnf {len(numbers)} {len(all_clauses)}")
    signed = ([numbers[name] if positive else -numbers[name] for name, positive in each] for each in all_clauses)
    lines += (" ".join(map(str, (*literals, 0))) for literals in signed)
    write_whole(path, "\n".join(lines) + "\n")
    return ()
