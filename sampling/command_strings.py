"""Configurations as command lines, in the form of SPL Conqueror's `printconfigs`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splc.data.configurations import Configurations
from splc.io.numbers import number_text
from splc.system.options import NO_OUTPUT, BinaryOption, Option
from splc.system.variability import ROOT


def command_strings(
    configurations: Configurations, prefix: str = "prefix", postfix: str = "postfix", order: Sequence[str] = ()
) -> list[str]:
    """Return one line per configuration: `prefix "root%;%a%;%x;4%;%" OUTPUT… postfix`.

    The quoted key lists the selected binary options, and numeric options with their values. OUTPUT is, for the same
    options in order, prefix, output string (numeric options: value), and postfix; options whose output string is
    `noOutput`, and empty texts, are left out.

    Args:
        configurations: the configurations.
        prefix: the beginning of each line.
        postfix: the end of each line.
        order: options that come first, in this order; the others follow in the order of the system.

    Raises:
        VariabilityError: if an option is unknown.

    Examples:
        >>> sampling.command_strings(measured.configurations[:1], "./solver", "")
        ['./solver "root%;%threads;1%;%" 1']
    """
    lines = []
    for cells in _rows(configurations, order):
        key = "".join(f"{name}%;%" for name in (ROOT, *(name for name, _ in cells if name)))
        outputs = [output for _, output in cells if output]
        lines.append(" ".join(piece for piece in (prefix, f'"{key}"', *outputs, postfix) if piece))
    return lines


def output_strings(configurations: Configurations) -> list[str]:
    """Return the OUTPUT of `command_strings` alone, one text per configuration."""
    return [" ".join(output for _, output in cells if output) for cells in _rows(configurations)]


def _rows(configurations: Configurations, order: Sequence[str] = ()) -> Iterator[list[tuple[str, str]]]:
    system = configurations.system
    # The root is first anyway, and the switches of optional numeric options are in no line.
    names = [name for name in order if system.spellings.get(name) not in {ROOT, *system.switches}]
    first = [system.positions[system.option(name).name] for name in names]
    positions = list(dict.fromkeys((*first, *range(len(system.options)))))
    columns = [_cells(system.options[position]) for position in positions]
    for row in configurations.indices[:, positions].tolist():
        yield [column[index] for column, index in zip(columns, row, strict=True)]


def _cells(option: Option) -> list[tuple[str, str]]:
    """Return for each value index the text in the key and the output."""
    shown = option.presentation
    silent = (shown.output_string or "").strip() == NO_OUTPUT
    if isinstance(option, BinaryOption):
        output = "" if silent else f"{shown.prefix}{shown.output_string or ''}{shown.postfix}"
        return [("", ""), (option.name, output)]
    cells = [
        (f"{option.name};{number_text(value)}", "" if silent else f"{shown.prefix}{number_text(value)}{shown.postfix}")
        for value in option.values
    ]
    return [*cells, ("", "")] if option.optional else cells
