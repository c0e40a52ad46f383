"""Columns of alternative groups: one column with the selected child's text instead of a column per child."""

from __future__ import annotations

from collections.abc import Sequence

from splc.data.value_texts import TRUTH
from splc.io.cells import CodedTexts, distinct_texts
from splc.io.numbers import parse_number
from splc.system.groups import child_groups, child_texts, text_groups
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


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
