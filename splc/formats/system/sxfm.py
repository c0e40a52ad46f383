"""SXFM, the format of the SPLOT repository: a feature tree and clauses as text in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lxml import etree

from splc.errors import Problems, listed, nearest
from splc.formats.system.assembly import Assembly, free_name
from splc.formats.system.constraint_forms import disjunction
from splc.formats.system.expansion import binary_clauses
from splc.formats.system.feature_tree import FeatureNode, Group, children, features_of
from splc.formats.system.structure import Literals, Structure, structure_of
from splc.io.files import Source
from splc.io.xml import line_of, local_name, read_xml, write_xml
from splc.system.variability import ROOT, VariabilityModel

_LINE = re.compile(r"(\s*):([rmog]?)(?=[\s([]|$)\s*(.*)")
_IDENTIFIED = re.compile(r"(.*?)\s*\(([^()]*)\)\s*")
_GROUP = re.compile(r"(?:\(([^()]*)\))?\s*\[\s*(\d{1,6})\s*,\s*(\d{1,6}|\*)\s*\]\s*")


def parse_sxfm(source: Source) -> VariabilityModel:
    """Return the system of a feature model in SXFM.

    Features have identifiers of their own; a name that several have is followed by a number.
    """
    document = read_xml(source, "feature_model", "a feature model in SXFM")
    assembly = Assembly(source.name)
    texts: dict[str, etree._Element] = {}
    for section in document:
        name = local_name(section)
        if name not in {"meta", "feature_tree", "constraints"} or name in texts:
            problem = "a second element" if name in texts else "unknown element"
            assembly.problems.add(f"{problem} <{name}>", line_of(section))
        texts.setdefault(name, section)
    tree = _Tree(assembly.problems)
    if "feature_tree" in texts:
        for line, text in _lines(texts["feature_tree"]):
            tree.add(line, text)
    if tree.root is None:
        assembly.problems.add("the model has no root feature", line_of(document), hint=":r NAME in <feature_tree>")
        assembly.problems.raise_if_any()
    assert tree.root is not None
    tree.finish()
    if tree.single:
        lines = listed([str(line) for line in tree.single])
        assembly.notes.append(f"members of groups that are in no group are read as mandatory features: lines {lines}")
    _make_unique(tree.root, assembly)
    if "constraints" in texts:
        for line, text in _lines(texts["constraints"]):
            _clause(text, line, tree.features, assembly)
    return assembly.tree((document.get("name") or "").strip() or tree.root.name, tree.root)


def _lines(element: etree._Element) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text that are not empty, with their numbers."""
    text = "".join(map(str, element.itertext()))
    for number, line in enumerate(text.split("\n"), line_of(element)):
        if line.strip():
            yield number, line.rstrip()


