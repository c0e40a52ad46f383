"""Tokens of UVL, the universal variability language: lines by indentation, each with its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from splc.errors import Problems
from splc.io.files import Source

_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+|//[^\n]*)
    |(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<newline>\n)
    |(?P<name>"[^"\n]*"|(?!\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))\w[\w#§%?\\';]*)
    |(?P<text>'[^'\n]*')
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<sign><=>|=>|==|!=|<=|>=|\.\.|[()\[\]{},.!&|<>+\-*/])
    |(?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_TAB = 8
# Signs without a space before them, and those without a space after them.
_TIGHT_BEFORE = frozenset({")", ",", "]", ".", ".."})
_TIGHT_AFTER = frozenset({"(", "!", "[", ".", ".."})


@dataclass(frozen=True, slots=True)
class UvlToken:
    """A token: `kind` is 'name', 'text', 'number', 'sign' or 'end'; a name has no quotes."""

    kind: str
    text: str
    line: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class UvlLine:
    """A logical line: brackets continue it over several lines of the file."""

    number: int
    indent: int
    tokens: list[UvlToken]

    @property
    def text(self) -> str:
        """The line as text."""
        return text_of(self.tokens)


def text_of(tokens: Iterable[UvlToken]) -> str:
    """Return tokens as text."""
    text = ""
    previous: UvlToken | None = None
    for token in tokens:
        token_text = f'"{token.text}"' if token.quoted else f"'{token.text}'" if token.kind == "text" else token.text
        tight = previous is None or token_text in _TIGHT_BEFORE or previous.text in _TIGHT_AFTER
        # The name of a function.
        tight = tight or (token_text == "(" and previous is not None and previous.kind == "name")
        text += token_text if tight else f" {token_text}"
        previous = token
    return text


def lines_of(source: Source, problems: Problems) -> Iterator[UvlLine]:
    """Yield the lines of a file that are not empty; add a problem for each sign that has no meaning."""
    text = source.text().replace("\r\n", "\n").replace("\r", "\n")
    number, start, depth = 1, 0, 0
    tokens: list[UvlToken] = []
    first = 0
    opened: UvlToken | None = None
    for match in _TOKEN.finditer(text):
        kind, value = str(match.lastgroup), match[0]
        if kind == "newline":
            if not depth and tokens:
                yield UvlLine(tokens[0].line, _columns(text[start:first]), tokens)
                tokens = []
            number += 1
            if not tokens:
                start = match.end()
        elif kind == "comment":
            if not value.endswith("*/") or len(value) < 4:
                problems.add("the comment is not closed", number, text=value, hint="end it with */")
            number += value.count("\n")
        elif kind == "wrong":
            reason = "the quote is not closed" if value in "\"'" else f"{value!r} has no meaning in UVL"
            problems.add(reason, number, text=_line_at(text, match.start()))
        elif kind != "space":
            if not tokens:
                first = match.start()
                # A comment over several lines may stand before.
                start = max(start, text.rfind("\n", 0, first) + 1)
            token = _token(kind, value, number)
            tokens.append(token)
            if kind == "sign":
                if value in "{[(":
                    opened = opened if depth else token
                    depth += 1
                elif value in "}])":
                    depth = max(depth - 1, 0)
    if depth and opened is not None:
        problems.add(f"{opened.text!r} is not closed", opened.line, text=_line_number(text, opened.line))
    elif tokens:
        yield UvlLine(tokens[0].line, _columns(text[start:first]), tokens)


def _token(kind: str, value: str, number: int) -> UvlToken:
    if kind == "name" and value.startswith('"'):
        return UvlToken(kind, " ".join(value[1:-1].split()), number, quoted=True)
    return UvlToken(kind, value[1:-1] if kind == "text" else value, number)


def _columns(space: str) -> int:
    """Return the width of the space before a line: a tab ends at a multiple of 8."""
    width = 0
    for character in space:
        width += _TAB - width % _TAB if character == "\t" else 1
    return width


def _line_number(text: str, number: int) -> str:
    return text.split("\n")[number - 1].strip()


def _line_at(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()
