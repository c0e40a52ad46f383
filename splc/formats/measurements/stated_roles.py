"""The roles of columns that the format of a file states, below those that the user chose."""

from __future__ import annotations

from dataclasses import replace

from splc.formats.benchmarks.table import TableSource
from splc.formats.measurements.columns import ColumnChoice
from splc.io.files import Source
from splc.system.variability import VariabilityModel


def with_stated(choice: ColumnChoice, source: Source, nfp: str | None) -> ColumnChoice:
    """Return the roles that the user chose, completed by those that the format of the file states.

    `nfp`: the property that the user named, None if there is none.
    """
    roles = source.stated if isinstance(source, TableSource) else None
    if roles is None:
        return choice
    choice = choice.among((*roles.options, *roles.contexts, *roles.properties))
    mentioned = {*choice.named, *choice.ignore, *choice.options, nfp}
    options = tuple(name for name in roles.options if name not in mentioned)
    extra = ColumnChoice(
        tuple(name for name in roles.contexts if name not in mentioned),
        properties=tuple(name for name in roles.properties if name not in choice.options),
    )
    result = choice.over(extra.lenient)
    return replace(result, options=(*choice.options, *options), optional=result.optional.union(options))


def with_contexts(choice: ColumnChoice, source: Source, system: VariabilityModel) -> ColumnChoice:
    """Return the roles that the user chose, completed by the contexts that the format of the file states."""
    roles = source.stated if isinstance(source, TableSource) else None
    if roles is None:
        return choice
    mentioned = {*choice.named, *choice.ignore, *system.spellings}
    return choice.over(ColumnChoice(tuple(name for name in roles.contexts if name not in mentioned)).lenient)
