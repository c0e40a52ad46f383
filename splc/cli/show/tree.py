"""The options of a system as a tree of lines, cut at a depth; long lists of options are one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

# More options without children than these, side by side, are one line.
MAX_LINES = 12
LISTED = 6
SHOWN_VALUES = 6


def tree_lines(system: VariabilityModel, depth: int) -> Iterator[str]:
    """Yield the lines of the tree of a system's options.

    Args:
        system: the system.
        depth: the number of levels of binary options.
    """
    children: dict[str | None, list[BinaryOption]] = {}
    for option in system.binary_options:
        children.setdefault(option.parent, []).append(option)
    yield system.name
    yield from _below(system, children, None, depth, "  ")
    numeric = system.numeric_options
    for feature in numeric[:MAX_LINES]:
        yield f"  {feature.name}: {shown_values(feature)}" + (" or deselected" if feature.optional else "")
    if len(numeric) > MAX_LINES:
        yield f"  … {_counted(len(numeric) - MAX_LINES)} with numbers: {_names(numeric[MAX_LINES:])}"


def _below(
    system: VariabilityModel,
    children: dict[str | None, list[BinaryOption]],
    parent: str | None,
    depth: int,
    indent: str,
) -> Iterator[str]:
    """Yield the lines of the children of an option."""
    options = children.get(parent, [])
    if options and depth == 0:
        yield f"{indent}… {_counted(_descendants(children, parent))} below"
        return
    grouped = [option for option in options if system.alternatives(option)]
    singles = [option for option in options if not system.alternatives(option)]
    shown: set[str] = set()
    for option in grouped:
        if option.name in shown:
            continue
        members = [member for member in grouped if member.name in (option.name, *system.alternatives(option))]
        shown |= {member.name for member in members}
        yield f"{indent}one of {len(members):,}: {_names(members)}"
        for member in members:
            if member.name in children:
                yield f"{indent}  {member.name}"
                yield from _below(system, children, member.name, depth - 1, f"{indent}    ")
    leaves = [option for option in singles if option.name not in children]
    for role in (False, True):
        of_role = [option for option in leaves if option.optional is role]
        if len(of_role) > MAX_LINES:
            kind = "optional" if role else "mandatory"
            yield f"{indent}{_counted(len(of_role), kind)}: {_names(of_role)}"
            singles = [option for option in singles if option not in of_role]
    for option in singles:
        yield f"{indent}{option.name}" + (" (optional)" if option.optional else "")
        yield from _below(system, children, option.name, depth - 1, f"{indent}  ")


def _descendants(children: dict[str | None, list[BinaryOption]], parent: str | None) -> int:
    count, pending = 0, list(children.get(parent, []))
    while pending:
        option = pending.pop()
        count += 1
        pending += children.get(option.name, [])
    return count


def _counted(count: int, kind: str = "") -> str:
    kind = f"{kind} " if kind else ""
    return f"{count:,} {kind}{'option' if count == 1 else 'options'}"


def _names(options: Sequence[object]) -> str:
    names = [getattr(option, "name", "") for option in options]
    return ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")


def shown_values(option: NumericOption) -> str:
    """Return an option's values, without those in the middle if there are many."""
    texts = [f"{value:.12g}" for value in option.values]
    if len(texts) > SHOWN_VALUES + 1:
        texts = [*texts[: SHOWN_VALUES - 1], "…", texts[-1]]
    return ", ".join(texts)
