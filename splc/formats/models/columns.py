"""The columns of the measurements that a model was learned from, as its file states them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from splc.formats.measurements.columns import ColumnChoice


@dataclass(frozen=True)
class LearnedColumns:
    """The roles of columns in the measurements that a model was learned from."""

    contexts: Mapping[str, str] = field(default_factory=dict)  # context (version, workload) → the value of the rows
    options: tuple[str, ...] = ()  # columns that were named as options of a system without a description
    ignored: tuple[str, ...] = ()  # columns that were not read
    constraints: bool = True  # whether constraints were inferred, where there was no description
    mined: bool = False  # whether some were found, so that they may be wrong

    @classmethod
    def of(cls, stated: Any) -> LearnedColumns:
        """Return what a file states as `contexts` and `columns`; damaged content is ignored."""
        facts = stated if isinstance(stated, dict) else {}
        contexts, columns = facts.get("contexts"), facts.get("columns")
        items = contexts.items() if isinstance(contexts, dict) else ()
        columns_table = columns if isinstance(columns, dict) else {}
        return cls(
            {name: value for name, value in items if isinstance(value, str)},
            _names(columns_table.get("options")),
            _names(columns_table.get("ignore")),
            columns_table.get("constraints") is not False,
            columns_table.get("mined") is True,
        )

    @classmethod
    def of_texts(cls, texts: Mapping[str, str]) -> LearnedColumns:
        """Return what the lines of a log state; a line that is not JSON states nothing."""
        facts = {}
        for key, text in texts.items():
            try:
                facts[key] = json.loads(text)
            except (ValueError, RecursionError):
                continue
        return cls.of(facts)


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


def choice_of(learned: Iterable[LearnedColumns]) -> ColumnChoice:
    """Return the roles that models give the columns of further measurements, which may lack them.

    A context has no usual value if the models were learned from different ones.
    """
    usual_values: dict[str, str | None] = {}
    options: dict[str, None] = {}
    ignored: dict[str, None] = {}
    constraints, mined = True, False
    for columns in learned:
        constraints, mined = constraints and columns.constraints, mined or columns.mined
        for name, value in columns.contexts.items():
            usual_values[name] = value if usual_values.get(name, value) == value else None
        options |= dict.fromkeys(columns.options)
        ignored |= dict.fromkeys(columns.ignored)
    choice = ColumnChoice(
        ignore=tuple(ignored), options=tuple(options), usual=usual_values, constraints=constraints, mined=mined
    )
    return choice.lenient
