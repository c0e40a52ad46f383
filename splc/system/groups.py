"""Alternative groups that consist of all children of an option, and the texts that stand for the children in tables."""

from __future__ import annotations

from collections.abc import Sequence

from splc.errors import listed
from splc.system.definition import child_name
from splc.system.options import BinaryOption, Presentation
from splc.system.variability import VariabilityModel


def child_groups(system: VariabilityModel) -> dict[str, list[BinaryOption]]:
    """Return parent → its children, if exactly one of these is selected wherever the parent is."""
    return {parent: list(children) for parent, children in system.child_groups.items()}


def text_groups(system: VariabilityModel) -> dict[str, list[BinaryOption]]:
    """Return parent → its children for options that have texts as values, such as those of a column of text."""
    return {
        parent: children
        for parent, children in child_groups(system).items()
        if all(_is_text_child(parent, child) for child in children)
    }


def _is_text_child(parent: str, child: BinaryOption) -> bool:
    """Return whether an option was made for a text, and numbered if the name was taken (`alternative_options`)."""
    text = child.presentation.output_string
    if not text or child.presentation != Presentation(text):
        return False
    rest = child.name.removeprefix(child_name(parent, text))
    return rest != child.name and (not rest or (rest[0] == "_" and rest[1:].isdigit()))


def child_texts(parent: str, children: Sequence[BinaryOption]) -> dict[str, str]:
    """Return text → child; a text that two children could have is the first one's.

    The texts of a child are its output string, its name, and its name without that of the parent.
    """
    texts: dict[str, str] = {}
    for child in children:
        if child.presentation.output_string:
            texts.setdefault(child.presentation.output_string.strip(), child.name)
    for child in children:
        texts.setdefault(child.name, child.name)
    for child in children:
        short = child.name.removeprefix(parent).lstrip("_-.:= ")
        if short != child.name and short:
            texts.setdefault(short, child.name)
    return texts


def wrong_child(parent: str, children: Sequence[BinaryOption], text: str) -> str:
    """Return the message about a text that names no child."""
    texts: dict[str, str] = {}
    for text_of_child, child in child_texts(parent, children).items():
        if child not in texts or texts[child] == child:
            texts[child] = text_of_child
    return f"{parent} cannot be {text!r}; its values are {listed([texts[child.name] for child in children])}"
