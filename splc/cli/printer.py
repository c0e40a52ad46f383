"""The printer of views: the result goes to stdout, or its JSON object with `--json`, and messages go to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from splc.cli.terminal import complain, detail, note, printable, say, show_notes, table, tell, warn
from splc.io.files import STANDARD
from splc.io.tables import Table
from splc.workflows import views
from splc.workflows.views import Item, Rows, View


def print_view(view: View, json_object: Mapping[str, Any] | None = None) -> int:
    """Print a view, and return the exit code of the command."""
    items: Iterable[Item] = view
    if json_object is not None:
        items = list(view)
        written = [item for item in items if isinstance(item, views.Output) and item.file not in (None, STANDARD)]
        for item in written:
            print_item(item)
        print_json(json_object)
        items = [
            item for item in items if isinstance(item, tuple | views.End | views.Failed) or getattr(item, "json", False)
        ]
    return max((print_item(item) for item in items), default=0)


def print_item(item: Item) -> int:
    """Print an item, and return the exit code that it asks for."""
    match item:
        case str():
            say(item)
        case views.Prose():
            tell(item.text, "answer" if isinstance(item, views.Answer) else None)
        case Rows():
            _print_rows(item)
        case Table():
            _print_rows(views.rows_of(item))
        case views.Facts():
            pairs = [(name, value) for name, value in item.pairs if value is not None]
            width = max((len(name) for name, _ in pairs), default=0)
            for name, value in pairs:
                tell(f"{name:{width}}  {views.value_text(value)}")
        case views.Entries():
            lines = [f"  {entry}" for entry in item.entries]
            if lines:
                say("\n" + "\n".join([item.title, *lines[: item.most]]))
            if item.most is not None and len(lines) > item.most:
                say(f"  … {len(lines) - item.most:,} more ({item.more})")
        case views.Output():
            file = STANDARD if item.file is None else item.file
            item.write(file)
            if item.content and file != STANDARD:
                note(f"{item.content} written to {file}")
        case views.Message():
            {"note": note, "warning": warn, "line": complain}[item.kind](item.text)
        case tuple():
            show_notes(item)
            return int(any(entry.negative for entry in item))
        case views.NextSteps():
            steps = list(item.steps)
            if steps and detail().interactive:
                width = max(len(step.command) for step in steps)
                sys.stdout.flush()
                complain("\n".join(["next:", *(f"    {step.command:{width}}  # {step.purpose}" for step in steps)]))
        case views.End():
            return item.code
        case views.Failed():
            raise item.error
    return 0


def _print_rows(item: Rows) -> None:
    if item.caption:
        say(item.caption)
    results = list(item.rows)
    head = results if item.most is None else results[: item.most]
    shown = item.columns
    lines, right = views.rendered(head, shown)
    optional = sorted((at for at, column in enumerate(shown) if column.optional), key=lambda at: shown[at].optional)
    table([column.title for column in shown], lines, right, [column.signed for column in shown], optional)
    if len(head) < len(results):
        say(f"… {len(results) - len(head):,} more ({item.more})")


def print_json(content: Mapping[str, Any]) -> None:
    """Print an object of JSON's types to stdout; an iterator is a long list with one entry per line."""
    streamed_key = next((name for name, value in content.items() if isinstance(value, Iterator)), None)
    if streamed_key is None:
        print(_text(content))
        return
    finite_content = {name: value for name, value in content.items() if name != streamed_key}
    print(_text(finite_content)[: -len("\n}")] + f',\n  "{streamed_key}": [', end="")
    separator = "\n    "
    for entry in content[streamed_key]:
        print(separator + _text(entry, None), end="")
        separator = ",\n    "
    print("\n  ]\n}")


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    # The JSON module escapes control characters up to 0x1f only.
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    # Bytes of file names that are not UTF-8 are lone surrogates, which JSON escapes.
    return printable(text.encode("utf-8", "backslashreplace").decode("utf-8"))
