"""Command templates: text with placeholders → one argument vector per configuration, without a shell.

    {nx}                  the option's value; a binary option's is 1 or 0
    {solver}              the selected child of an alternative group, whose parent is solver: its output string or name
    {cache?--cache}       the text where the option is selected, else nothing; {cache?--on|--off} has both
    {= px * py}           a number that is computed from options
    {options}             the options' output strings
    {version}             the value of a context
    {{ and }}             braces

The template is split into arguments as a shell would split it (quotes, backslashes), before values are inserted: a
value never becomes two arguments.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from splc.arithmetic.parser import parse
from splc.arithmetic.tree import Node, names_in
from splc.errors import ExpressionError, Problem, Problems, SpecError, unknown_name_hint
from splc.system.groups import child_groups, text_groups
from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class Text:
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Value:
    """The value of an option."""

    name: str


@dataclass(frozen=True)
class Child:
    """The selected child of the alternative group of a parent."""

    name: str
    children: tuple[str, ...]


@dataclass(frozen=True)
class Extra:
    """A placeholder that is not an option: `options`, `repetition`, `configurations`."""

    name: str


@dataclass(frozen=True)
class Computed:
    """A number that is computed from options."""

    text: str
    node: Node


@dataclass(frozen=True)
class Choice:
    """Words for a selected option, and words for a deselected one."""

    name: str
    then: tuple[Word, ...]
    otherwise: tuple[Word, ...]


Piece = Text | Value | Child | Extra | Computed | Choice
Word = tuple[Piece, ...]

OPTIONS = "options"
_MARK = re.compile("\x01(\\d+)\x02")
_CONTROL = re.compile("[\0\x01\x02]")


@dataclass(frozen=True)
class Template:
    """A parsed command template.

    Attributes:
        text: as it was written.
        words: one per argument; a choice that is a whole word gives any number of arguments.
    """

    text: str
    words: tuple[Word, ...]

    def pieces(self) -> Iterator[Piece]:
        """Yield all pieces, also those inside choices."""
        yield from _pieces(self.words)

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options that it depends on, in order of appearance; `{options}` depends on all and is not counted."""
        names: dict[str, None] = {}
        for piece in self.pieces():
            if isinstance(piece, Value | Choice):
                names.setdefault(piece.name)
            elif isinstance(piece, Child):
                names.update(dict.fromkeys((piece.name, *piece.children)))
            elif isinstance(piece, Computed):
                names.update(dict.fromkeys(names_in(piece.node)))
        return tuple(names)

    @property
    def extras(self) -> frozenset[str]:
        """The placeholders that are not options."""
        return frozenset(piece.name for piece in self.pieces() if isinstance(piece, Extra))


def _pieces(words: Sequence[Word]) -> Iterator[Piece]:
    for word in words:
        for piece in word:
            yield piece
            if isinstance(piece, Choice):
                yield from _pieces(piece.then)
                yield from _pieces(piece.otherwise)


def parse_template(
    text: str, system: VariabilityModel, extras: Sequence[str], constants: Mapping[str, str] | None = None
) -> Template:
    """Parse a command template.

    Args:
        text: the template.
        system: the system whose options are placeholders.
        extras: other placeholders, whose values differ between runs.
        constants: placeholder → its value, the same in all runs.

    Raises:
        SpecError: with all problems, if it is wrong.
    """
    problems = Problems()
    if not text.strip():
        raise SpecError("the command is empty", hint="for instance: --command './solver -n {nx}'")
    if _CONTROL.search(text):
        raise SpecError(Problem("the command has control characters", text=text))
    words = _TemplateReader(system, extras, constants or {}, problems, text).words(text, nested=False)
    problems.raise_if_any(SpecError)
    return Template(text, words)


