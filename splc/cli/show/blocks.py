"""Blocks of text output of commands that are no verbs yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from splc.cli.printer import print_item
from splc.io.tables import Table
from splc.workflows.view import (
    ALL_IN_JSON,
    Column,
    Entries,
    Facts,
    Rows,
    Wide,
    columns,
    counted,
    interval_text,
    narrowed,
    table_of,
    value_text,
)

__all__ = ["Column", "columns", "counted", "interval_text", "narrowed", "table_of", "value_text"]


def show_rows(rows: Iterable[Any], shown: Sequence[Column], most: int | None = None, more: str = ALL_IN_JSON) -> None:
    """Print a table of results."""
    print_item(Rows(rows, shown, most, more))


def show_table(shown: Table, *optional: str) -> None:
    """Print a table."""
    print_item(Wide(shown, optional))


def show_facts(facts: Iterable[tuple[str, Any]]) -> None:
    """Print names with their values."""
    print_item(Facts(facts))


def show_list(title: str, entries: Iterable[str], most: int | None = None, more: str = ALL_IN_JSON) -> None:
    """Print a title and an indented line per entry."""
    print_item(Entries(title, entries, most, more))
