"""Commands: templates, their argument vectors for all configurations, and the programs that they start.

A template is text with placeholders, from which each configuration gives one argument vector, without a shell:

    {nx}                  the option's value; a binary option's is 1 or 0
    {solver}              the selected child of an alternative group, whose parent is solver: its output string or name
    {cache?--cache}       the text where the option is selected, else nothing; {cache?--on|--off} has both
    {= px * py}           a number that is computed from options
    {options}             the options' output strings
    {version}             the value of a context
    {{ and }}             braces

It is split into arguments as a shell would split it (quotes, backslashes), before values are inserted: a value never
becomes two arguments.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tree import Node, names_in
from splc.data.configurations import Configurations
from splc.errors import ExpressionError, InputError, Problem, Problems, SpecError, nearest, plural, unknown_name_hint
from splc.io.numbers import column_texts
from splc.system.groups import text_groups
from splc.system.options import NO_OUTPUT
from splc.system.variability import VariabilityModel
from splc.types import Array

OPTIONS = "options"
# What stands for a placeholder while the text is split into arguments.
_MARK = re.compile("\x01(\\d+)\x02")
_CONTROL = re.compile("[\0\x01\x02]")


@dataclass(frozen=True)
class Text:
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Value:
    """The value of an option, or the selected one of the children of an alternative group."""

    name: str
    children: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extra:
    """A placeholder that is not an option: `options`, `repetition`, `configurations`."""

    name: str


@dataclass(frozen=True)
class Computed:
    """A number that is computed from options; its name is the text of the expression."""

    name: str
    node: Node


@dataclass(frozen=True)
class Choice:
    """Words for a selected option, and words for a deselected one."""

    name: str
    then: tuple[Word, ...]
    otherwise: tuple[Word, ...]


Piece = Text | Value | Extra | Computed | Choice
Word = tuple[Piece, ...]


@dataclass(frozen=True)
class Template:
    """A parsed command template."""

    text: str  # as it was written
    words: tuple[Word, ...]  # one per argument; a choice that is a whole word gives any number of arguments

    def pieces(self, words: Sequence[Word] | None = None) -> Iterator[Piece]:
        """Yield all pieces, also those inside choices."""
        for piece in chain.from_iterable(self.words if words is None else words):
            yield piece
            if isinstance(piece, Choice):
                yield from self.pieces(piece.then + piece.otherwise)

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options that it depends on; `{options}` depends on all and is not counted."""
        names: dict[str, None] = {}
        for piece in self.pieces():
            if isinstance(piece, Value | Choice):
                names |= dict.fromkeys((piece.name, *getattr(piece, "children", ())))
            elif isinstance(piece, Computed):
                names |= dict.fromkeys(names_in(piece.node))
        return tuple(names)

    @property
    def extras(self) -> frozenset[str]:
        """The placeholders that are not options."""
        return frozenset(piece.name for piece in self.pieces() if isinstance(piece, Extra))


