"""Tokens of arithmetic text: numbers, known names (longest first), functions, operators, comparisons."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from splc.arithmetic.functions import SEVERAL, TABLE, THRESHOLDS
from splc.errors import ExpressionError, Problem, nearest, shorten, unknown_name_hint

FUNCTIONS = tuple(function.name for function in TABLE if function.everywhere)
# The additional functions exist in model text and parameters only: in logs and constraints they are ordinary names.
MODEL_FUNCTIONS = (*FUNCTIONS, *(function.name for function in TABLE if not function.everywhere), *SEVERAL)
COMPARISONS = (">=", "<=", "!=", "==", "=", "<", ">")


@dataclass(frozen=True)
class Token:
    """A token: `kind` is 'number', 'name', 'function', 'op', 'comma', 'cmp' or 'end'."""

    kind: str
    text: str
    at: int


_NUMBER = re.compile(r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_CALL = re.compile(r"\s*\(")
_QUOTED = re.compile(r"`((?:[^`]|``)*)`(?!`)")
_OPERATORS = "+-*/^()"
_BRACKETS = "[]"


def is_word(character: str) -> bool:
    """Return whether a character can belong to a plain name."""
    return character.isalnum() or character == "_"


class NameTable:
    """Finds the longest known name at a position of a text; `names`: spelling → name (usually the same text)."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names: dict[str, str] = {}
        # First character → negated lengths of the names that begin with it, ascending: the longest is tried first.
        self._lengths: dict[str, list[int]] = {}
        # First word → name with single spaces → a pattern that matches it with any whitespace between its words.
        self._spaced: dict[str, dict[str, re.Pattern[str]]] = {}
        # Spelling with single spaces → name; None if several names have this spelling.
        self._single: dict[str, str | None] = {}
        # The length of the longest first word.
        self._longest = 0
        # Unknown name → the offset of its first use, while they are collected; None: an unknown name is an error.
        self.unknown: dict[str, int] | None = None
        for spelling, name in names.items():
            self.add(spelling, name)

    @classmethod
    def plain(cls, names: Iterable[str]) -> NameTable:
        """Return a table of names that have one spelling each."""
        return cls({name: name for name in names})

    def add(self, spelling: str, name: str) -> None:
        """Add a spelling, or change the name it refers to."""
        self.names[spelling] = name
        if spelling:
            lengths = self._lengths.setdefault(spelling[0], [])
            if -len(spelling) not in lengths:
                insort(lengths, -len(spelling))
        words = spelling.split()
        if len(words) > 1:
            single = " ".join(words)
            self._single[single] = name if self._single.get(single, name) == name else None
            pattern = r"[^\S\r\n]+".join(map(re.escape, words))
            self._spaced.setdefault(words[0], {})[single] = re.compile(pattern)
            self._longest = max(self._longest, len(words[0]))

    @property
    def real(self) -> tuple[str, ...]:
        """The distinct names, in alphabetical order."""
        return tuple(sorted(set(self.names.values())))

    def missing(self, text: str, at: int, name: str) -> Token:
        """Return an unknown name as a token where these are collected, else raise the error."""
        if self.unknown is None:
            raise unknown_name(text, at, name, self)
        self.unknown.setdefault(name, at)
        return Token("name", name, at)

    def begins(self, character: str) -> bool:
        """Return whether a known name begins with a character."""
        return character in self._lengths

    def match(self, text: str, at: int) -> str | None:
        """Return the longest known spelling that starts at `at` and ends at a word boundary, or None."""
        for length in self._lengths.get(text[at], ()):
            end = at - length
            spelling = text[at:end]
            # A name that is an operator needs backticks.
            if spelling in self.names and _ends(text, end) and not (len(spelling) == 1 and spelling in _OPERATORS):
                return spelling
        return None

    def meaning(self, spelling: str) -> str | None:
        """Return the name of a spelling, None if unknown; the amount of whitespace matters only if it is ambiguous."""
        return self.names.get(spelling) or self._single.get(" ".join(spelling.split()))

    def find(self, text: str, at: int) -> tuple[str, int] | None:
        """Return the name whose spelling starts at `at` and the length of the spelling (see `match` and `meaning`)."""
        exact = self.match(text, at)
        longest = None if exact is None else (self.names[exact], len(exact))
        first = _WORD.match(text, at, at + self._longest + 1) if self._spaced else None
        for single, pattern in self._spaced.get(first[0], {}).items() if first else ():
            loose = pattern.match(text, at)
            name = self._single[single]
            if loose and name and _ends(text, loose.end()) and (longest is None or loose.end() - at > longest[1]):
                longest = name, loose.end() - at
        return longest


