"""Alternative groups: those among columns of zeros and ones, and the texts that stand for the children of an option."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from os.path import commonprefix

import numpy as np

from splc.errors import listed
from splc.system.options import BinaryOption, Presentation, child_name
from splc.system.variability import VariabilityModel
from splc.types import Array

SHORTEST = 2  # the shortest prefix or suffix that relates names
# The most steps of the search among unrelated names, each of which tests all names, and the most of these tests.
MAX_STEPS, MAX_TESTS = 20_000, 50_000_000
# Names without a common part (`mode_`) are a group if fewer than this many such groups are expected by chance.
CHANCE = 0.01
SEPARATORS = frozenset("_-.:=/ ")


@dataclass(frozen=True)
class AlternativeGroup:
    """Options of which exactly one is selected whenever their parent is."""

    members: tuple[str, ...]  # the options, in the order of the columns
    parent: str | None = None  # the option that is selected exactly where a member is, None for the root


@dataclass(frozen=True)
class Alternatives:
    """The alternative groups among columns."""

    groups: tuple[AlternativeGroup, ...]  # disjoint groups
    uncertain: tuple[tuple[str, ...], ...] = ()  # sets that could also be groups: they overlap one, or may be chance


def alternatives_among(names: Sequence[str], selected: Array) -> Alternatives:
    """Return the alternative groups among columns; `selected`: shape (rows, columns), without duplicate rows.

    Names with a common prefix or suffix are preferred. Groups whose names have no common part, such as `mode_` or a
    word before numbers, must not be explained by chance. A parent is a column whose name all members begin with.
    Columns that never vary are in no group.
    """
    rows = len(selected)
    everywhere = (1 << rows) - 1
    # Columns of booleans as the bits of numbers.
    packed = np.packbits(selected, axis=0, bitorder="little")
    masks = {name: int.from_bytes(packed[:, column].tobytes(), "little") for column, name in enumerate(names)}
    positions = {name: position for position, name in enumerate(names)}
    with_mask: dict[int, list[str]] = {}
    for name, mask in masks.items():
        with_mask.setdefault(mask, []).append(name)
    # The keys of a dict are a set that keeps its order.
    free = {name: None for name in names if 0 < masks[name] < everywhere}
    shares = {name: masks[name].bit_count() / rows for name in free}
    groups: list[AlternativeGroup] = []
    keys: tuple[Callable[[str], str], ...] = (str, lambda name: name[::-1])
    for key in keys:
        for beginning, related in _related([*free], key):
            free_names = [name for name in related if name in free]
            covered = reduce(operator.or_, (masks[name] for name in free_names), 0)
            if not free_names or covered.bit_count() < sum(masks[name].bit_count() for name in free_names):
                continue
            members = tuple(sorted(free_names, key=positions.__getitem__))
            parent = _parent(members, [name for name in with_mask.get(covered, []) if name not in members])
            # A beginning is a part of the names if it has a separator, or numbers follow.
            named = SEPARATORS & set(beginning) or all(key(name)[len(beginning) :].isdecimal() for name in members)
            certain = named or len(free) * probability_of_one([shares[name] for name in members]) ** rows <= CHANCE
            if parent is not None or (covered == everywhere and certain):
                groups.append(AlternativeGroup(members, parent))
                for name in members:
                    del free[name]
    uncertain: list[tuple[str, ...]] = []
    grouped: set[str] = set()
    found = _covers([*free], selected[:, [positions[name] for name in free]], masks)
    covers = [tuple(sorted(cover, key=positions.__getitem__)) for cover in found]
    for cover in sorted(covers, key=lambda names: (positions[names[-1]] - positions[names[0]], positions[names[0]])):
        chance = math.comb(len(free), len(cover)) * probability_of_one([shares[name] for name in cover]) ** rows
        if chance > CHANCE or grouped & set(cover):
            uncertain.append(cover)
        else:
            groups.append(AlternativeGroup(cover, _parent(cover, with_mask.get(everywhere, []))))
            grouped |= set(cover)
    ordered = sorted(groups, key=lambda group: positions[group.members[0]])
    return Alternatives(tuple(ordered), tuple(uncertain))


def _related(names: Sequence[str], key: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each beginning (of their `key`) that two names share, with all names that have it."""
    ordered = sorted(map(key, names))
    beginnings = set(map(commonprefix, pairwise(ordered)))
    for beginning in sorted(beginnings, key=lambda text: (len(text), text)):
        if len(beginning) >= SHORTEST:
            first = bisect_left(ordered, beginning)
            end = bisect_right(ordered, beginning, first, key=operator.itemgetter(slice(len(beginning))))
            yield beginning, [key(name) for name in ordered[first:end]]


def _parent(members: Sequence[str], candidates: Sequence[str]) -> str | None:
    """Return the longest candidate whose name all members begin with, None if there is none."""
    fitting = [name for name in candidates if all(member.casefold().startswith(name.casefold()) for member in members)]
    return max(fitting, key=len, default=None)


def _covers(names: Sequence[str], selected: Array, masks: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield sets of disjoint columns that cover every row, found within a limited number of steps.

    `selected`: the columns, shape (rows, names). `masks`: name → its rows as the bits of a number.
    """
    pending: list[tuple[tuple[str, ...], int]] = [((), 0)]
    for _ in range(min(MAX_STEPS, MAX_TESTS // max(len(names), 1))):
        if not pending:
            return
        chosen, covered = pending.pop()
        first = (~covered & (covered + 1)).bit_length() - 1
        if first < len(selected):
            having = (names[at] for at in np.flatnonzero(selected[first]).tolist())
            pending += [((*chosen, name), covered | masks[name]) for name in having if not covered & masks[name]]
        elif len(chosen) > 1:
            yield chosen


def probability_of_one(shares: Sequence[float]) -> float:
    """Return the probability that exactly one of independent options is selected."""
    none = math.prod(1 - share for share in shares)
    return min(none * sum(share / (1 - share) for share in shares), 1.0)


def text_groups(system: VariabilityModel) -> dict[str, tuple[BinaryOption, ...]]:
    """Return parent → its children for options that have texts as values, such as those of a column of text."""
    return {
        parent: children
        for parent, children in system.child_groups.items()
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
    outputs = [((child.presentation.output_string or "").strip(), child.name) for child in children]
    short = [(child.name.removeprefix(parent).lstrip("_-.:= "), child.name) for child in children]
    for text, name in (*outputs, *((child.name, child.name) for child in children), *short):
        if text:
            texts.setdefault(text, name)
    return texts


def wrong_child(parent: str, children: Sequence[BinaryOption], text: str) -> str:
    """Return the message about a text that names no child."""
    texts: dict[str, str] = {}
    for text_of_child, child in child_texts(parent, children).items():
        if child not in texts or texts[child] == child:
            texts[child] = text_of_child
    return f"{parent} cannot be {text!r}; its values are {listed([texts[child.name] for child in children])}"
