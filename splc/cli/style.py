"""Colours and line breaks of texts on a terminal. Colours repeat what signs and words state."""

from __future__ import annotations

import os
import shutil
import textwrap
from typing import Any, Literal

Style = Literal["answer", "raises", "lowers", "warning", "error"]
# Codes of ANSI terminals; red and blue are told apart by most colour-blind readers.
CODES: dict[Style, str] = {"answer": "1", "raises": "31", "lowers": "34", "warning": "33", "error": "31"}
INDENT = "    "


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
    """Return prose with line breaks between words, as wide as the terminal; unchanged without one.

    Texts with commands are not wrapped, so that these can be copied.
    """
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
