"""Output on the terminal: tables on stdout, notes on stderr, in how much detail; colours repeat what words state."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from splc.errors import listed, plural

if TYPE_CHECKING:
    from splc.workflows.note import Note
    from splc.workflows.views import Detail

Style = Literal["answer", "raises", "lowers", "warning", "error"]
# Codes of ANSI terminals; red and blue are told apart by most colour-blind readers.
CODES: dict[Style, str] = {"answer": "1", "raises": "31", "lowers": "34", "warning": "33", "error": "31"}
INDENT = "    "
UNLIMITED = 100_000  # the width of tables without a terminal, where nothing is wrapped or cut
# The least width of a text column; rich puts two spaces between columns.
MIN_WIDTH, COLUMN_GAP = 12, 2
TERMINAL_GAP = 3  # the spaces between columns on a terminal; one more is before the first column
_STYLES = {None: "", "raises": "red", "lowers": "blue"}  # styles of rich, which are those of `CODES`
MANY = 1000  # tables of more lines are not wrapped
# Characters that terminals act on: control characters (C0, DEL, C1), and those that change the direction of text.
_ACTING = [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
# As in JSON and in Python's strings.
_ESCAPES = {code: f"\\u{code:04x}" for code in _ACTING}
_CURRENT: ContextVar[Detail | None] = ContextVar("detail", default=None)


def detail() -> Detail:
    """Return how much the running command prints."""
    from splc.workflows.views import Detail

    return _CURRENT.get() or Detail()


@contextmanager
def printing(detail: Detail) -> Iterator[None]:
    """Print as much as `detail` says while the block runs."""
    token = _CURRENT.set(detail)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def has_colours(stream: Any) -> bool:
    """Return whether a stream gets colours: a terminal, unless NO_COLOR is set; any stream, if FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def styled(text: str, style: Style | None, stream: Any) -> str:
    """Return a text in a style, where the stream gets colours."""
    if style is None or not text or not has_colours(stream):
        return text
    return f"\x1b[{CODES[style]}m{text}\x1b[0m"


def wrapped(text: str, stream: Any) -> str:
    """Return prose with line breaks between words, as wide as the terminal; unchanged without one."""
    # Commands in texts can be copied.
    if not stream.isatty() or "splc " in text:
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(
        line if len(line) <= width else textwrap.fill(line, width, subsequent_indent=INDENT, break_on_hyphens=False)
        for line in text.split("\n")
    )


def sign_style(cell: str) -> Style | None:
    """Return the style of a number: whether it raises or lowers."""
    if cell.startswith("-"):
        return "lowers"
    return "raises" if cell[:1].isdigit() or cell.startswith("+") else None


def printable(text: str) -> str:
    """Return a text with escapes instead of characters that terminals act on: names in files may contain them."""
    if text.isprintable():
        return text
    return text.translate(_ESCAPES)


def say(text: str = "", style: Style | None = None) -> None:
    """Print a line of the result to stdout."""
    print(styled(printable(text), style, sys.stdout))


def tell(text: str, style: Style | None = None) -> None:
    """Print a sentence of the result to stdout, with line breaks where the terminal is narrow."""
    print(styled(wrapped(printable(text), sys.stdout), style, sys.stdout))


def complain(text: str) -> None:
    """Print a message to stderr; one that cannot be written there is lost, and changes no exit code."""
    shown_text = printable(text)
    for word in ("warning", "error"):
        if shown_text.startswith(f"{word}: "):
            shown_text = styled(word, word, sys.stderr) + shown_text.removeprefix(word)
    try:
        print(shown_text, file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr)