@dataclass(frozen=True)
class _TemplateReader:
    system: VariabilityModel
    extras: Sequence[str]
    constants: Mapping[str, str]
    problems: Problems
    text: str

    def words(self, text: str, *, nested: bool) -> tuple[Word, ...]:
        """Return the arguments of a text; problems are collected."""
        marked, pieces, at = "", list[Piece](), 0
        while at < len(text):
            if not nested and text[at : at + 2] in {"{{", "}}"}:
                marked += text[at]
                at += 2
            elif text[at] == "{":
                end = _position_outside_braces(text, "}", at)
                if end is None:
                    hint = "close it, or write {{ for a brace"
                    self.problems.add(f"the brace in column {at + 1} is not closed", text=text, hint=hint)
                    return ()
                piece = self.placeholder(text[at + 1 : end])
                if piece is not None:
                    marked += f"\x01{len(pieces)}\x02"
                    pieces.append(piece)
                at = end + 1
            elif text[at] == "}":
                hint = "write }} for a brace"
                self.problems.add(f"the brace in column {at + 1} closes nothing", text=text, hint=hint)
                return ()
            else:
                marked += text[at]
                at += 1
        try:
            split = shlex.split(marked)
        except ValueError as error:
            message = f"the command cannot be split into arguments: {str(error).lower()}"
            self.problems.add(message, text=text, hint="close the quotes, or write \\' and \\\"")
            return ()
        words = tuple(_word(argument, pieces) for argument in split)
        for word in words:
            self.check_whole_words(word)
        return words

    def check_whole_words(self, word: Word) -> None:
        """Refuse placeholders for several arguments inside a longer argument."""
        if len(word) == 1:
            return
        for piece in word:
            if isinstance(piece, Extra) and piece.name == OPTIONS:
                self.problems.add("{options} is several arguments; put spaces around it", text=self.text)
            if isinstance(piece, Choice) and max(len(piece.then), len(piece.otherwise)) > 1:
                message = f"{{{piece.name}?…}} has several arguments, but is inside of one"
                self.problems.add(message, text=self.text, hint="put spaces around it, or quotes into it")

    def placeholder(self, content: str) -> Piece | None:
        """Return the piece between two braces, None if it is wrong."""
        name = content.strip()
        if content.startswith("="):
            return self.computed(content[1:].strip())
        if name in self.system.spellings:
            option = self.system.spellings[name]
            children = children_of(self.system, option)
            return Child(option, children) if children else Value(option)
        if name in self.extras:
            return Extra(name)
        if name in self.constants:
            return Text(self.constants[name])
        for question_mark in re.finditer(r"\?", content):
            name_before = content[: question_mark.start()].strip()
            if name_before in self.system.spellings:
                alternatives = content[question_mark.end() :]
                bar = _position_outside_braces(alternatives, "|")
                texts = (alternatives, "") if bar is None else (alternatives[:bar], alternatives[bar + 1 :])
                if_selected, otherwise = (self.words(alternative, nested=True) for alternative in texts)
                return Choice(self.system.spellings[name_before], if_selected, otherwise)
        name = content.partition("?")[0].strip()
        hint = unknown_name_hint(name, [*self.system.names, *self.extras, *self.constants])
        self.problems.add(
            f"the command's placeholder {{{content}}} is not an option of {self.system.name or 'the system'}", hint=hint
        )
        return None

    def computed(self, text: str) -> Computed | None:
        """Return an expression, None if it is wrong."""
        try:
            return Computed(text, parse(text, self.system.name_table))
        except ExpressionError as error:
            for problem in error.problems:
                message = f"the command's placeholder {{= {text}}}: {problem.message}"
                self.problems.add(message, hint=problem.hint)
            return None


def children_of(system: VariabilityModel, parent: str) -> tuple[str, ...]:
    """Return the children of an option if they are an alternative group, else nothing."""
    children = tuple(child.name for child in child_groups(system).get(parent, ()))
    return children if len(children) > 1 or parent in text_groups(system) else ()


def _position_outside_braces(text: str, character: str, at: int = 0) -> int | None:
    """Return the position of a character where all braces that open from `at` on are closed, None if there is none."""
    depth = 0
    for position in range(at, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0 and text[position] == character:
            return position
    return None


def _word(argument: str, pieces: Sequence[Piece]) -> Word:
    word: list[Piece] = []
    for part_index, part in enumerate(_MARK.split(argument)):
        if part_index % 2:
            word.append(pieces[int(part)])
        elif part:
            word.append(Text(part))
    return tuple(word)
