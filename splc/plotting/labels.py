"""Labels of charts: their width, and texts from files as one line that can be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from html import escape

# Widths of characters as parts of the font size, of a sans serif font; rather too wide than too narrow.
_NARROW, _WIDE = frozenset("iIjlft.,:;'|![]() "), frozenset("mwMW@%&—…")


def visible(text: str) -> str:
    r"""Return a text as one line; what has no picture of its own (controls, directions) is written as `\u202e`."""
    joined = " ".join(text.split())
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in joined)


def escaped(text: str) -> str:
    """Return a text of `visible` with the escapes of elements and quoted attributes of XML and HTML."""
    return escape(visible(text)).replace("&#x27;", "&#39;")


def text_width(text: str, size: float) -> float:
    """Return about the width of a text in pixels, at a font size in pixels."""
    total = 0.0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            total += 1.0
        elif character in _NARROW:
            total += 0.34
        elif character in _WIDE:
            total += 0.92
        else:
            total += 0.7 if character.isupper() else 0.62
    return total * size


def fitted(text: str, width: float, size: float) -> str:
    """Return a text of `visible`, shortened in the middle until it is at most about `width` pixels wide."""
    text = visible(text)
    most = len(text)
    shown = text
    while most > 1 and text_width(shown, size) > width:
        most -= 1
        begin = most // 2
        # Names differ more often at the beginning or the end than in the middle.
        shown = f"{text[:begin]}…{text[len(text) - (most - 1 - begin) :]}"
    return shown


def text_lines(text: str, width: float, size: float) -> list[str]:
    """Return a text of `visible` in lines of words that are at most about `width` pixels wide."""
    return lines_of(visible(text), lambda line: text_width(line, size) <= width, lambda word: fitted(word, width, size))


def lines_of(text: str, fits: Callable[[str], bool], shortened: Callable[[str], str]) -> list[str]:
    """Return a text in lines of words that fit; a word that does not is shortened."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fits(longer):
            lines[-1] = longer
        else:
            lines.append(shortened(word))
    return lines