def parse_template(
    text: str, system: VariabilityModel, extras: Sequence[str], constants: Mapping[str, str] | None = None
) -> Template:
    """Parse a command template; all problems are reported together.

    `extras`: placeholders that are not options, whose values differ between runs. `constants`: placeholder → its value.
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
        words = []
        for argument in split:
            parts = enumerate(_MARK.split(argument))
            word = tuple(pieces[int(part)] if at % 2 else Text(part) for at, part in parts if at % 2 or part)
            words.append(word)
            for piece in word if len(word) > 1 else ():
                if isinstance(piece, Extra) and piece.name == OPTIONS:
                    self.problems.add("{options} is several arguments; put spaces around it", text=self.text)
                if isinstance(piece, Choice) and max(len(piece.then), len(piece.otherwise)) > 1:
                    message = f"{{{piece.name}?…}} has several arguments, but is inside of one"
                    self.problems.add(message, text=self.text, hint="put spaces around it, or quotes into it")
        return tuple(words)

    def placeholder(self, content: str) -> Piece | None:
        """Return the piece between two braces, None if it is wrong."""
        name, spellings = content.strip(), self.system.spellings
        if content.startswith("="):
            return self.computed(content[1:].strip())
        if name in spellings:
            option = spellings[name]
            children = tuple(child.name for child in self.system.child_groups.get(option, ()))
            return Value(option, children if len(children) > 1 or option in text_groups(self.system) else ())
        if name in self.extras:
            return Extra(name)
        if name in self.constants:
            return Text(self.constants[name])
        for question_mark in re.finditer(r"\?", content):
            option = spellings.get(content[: question_mark.start()].strip(), "")
            if option:
                alternatives = content[question_mark.end() :]
                bar = _position_outside_braces(alternatives, "|")
                texts = (alternatives, "") if bar is None else (alternatives[:bar], alternatives[bar + 1 :])
                return Choice(option, *(self.words(alternative, nested=True) for alternative in texts))
        hint = unknown_name_hint(name.partition("?")[0].strip(), [*self.system.names, *self.extras, *self.constants])
        of = self.system.name or "the system"
        self.problems.add(f"the command's placeholder {{{content}}} is not an option of {of}", hint=hint)
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


def _position_outside_braces(text: str, character: str, at: int = 0) -> int | None:
    """Return the position of a character where all braces that open from `at` on are closed, None if there is none."""
    depth = 0
    for position in range(at, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0 and text[position] == character:
            return position
    return None


@dataclass(frozen=True)
class BoundCommand:
    """A template with the values of all configurations."""

    template: Template
    # option or expression → its values as texts, one per configuration, empty if there is no value
    texts: Mapping[str, Sequence[str]]
    selected: Mapping[str, Array]  # option → whether it is selected, shape (n,)
    options: Sequence[Sequence[str]]  # the output strings of each configuration, split into arguments
    count: int  # the number of configurations

    def arguments(self, row: int, extras: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Return the argument vector of a configuration."""
        return tuple(self.expanded(self.template.words, row, extras or {})[0])

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that it starts, as the first arguments name them."""
        return tuple(dict.fromkeys(self.arguments(row)[0] for row in range(self.count)))

    def expanded(self, words: Sequence[Word], row: int, extras: Mapping[str, str]) -> tuple[list[str], list[str]]:
        """Return the arguments of words, and the placeholders that have no value for this configuration."""
        arguments, missing_names = list[str](), list[str]()
        for word in words:
            parts = [part for piece in word for part in self._parts(piece, row, extras, missing_names)]
            arguments += parts if len(word) == 1 else ["".join(parts)]
        return arguments, missing_names

    def _parts(self, piece: Piece, row: int, extras: Mapping[str, str], missing_names: list[str]) -> Sequence[str]:
        match piece:
            case Text(text):
                return [text]
            case Value(name) | Computed(name):
                text = self.texts[name][row]
                if not text:
                    missing_names.append(name)
                return [text]
            case Choice(name, then, otherwise):
                arguments, missing = self.expanded(then if self.selected[name][row] else otherwise, row, extras)
                missing_names += missing
                return arguments
            case Extra(name):
                return self.options[row] if name == OPTIONS else [extras.get(name, f"{{{name}}}")]


def bind(template: Template, configurations: Configurations, options: Sequence[str] | None = None) -> BoundCommand:
    """Return the command over configurations; `options`: the output strings of each, needed for `{options}`."""
    texts, selected = dict[str, Sequence[str]](), dict[str, Array]()
    for piece in template.pieces():
        match piece:
            case Value(name, children) if name not in texts:
                texts[name] = _texts(configurations, name, children)
            case Choice(name) if name not in selected:
                column = configurations.column(name)
                binary = name not in {option.name for option in configurations.system.numeric_options}
                selected[name] = (column > 0) if binary else ~np.isnan(column)
            case Computed(name, node) if name not in texts:
                column = np.asarray(evaluate(node, configurations.column), dtype=float)
                values = np.broadcast_to(column, (len(configurations),))
                texts[name] = column_texts(np.where(np.isfinite(values), values, np.nan))
    problems, split = Problems(), list[list[str]]()
    for line in (options or [""] * len(configurations)) if OPTIONS in template.extras else ():
        try:
            split.append(shlex.split(line))
        except ValueError as error:
            problems.add(f"output strings cannot be split into arguments: {str(error).lower()}", text=line)
    if len(split) > 1 and not any(split):
        hint = "name them in the command, such as {tls?--tls} or -n {size}; SPL Conqueror's XML has output strings"
        problems.add("{options} is empty: no option has an output string", text=template.text, hint=hint)
    problems.raise_if_any(SpecError)
    command = BoundCommand(template, texts, selected, split, len(configurations))
    missing_counts = Counter[str]()
    for row in range(len(configurations)):
        arguments, missing = command.expanded(template.words, row, {})
        missing_counts.update(missing)
        if not arguments:
            raise SpecError(Problem("the command is empty for some configurations", text=template.text))
    for name, count in missing_counts.items():
        count_text = plural(count, "configuration", "configurations")
        if name in configurations.system.positions:
            alternatives = f"{{{name}?--{name} {{{name}}}}} leaves it out, {{{name}?{{{name}}}|0}} gives 0"
            hint = f"state what to do then: {alternatives}"
            problems.add(f"{name} is deselected in {count_text}, but the command needs its value", hint=hint)
        else:
            problems.add(f"{{= {name}}} is not a finite number for {count_text}")
    problems.raise_if_any(SpecError)
    return command


def _texts(configurations: Configurations, name: str, children: Sequence[str]) -> list[str]:
    """Return the value of an option, or the text of its selected child, for each configuration; empty without one.

    An output string that begins with `-` is an argument of its own, which `{options}` gives, unless a table has it.
    """
    if not children:
        words, column = configurations.system.option(name).presentation.words, configurations.column(name)
        return column_texts(column) if words is None else [words[value > 0] for value in column.tolist()]
    written, texts = name in text_groups(configurations.system), [""]
    for child in children:
        output = (configurations.system.option(child).presentation.output_string or "").strip()
        named = output in ("", NO_OUTPUT) or (output.startswith("-") and not written)
        texts.append(child if named else output)
    selected = np.column_stack([configurations.value(child) > 0 for child in children])
    return [texts[at] for at in np.where(selected.any(axis=1), selected.argmax(axis=1) + 1, 0).tolist()]


def program(name: str, folder: str, path: str | None = None) -> str:
    """Return the absolute path of the program that a command starts; `path`: PATH, None: that of this process."""
    if os.sep not in name:
        executable = shutil.which(name, path=path)
        if executable is not None:
            return str(Path(executable).absolute())
        is_here = (Path(folder) / name).is_file()
        hint = f"write ./{name} for the one in this folder" if is_here else "install it, or write its path"
        raise InputError(Problem(f"the command {name!r} is not found in PATH", hint=hint))
    target = Path(folder, name).absolute()
    if not target.exists():
        suggestion: str | None = f"there is no folder {str(target.parent)!r} either"
        if target.parent.is_dir():
            # Names include the folder, since a name without one is searched in PATH.
            folder = name.removesuffix(target.name)
            suggestion = nearest(name, [folder + entry.name for entry in target.parent.iterdir()])
        hint = suggestion or "build it, or correct its path"
        raise InputError(Problem(f"the command {name!r} does not exist", hint=hint))
    if target.is_dir():
        raise InputError(Problem(f"the command {name!r} is a folder"))
    if not os.access(target, os.X_OK):
        raise InputError(Problem(f"the command {name!r} cannot be executed", hint=f"chmod +x {shlex.quote(name)}"))
    return str(target)