def _ends(text: str, end: int) -> bool:
    """Return whether a name can end at an offset."""
    return not (end < len(text) and is_word(text[end]) and is_word(text[end - 1]))


def problem_at(text: str, at: int, message: str, hint: str | None = None) -> ExpressionError:
    """Return an error that points at offset `at` of `text` by its column (1-based) and the text around it."""
    start = max(0, at - 30)
    around = ("…" if start else "") + text[start : at + 40].replace("\n", " ")
    return ExpressionError(Problem(message, column=at + 1, text=around, hint=hint))


def tokenize(
    text: str, names: NameTable | None, comparisons: bool = False, functions: Sequence[str] = FUNCTIONS
) -> Iterator[Token]:
    """Yield the tokens of `text`, the last of kind 'end'.

    `names`: the known names; None accepts every plain name.
    """
    at = 0
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
        else:
            token, at = _token(text, at, names, comparisons, functions)
            yield token
    yield Token("end", "", len(text))


def _token(
    text: str, at: int, names: NameTable | None, comparisons: bool, functions: Sequence[str]
) -> tuple[Token, int]:
    """Return the token that starts at `at`, and the offset of its end."""
    character, in_model = text[at], "max" in functions
    operators = _OPERATORS + _BRACKETS * in_model
    if character == "`":
        quoted, end = unquoted(text, at)
        meant = names.meaning(quoted) if names else quoted
        return names.missing(text, at, quoted) if names and meant is None else Token("name", meant or quoted, at), end
    is_double = text.startswith("**", at)
    if character in operators and not is_double and not (names and names.begins(character)):
        return Token("op", character, at), at + 1
    known = names.find(text, at) if names else None
    number = _NUMBER.match(text, at)
    if number and (known is None or known[1] <= number.end() - at):
        after = text[number.end() : number.end() + 1]
        if after and is_word(after):
            raise problem_at(text, at, f"{(number.group() + after)!r} is neither a number nor a name")
        return Token("number", number.group(), at), number.end()
    match = PLAIN_NAME.match(text, at)
    word, end = (match.group(), match.end()) if match else ("", at)
    called = match is not None and _CALL.match(text, end) is not None
    # If every plain name is accepted, `max` is a function only when an argument follows.
    is_function = called or (known is None and (names is not None or word in FUNCTIONS))
    if word in functions and is_function and (known is None or known[1] <= len(word)):
        return Token("function", word, at), end
    if known is not None:
        return Token("name", known[0], at), at + known[1]
    if match:
        if called and in_model:
            near = nearest(word, functions)
            known_functions = f"functions are {', '.join(functions)}; write products with *"
            hint = f"{near} {known_functions}" if near else known_functions
            raise problem_at(text, at, f"unknown function {shorten(word, 60)!r}", hint)
        return names.missing(text, at, word) if names else Token("name", word, at), end
    if comparison := next((sign for sign in COMPARISONS if text.startswith(sign, at)), None):
        if not comparisons and not (in_model and comparison in THRESHOLDS):
            raise problem_at(text, at, f"{comparison!r} does not belong in an expression")
        return Token("cmp", comparison, at), at + len(comparison)
    if is_double:
        raise problem_at(text, at, "'**' is not an operator", "write powers as x^2")
    if character == "," and in_model:
        return Token("comma", ",", at), at + 1
    if character not in operators:
        statement = "a statement ends where its line ends" if character == ";" and in_model else None
        raise problem_at(text, at, f"{character!r} does not belong in an expression", statement)
    return Token("op", character, at), at + 1


def unquoted(text: str, at: int) -> tuple[str, int]:
    """Return the name in backticks that starts at `at`, and the offset of its end; a backtick in it is doubled."""
    match = _QUOTED.match(text, at)
    if match is None:
        raise problem_at(text, at, "the backtick is not closed")
    if not match[1]:
        raise problem_at(text, at, "there is no name between the backticks")
    return match[1].replace("``", "`"), match.end()


def unknown_name(text: str, at: int, name: str, names: NameTable) -> ExpressionError:
    """Return the error for an unknown name, with the nearest known name."""
    return problem_at(text, at, f"unknown name {shorten(name, 60)!r}", unknown_name_hint(name, names.real))
