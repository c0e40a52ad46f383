"""Commands: argument vectors of a template for all configurations, and the programs that they start."""

from __future__ import annotations

import os
import shlex
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from splc.arithmetic.evaluation import evaluate
from splc.data.configurations import Configurations
from splc.errors import InputError, Problem, Problems, SpecError, nearest, plural
from splc.io.numbers import column_texts
from splc.measuring.template import OPTIONS, Child, Choice, Computed, Extra, Piece, Template, Text, Value, Word
from splc.system.groups import text_groups
from splc.system.options import NO_OUTPUT
from splc.types import Array


@dataclass(frozen=True)
class BoundCommand:
    """A template with the values of all configurations.

    Attributes:
        template: the template.
        texts: option or expression → its values as texts, one per configuration, empty if there is no value.
        selected: option → whether it is selected, shape (n,).
        options: the output strings of each configuration, split into arguments.
        count: the number of configurations.
    """

    template: Template
    texts: Mapping[str, Sequence[str]]
    selected: Mapping[str, Array]
    options: Sequence[Sequence[str]]
    count: int

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
            parts = [self._parts(piece, row, extras, missing_names) for piece in word]
            if len(word) == 1:
                arguments += parts[0]
            else:
                arguments.append("".join(part for piece_parts in parts for part in piece_parts))
        return arguments, missing_names

    def _parts(self, piece: Piece, row: int, extras: Mapping[str, str], missing_names: list[str]) -> Sequence[str]:
        match piece:
            case Text(text):
                return [text]
            case Value(name) | Child(name) | Computed(name):
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
    """Return the command over configurations.

    `options`: the output strings of each, needed if the template has `{options}`.
    """
    texts, selected = dict[str, Sequence[str]](), dict[str, Array]()
    for piece in template.pieces():
        match piece:
            case Value(name) if name not in texts:
                texts[name] = _value_texts(configurations, name)
            case Child(name, children) if name not in texts:
                written = name in text_groups(configurations.system)
                texts[name] = _child_texts(configurations, children, written=written)
            case Choice(name) if name not in selected:
                column = configurations.column(name)
                binary = name not in {option.name for option in configurations.system.numeric_options}
                selected[name] = (column > 0) if binary else ~np.isnan(column)
            case Computed(text, node) if text not in texts:
                column = np.asarray(evaluate(node, configurations.column), dtype=float)
                values = np.broadcast_to(column, (len(configurations),))
                texts[text] = column_texts(np.where(np.isfinite(values), values, np.nan))
    split = [] if OPTIONS not in template.extras else _split_options(options or [""] * len(configurations))
    command = BoundCommand(template, texts, selected, split, len(configurations))
    missing_counts = Counter[str]()
    for row in range(len(configurations)):
        arguments, missing = command.expanded(template.words, row, {})
        missing_counts.update(missing)
        if not arguments:
            raise SpecError(Problem("the command is empty for some configurations", text=template.text))
    problems = Problems()
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


def _value_texts(configurations: Configurations, name: str) -> list[str]:
    """Return the value of an option for each configuration, empty where a numeric one is deselected."""
    words = configurations.system.option(name).presentation.words
    column = configurations.column(name)
    return column_texts(column) if words is None else [words[value > 0] for value in column.tolist()]


def _child_texts(configurations: Configurations, children: Sequence[str], *, written: bool) -> list[str]:
    """Return the text of the selected child of a group for each configuration, empty where none is selected.

    An output string that begins with `-` is an argument of its own, which `{options}` gives, unless it was `written` in
    a table.
    """
    texts = [""]
    for child in children:
        output = (configurations.system.option(child).presentation.output_string or "").strip()
        named = output in ("", NO_OUTPUT) or (output.startswith("-") and not written)
        texts.append(child if named else output)
    selected = np.column_stack([configurations.value(child) > 0 for child in children])
    text_indices = np.where(selected.any(axis=1), selected.argmax(axis=1) + 1, 0)
    return [texts[text_index] for text_index in text_indices.tolist()]


def _split_options(lines: Sequence[str]) -> list[list[str]]:
    problems = Problems()
    arguments: list[list[str]] = []
    for line in lines:
        try:
            arguments.append(shlex.split(line))
        except ValueError as error:
            problems.add(f"output strings cannot be split into arguments: {str(error).lower()}", text=line)
    problems.raise_if_any(SpecError)
    return arguments


def program(name: str, folder: str, path: str | None = None) -> str:
    """Return the absolute path of the program that a command starts.

    `path`: PATH; None: that of this process.
    """
    if os.sep not in name:
        executable = shutil.which(name, path=path)
        if executable is None:
            local_file = Path(folder) / name
            hint = (
                f"write ./{name} for the one in this folder"
                if local_file.is_file()
                else "install it, or write its path"
            )
            raise InputError(Problem(f"the command {name!r} is not found in PATH", hint=hint))
        return str(Path(executable).absolute())
    target = Path(folder, name).absolute()
    if not target.exists():
        if target.parent.is_dir():
            # Names include the folder, since a name without one is searched in PATH.
            names = [name.removesuffix(target.name) + entry.name for entry in target.parent.iterdir()]
            suggestion = nearest(name, names)
        else:
            suggestion = f"there is no folder {str(target.parent)!r} either"
        raise InputError(
            Problem(f"the command {name!r} does not exist", hint=suggestion or "build it, or correct its path")
        )
    if target.is_dir():
        raise InputError(Problem(f"the command {name!r} is a folder"))
    if not os.access(target, os.X_OK):
        raise InputError(Problem(f"the command {name!r} cannot be executed", hint=f"chmod +x {shlex.quote(name)}"))
    return str(target)
