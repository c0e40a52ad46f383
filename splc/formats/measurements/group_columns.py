"""Columns of alternative groups: one column with the selected child's text instead of a column per child."""

from __future__ import annotations

from collections.abc import Sequence

from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


def with_children(
    system: VariabilityModel, header: Sequence[str], columns: Sequence[Sequence[str]]
) -> tuple[list[str], list[Sequence[str]]]:
    """Return the columns of a table, with columns of zeros and ones for the children of groups that have one column.

    The column of an option is that of its group if its children have no columns and some of its cells name a child, by
    its output string, its name, or its name without that of the option. Other texts are kept: they are wrong values.
    """
    names, cells = list(header), list(columns)
    present = {system.spellings.get(name, name) for name in header}
    for parent, children in _groups(system).items():
        if parent not in present or any(child.name in present for child in children):
            continue
        at = next(at for at, name in enumerate(header) if system.spellings.get(name) == parent)
        child_of = _texts(parent, children)
        distinct = {text: child_of.get(text.strip()) for text in set(cells[at])}
        if not any(distinct.values()):
            continue
        chosen = [distinct[text] for text in cells[at]]
        for child in children:
            names.append(child.name)
            cells.append(["1" if name == child.name else "0" for name in chosen])
        optional = parent not in system.mandatory
        plain = {
            text: "1" if child else "0" if optional and not text.strip() else text for text, child in distinct.items()
        }
        cells[at] = [plain[text] for text in cells[at]]
    return names, cells


def _groups(system: VariabilityModel) -> dict[str, list[BinaryOption]]:
    """Return parent → its children, if exactly one of these is selected wherever the parent is."""
    children: dict[str, list[BinaryOption]] = {}
    for option in system.binary_options:
        if option.parent is not None:
            children.setdefault(option.parent, []).append(option)
    return {
        parent: members
        for parent, members in children.items()
        if all(not child.optional and len(system.alternatives(child)) == len(members) - 1 for child in members)
    }


def _texts(parent: str, children: Sequence[BinaryOption]) -> dict[str, str]:
    """Return text → child; a text that two children could have is the first one's."""
    found: dict[str, str] = {}
    for child in children:
        if child.presentation.output_string:
            found.setdefault(child.presentation.output_string.strip(), child.name)
    for child in children:
        found.setdefault(child.name, child.name)
    for child in children:
        short = child.name.removeprefix(parent).lstrip("_-.:= ")
        if short != child.name and short:
            found.setdefault(short, child.name)
    return found