class _Tree:
    """Reads the lines of a feature tree."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.root: FeatureNode | None = None
        # Identifier → feature; None where several features have it.
        self.features: dict[str, FeatureNode | None] = {}
        # The lines of members of groups that are in no group.
        self.single: list[int] = []
        self.below: dict[int, list[tuple[FeatureNode, bool] | Group]] = {}
        self.open: list[tuple[int, FeatureNode | Group]] = []

    def add(self, line: int, text: str) -> None:
        """Add a line."""
        match = _LINE.fullmatch(text)
        if match is None:
            hint = "lines are :r, :m, :o and : with a name, and :g [n,m]"
            self.problems.add("this is not a line of a feature tree", line, text=text, hint=hint)
            return
        indent, kind, content = len(match[1].expandtabs(8)), match[2], match[3].strip()
        while self.open and self.open[-1][0] >= indent:
            self.open.pop()
        parent = self.open[-1][1] if self.open else None
        if (self.root is None) != (kind == "r") or (parent is None) != (kind == "r"):
            problem = (
                "the first line is not the root, ':r NAME'" if self.root is None else "the line is below no feature"
            )
            self.problems.add(problem, line, text=text)
            return
        if kind == "g" and isinstance(parent, Group):
            self.problems.add("a group directly below a group", line, text=text)
            return
        if kind == "g":
            bounds = _GROUP.fullmatch(content)
            if bounds is None:
                self.problems.add("a group is ':g [n,m]'", line, text=text)
            lower, upper = (bounds[2], bounds[3]) if bounds else ("0", "*")
            group = Group(int(lower), 10**9 if upper == "*" else int(upper), [], line)
            assert isinstance(parent, FeatureNode)
            self.below[id(parent)].append(group)
            self.open.append((indent, group))
            return
        feature = self.feature(content, line, text)
        if isinstance(parent, Group):
            # Some programs write :m before the members of groups, too.
            parent.members.append(feature)
        elif isinstance(parent, FeatureNode):
            self.below[id(parent)].append((feature, kind != "o"))
            if not kind:
                self.single.append(line)
        else:
            self.root = feature
        self.open.append((indent, feature))

    def feature(self, definition: str, line: int, text: str) -> FeatureNode:
        """Return a feature from its name and its identifier."""
        identified = _IDENTIFIED.fullmatch(definition)
        name, key = (identified[1], identified[2].strip()) if identified else (definition, definition)
        name = " ".join((name or key).split())
        key = key or name
        if not name:
            self.problems.add("the name of a feature is missing", line, text=text)
        feature = FeatureNode(name, line)
        self.features[key] = None if key in self.features else feature
        self.below[id(feature)] = []
        return feature

    def finish(self) -> None:
        """Set the groups of all features, and add problems of groups that cannot be fulfilled."""
        assert self.root is not None
        pending = [self.root]
        while pending:
            feature = pending.pop()
            solitary: list[tuple[FeatureNode, bool]] = []
            for child in self.below[id(feature)]:
                if isinstance(child, Group):
                    feature.groups += [*children(solitary), child]
                    solitary = []
                    if len(child.members) < child.lower or child.upper < child.lower or not child.members:
                        self.problems.add("the group has not enough features", child.line)
                else:
                    solitary.append(child)
            feature.groups += children(solitary)
            pending += [member for group in feature.groups for member in group.members]


def _make_unique(root: FeatureNode, assembly: Assembly) -> None:
    """Number the names that several features have."""
    all_features = list(features_of(root))
    used_names = {feature.name for feature in all_features}
    reserved = assembly.root_name(used_names)
    occurrences: dict[str, int] = {}
    numbered = 0
    for feature in all_features:
        if feature.name == ROOT:
            feature.name = reserved
        name = feature.name
        if name in occurrences:
            feature.name = free_name(name, used_names, occurrences[name])
            used_names.add(feature.name)
            numbered += 1
        occurrences[name] = occurrences.get(name, 0) + 1
    if numbered:
        assembly.notes.append(f"{numbered:,} names that other features have, too, are followed by a number")


def _clause(text: str, line: int, features: dict[str, FeatureNode | None], assembly: Assembly) -> None:
    """Add the constraint `name: ~a or b`."""
    _, colon, clause = text.partition(":")
    literals: list[tuple[str, bool]] = []
    for word in re.split(r"\s+or\s+", (clause if colon else text).strip(), flags=re.IGNORECASE):
        key = word.removeprefix("~").strip()
        feature = features.get(key)
        if feature is not None:
            literals.append((feature.name, not word.startswith("~")))
        elif key in features:
            hint = "give the features identifiers of their own: ': NAME (IDENTIFIER)'"
            assembly.problems.add(f"several features are {key!r}", line, text=text, hint=hint)
        else:
            hint = nearest(key, features) or "a constraint is 'name: ~a or b' with identifiers of features"
            assembly.problems.add(f"unknown feature {key!r}", line, text=text, hint=hint)
    if literals:
        assembly.constraints.append(disjunction(dict.fromkeys(literals), line))


def write_sxfm(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a feature model in SXFM."""
    arithmetic = binary_clauses(system, "SXFM")
    structure = structure_of(system, several=True)
    write_xml(path, lambda: _document(system, structure, [*structure.clauses, *arithmetic]), "the feature model")
    return structure.notes(system)


def _document(system: VariabilityModel, structure: Structure, clauses: Sequence[Literals]) -> etree._Element:
    document = etree.Element("feature_model", name=system.name)
    keys = {feature.name: f"_{number}" for number, feature in enumerate(features_of(structure.root), 1)}
    tree = etree.SubElement(document, "feature_tree")
    tree.text = "\n" + "".join(f"{line}\n" for line in _tree_lines(structure.root, keys))
    constraints = etree.SubElement(document, "constraints")
    lines = (
        f"c{number}: " + " or ".join(("" if positive else "~") + keys[name] for name, positive in clause)
        for number, clause in enumerate(clauses, 1)
    )
    constraints.text = "\n" + "".join(f"{line}\n" for line in lines)
    return document


def _tree_lines(root: FeatureNode, keys: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a feature tree."""
    pending: list[tuple[int, str, FeatureNode | Group]] = [(0, ":r", root)]
    while pending:
        depth, kind, node = pending.pop()
        if isinstance(node, Group):
            yield "\t" * depth + f"{kind} [{node.lower},{node.upper}]"
            pending += [(depth + 1, ":", member) for member in reversed(node.members)]
            continue
        yield "\t" * depth + f"{kind} {node.name} ({keys[node.name]})"
        for group in reversed(node.groups):
            if group.lower == len(group.members) or not group.lower:
                sign = ":m" if group.lower else ":o"
                pending += [(depth + 1, sign, member) for member in reversed(group.members)]
            else:
                pending.append((depth + 1, ":g", group))