def abandon(stream: Any) -> None:
    """Discard the buffer of a stream, so that the interpreter does not fail at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def note(text: str) -> None:
    """Print a note to stderr, unless -q."""
    if not detail().quiet:
        sys.stdout.flush()
        complain(wrapped(f"note: {text}", sys.stderr))


def warn(text: str) -> None:
    """Print a warning to stderr."""
    complain(wrapped(f"warning: {text}", sys.stderr))


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[bool],
    signed: Sequence[bool] = (),
    optional: Sequence[int] = (),
) -> None:
    """Print a table to stdout, without empty columns; its width is that of the terminal, if there is one."""
    coloured = has_colours(sys.stdout)
    terminal = sys.stdout.isatty()
    lines = [[printable(cell) for cell in row] for row in rows]
    columns = [printable(column) for column in columns]
    if not lines:
        return
    filled = [index for index in range(len(columns)) if any(row[index] for row in lines)]
    is_simple = len(lines) > MANY or not (terminal or (coloured and any(signed)))
    if is_simple and all(map(_is_plain, itertools.chain(columns, *lines))):
        _plain_table([columns, *lines], filled, [right[index] for index in filled])
        return
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text

    widths = [max(map(cell_len, cells)) for cells in zip(columns, *lines, strict=True)]
    left_out = _left_out(widths, filled, optional) if terminal else []
    filled = [index for index in filled if index not in left_out]
    style = "bold" if terminal and coloured else ""
    signs = signed or [False] * len(columns)
    grid = Table(box=box.SIMPLE_HEAD if terminal else None, pad_edge=False, header_style=style)
    narrowest = 1 - TERMINAL_GAP
    for index in filled:
        number = right[index]
        # Numbers are not wrapped.
        min_width = widths[index] if number else min(widths[index], MIN_WIDTH)
        narrowest += min_width + TERMINAL_GAP
        justify: JustifyMethod = "right" if number else "left"
        grid.add_column(columns[index], justify=justify, overflow="fold", no_wrap=number, min_width=min_width)
    for row in lines:
        cells = (Text(row[index], _STYLES[sign_style(row[index]) if signs[index] else None]) for index in filled)
        grid.add_row(*cells)
    # Rich reads the environment variables for colours in another order.
    kind = partial(Console, highlight=False, force_terminal=coloured or None, no_color=not coloured)
    console = kind(width=None if terminal else UNLIMITED)
    if terminal and narrowest > console.width:
        # The terminal wraps a table that does not fit.
        console = kind(width=UNLIMITED)
    with console.capture() as captured:
        console.print(grid)
    for line in captured.get().splitlines():
        if line.strip():
            print(line.rstrip())
    if left_out:
        tell(f"for lack of width, without the columns: {listed([columns[index] for index in left_out])}")


def _left_out(widths: Sequence[int], filled: Sequence[int], optional: Sequence[int]) -> list[int]:
    """Return the optional columns that are left out so that a table fits the terminal, as far as that suffices."""
    omitted: list[int] = []
    width = sum(widths[index] + TERMINAL_GAP for index in filled) + 1 - TERMINAL_GAP
    for index in optional:
        if index in filled and width > shutil.get_terminal_size().columns:
            omitted.append(index)
            width -= widths[index] + TERMINAL_GAP
    return omitted


def _is_plain(cell: str) -> bool:
    """Return whether a cell is one line, as wide as it has characters, and does not end with a space."""
    return cell.isascii() and cell.isprintable() and not cell.endswith(" ")


def _plain_table(lines: Sequence[Sequence[str]], filled: Sequence[int], right_aligned: Sequence[bool]) -> None:
    """Print lines without wrapping, as rich does without a terminal, which takes a hundred times as long."""
    widths = [max(len(row[index]) for row in lines) for index in filled]
    columns = list(zip(filled, widths, right_aligned, strict=True))
    for row in lines:
        cells = [row[index].rjust(width) if number else row[index].ljust(width) for index, width, number in columns]
        if text := (" " * COLUMN_GAP).join(cells).rstrip():
            print(text)


def show_notes(notes: Iterable[Note]) -> None:
    """Print notes to stderr, the most important first, at most five without -v; with -q those on the exit code only."""
    from splc.workflows.note import MAX_NOTES, ranked

    output_detail = detail()
    ranked_notes = ranked(entry for entry in notes if entry.negative or not output_detail.quiet)
    shown_notes = ranked_notes[: None if output_detail.verbose else MAX_NOTES]
    # On a terminal notes are below the result.
    sys.stdout.flush()
    for entry in shown_notes:
        settings = [f"    try --set {name}={str(value).lower()}" for name, value in entry.settings]
        first, *details = str(entry).split("\n")
        complain("\n".join([wrapped(first, sys.stderr), *details, *settings]))
    if len(shown_notes) < len(ranked_notes):
        note(f"{plural(len(ranked_notes) - len(shown_notes), 'more note', 'more notes')} with -v")
