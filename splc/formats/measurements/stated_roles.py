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
    stated = source.stated if isinstance(source, TableSource) else None
    if stated is None:
        return choice
    choice = choice.among((*stated.options, *stated.contexts, *stated.properties))
    mentioned = {*choice.named, *choice.ignore, *choice.options, nfp}
    options = tuple(name for name in stated.options if name not in mentioned)
    known = ColumnChoice(
        tuple(name for name in stated.contexts if name not in mentioned),
        properties=tuple(name for name in stated.properties if name not in choice.options),
    )
    found = choice.over(known.lenient)
    return replace(found, options=(*choice.options, *options), optional=found.optional.union(options))


def with_contexts(choice: ColumnChoice, source: Source, system: VariabilityModel) -> ColumnChoice:
    """Return the roles that the user chose, completed by the contexts that the format of the file states."""
    stated = source.stated if isinstance(source, TableSource) else None
    if stated is None:
        return choice
    mentioned = {*choice.named, *choice.ignore, *system.spellings}
    return choice.over(ColumnChoice(tuple(name for name in stated.contexts if name not in mentioned)).lenient)
