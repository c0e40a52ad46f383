"""UVL, the universal variability language: reading."""

from __future__ import annotations

from collections.abc import Sequence

from splc.arithmetic.tree import Node
from splc.errors import InputError, nearest, plural
from splc.formats.system.assembly import Assembly, name_of
from splc.formats.system.uvl_expressions import ExpressionParser, Names
from splc.formats.system.uvl_features import Cursor, FeatureLines
from splc.formats.system.uvl_tokens import Token, lines_of, text_of
from splc.io.files import Source
from splc.system.constraints import OptionLiteral
from splc.system.propositions import Formula
from splc.system.variability import ROOT, VariabilityModel

_SECTIONS = ("namespace", "include", "imports", "features", "constraints")


def parse_uvl(source: Source) -> VariabilityModel:
    """Return the system of a feature model in UVL.

    Raises:
        VariabilityError: with all problems and their lines, also of what cannot be expressed.
    """
    assembly = Assembly(source.name)
    problems = assembly.problems
    features = FeatureLines(problems)
    name = ""
    section = ""
    stated: list[Sequence[Token]] = []
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
            stated.append(line.tokens)
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
    _note_values(features, assembly)
    names = _names(features)
    for tokens in (*stated, *features.constraints):
        try:
            assembly.require(ExpressionParser(tokens, names).formula(), tokens[0].line, text_of(tokens))
        except InputError as error:
            problems.include(error)
    return assembly.tree(name or features.root.name or name_of(source), features.root)


def _note_values(features: FeatureLines, assembly: Assembly) -> None:
    """Note attributes and texts, which have no effect on configurations."""
    if features.attributes:
        count = plural(features.attributes, "attribute is", "attributes are")
        assembly.notes.append(f"{count} used in constraints only")
    for name, kind in features.types.items():
        line = features.features[name].line
        if kind == "String":
            assembly.notes.append(f"line {line}: the text of the feature {name!r} has no effect")
        else:
            hint = "only features that are selected or not are supported"
            assembly.problems.add(f"the feature {name!r} has a value of type {kind}", line, hint=hint)


def _names(features: FeatureLines) -> Names:
    """Return the meaning of names in constraints."""

    def literal(name: str) -> Formula | None:
        feature = features.features.get(name)
        return None if feature is None else OptionLiteral(feature.name, True)

    def value(name: str) -> Node | None:
        return None

    def total(function: str, references: Sequence[str]) -> Node | None:
        return None

    return Names(literal, value, total, lambda name: nearest(name, features.features))
