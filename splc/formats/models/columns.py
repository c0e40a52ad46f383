"""The columns of the measurements that a model was learned from, as its file states them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from splc.formats.measurements.columns import ColumnChoice


def stated_columns(stated: Any) -> ColumnChoice:
    """Return the roles of columns that a file states as `contexts` and `columns`; damaged content is ignored."""
    facts = stated if isinstance(stated, dict) else {}
    contexts, columns = facts.get("contexts"), facts.get("columns")
    items = contexts.items() if isinstance(contexts, dict) else ()
    columns_table = columns if isinstance(columns, dict) else {}
    return ColumnChoice(
        usual={name: value for name, value in items if isinstance(value, str)},
        options=_names(columns_table.get("options")),
        ignore=_names(columns_table.get("ignore")),
        constraints=columns_table.get("constraints") is not False,
        mined=columns_table.get("mined") is True,
    )


def columns_in_lines(texts: Mapping[str, str]) -> ColumnChoice:
    """Return the roles that the lines of a log state; a line that is not JSON states nothing."""
    facts = {}
    for key, text in texts.items():
        with suppress(ValueError, RecursionError):
            facts[key] = json.loads(text)
    return stated_columns(facts)


def _names(content: Any) -> tuple[str, ...]:
    return tuple(name for name in content if isinstance(name, str)) if isinstance(content, list) else ()


def columns_object(contexts: Mapping[str, str], choice: ColumnChoice, *, mined: bool = False) -> dict[str, Any]:
    """Return the roles of columns in JSON's types, as far as there are any."""
    roles = {"options": list(choice.options), "ignore": list(choice.ignore)}
    columns: dict[str, Any] = {role: names for role, names in roles.items() if names}
    if not choice.constraints:
        columns["constraints"] = False
    if mined:
        columns["mined"] = True
    return {**({"contexts": dict(contexts)} if contexts else {}), **({"columns": columns} if columns else {})}


def choice_of(learned: Iterable[ColumnChoice]) -> ColumnChoice:
    """Return the roles that models give the columns of further measurements, which may lack them.

    A context has no usual value if the models were learned from different ones.
    """
    choices = [*learned]
    usual: dict[str, str | None] = {}
    for name, value in chain.from_iterable(choice.usual.items() for choice in choices):
        usual[name] = value if usual.get(name, value) == value else None
    return ColumnChoice(
        ignore=tuple(dict.fromkeys(chain.from_iterable(choice.ignore for choice in choices))),
        options=tuple(dict.fromkeys(chain.from_iterable(choice.options for choice in choices))),
        usual=usual,
        constraints=all(choice.constraints for choice in choices),
        mined=any(choice.mined for choice in choices),
    ).lenient
