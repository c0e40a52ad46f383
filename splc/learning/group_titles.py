"""The titles of alternative groups in outputs."""

from __future__ import annotations

from collections import Counter

from splc.learning.projection import stem_of
from splc.system.groups import child_groups
from splc.system.variability import VariabilityModel


def titled_groups(system: VariabilityModel) -> dict[tuple[str, ...], str]:
    """Return disjoint alternative groups with their titles.

    A title is the parent or the stem of the members' names; if another title or option is equal, all members.
    """
    titles: dict[tuple[str, ...], str] = {}
    complete_groups = child_groups(system)
    for group in system.alternative_groups:
        if any(set(group) & set(other_group) for other_group in titles):
            continue
        title, parent = stem_of(group), system.option(group[0]).parent
        if parent is not None and parent in complete_groups and all(name.startswith(parent) for name in group):
            # Measurements and --fix use this name: codec=lz4.
            title = parent
        # A stem of the first name alone, such as `codec_lz` of `codec_lz4` and `codec_zstd`, is no name of the group.
        elif title in group or len({stem_of((name,)) for name in group}) > 1:
            title = parent or "|".join(group)
        titles[group] = title
    grouped = {name for group in titles for name in group}
    # Options that every configuration has are in no model.
    ungrouped = {name for name in system.names if name not in grouped and name not in system.mandatory}
    title_counts = Counter([*titles.values(), *ungrouped])
    return {group: "|".join(group) if title_counts[title] > 1 else title for group, title in titles.items()}


def group_titles(system: VariabilityModel) -> dict[str, str]:
    """Return member → title of its alternative group."""
    return {name: title for group, title in titled_groups(system).items() for name in group}
