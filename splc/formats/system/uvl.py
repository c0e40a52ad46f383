"""UVL, the universal variability language: reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from splc.errors import InputError, listed, nearest, plural
from splc.formats.system.assembly import Assembly, name_of
from splc.formats.system.feature_tree import always_selected
from splc.formats.system.uvl_expressions import ExpressionParser, Names
from splc.formats.system.uvl_features import Cursor, FeatureLines
from splc.formats.system.uvl_tokens import UvlToken, lines_of, text_of
from splc.formats.system.uvl_values import Domain, FeatureValues, stated_values
from splc.io.files import Source
from splc.system.constraints import OptionLiteral
from splc.system.propositions import Formula
from splc.system.variability import ROOT, VariabilityModel

_SECTIONS = ("namespace", "include", "imports", "features", "constraints")


def parse_uvl(source: Source) -> VariabilityModel:
    """Return the system of a feature model in UVL."""
    assembly = Assembly(source.name)
    problems = assembly.problems
    features = FeatureLines(problems)
    name = ""
    section = ""
    constraint_tokens: list[Sequence[UvlToken]] = []
    for line in lines_of(source, problems):
        first = line.tokens[0]
        if line.indent == 0 and first.text in _SECTIONS and not first.quoted:
            section = first.text
            if section == "namespace":
                name = Cursor(line.tokens[1:]).name()
            elif len(line.tokens) > 1:
                problems.add(f"{section!r} stands alone in its line", line.number, text=line.text)
        elif section == "features":
            features.add(line)
        elif section == "constraints":
            constraint_tokens.append(line.tokens)
        elif section == "imports":
            hint = "write the features of the imported model into this file"
            problems.add("imported models are not supported", line.number, text=line.text, hint=hint)
        elif section != "include":
            hint = nearest(first.text, _SECTIONS) or f"sections are: {', '.join(_SECTIONS)}"
            problems.add("this line is in no section", line.number, text=line.text, hint=hint)
    features.finish()
    if features.root is None:
        problems.add("the model has no features", hint="they are below the line 'features'")
        problems.raise_if_any()
    assert features.root is not None
    if ROOT in features.features:
        features.features[ROOT].name = assembly.root_name(features.features)
    values = FeatureValues(features.features, features.types, features.numbers)
    names = _names(features, values)
    formulas: list[tuple[Formula, Sequence[UvlToken]]] = []
    for tokens in (*constraint_tokens, *features.constraints):
        try:
            formulas.append((ExpressionParser(tokens, names).formula(), tokens))
        except InputError as error:
            problems.include(error)
    domains = {name: Domain(whole=kind == "Integer") for name, kind in features.types.items() if kind != "String"}
    formulas = [(stated_values(formula, domains), tokens) for formula, tokens in formulas]
    _set_values(features, domains, assembly)
    assembly.optional = assembly.values.keys() - always_selected(features.root)
    for formula, tokens in formulas:
        assembly.require(formula, tokens[0].line, text_of(tokens))
    return assembly.tree(name or features.root.name or name_of(source), features.root)


def _set_values(features: FeatureLines, domains: Mapping[str, Domain], assembly: Assembly) -> None:
    """Set the values of features that are numbers; note what has no effect."""
    problems = assembly.problems
    if features.attributes:
        count = plural(len(features.attributes), "attribute is", "attributes are")
        lines = listed([str(number) for number in dict.fromkeys(features.attributes)])
        assembly.notes.append(f"{count} used in constraints only (in line {lines})")
    for name, kind in features.types.items():
        feature = features.features[name]
        if kind == "String":
            assembly.notes.append(f"line {feature.line}: the text of the feature {name!r} has no effect")
            continue
        values = domains[name].values()
        if feature.groups or feature is features.root:
            message = f"the feature {name!r} has a number, and features below it"
            problems.add(message, feature.line, hint="write the features beside it, and constraints")
        elif values is None:
            hint = f"state its values in a constraint: {name} == 1 | {name} == 2, or {name} >= 1 & {name} <= 8"
            message = f"the feature {name!r} has a number, which may be any one"
            problems.add(message, feature.line, hint=hint if kind == "Integer" else hint.partition(", or")[0])
        elif not values:
            problems.add(f"the constraints leave no value of the feature {name!r}", feature.line)
        else:
            feature.values = assembly.values[feature.name] = values
    for parent in features.features.values():
        for group in parent.groups:
            if group.lower not in {0, len(group.members)} or group.upper < len(group.members):
                for member in group.members:
                    if member.name in domains:
                        message = f"the feature {member.name!r} has a number, and is an alternative to others"
                        problems.add(message, member.line, hint="write it into a group below a feature of the group")


def _names(features: FeatureLines, values: FeatureValues) -> Names:
    """Return the meaning of names in constraints."""

    def literal(name: str) -> Formula | None:
        feature = features.features.get(name)
        return None if feature is None else OptionLiteral(feature.name, True)

    return Names(literal, values.value, values.total, lambda name: nearest(name, features.features))
