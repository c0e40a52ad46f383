"""Options in the words of commands and in names: `gzip -9 file`, `level=9,input=text`, `4k`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

_PAIR = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)
_SIZE = re.compile(r"([0-9]+)([kmgt])(?:i?b)?", re.IGNORECASE)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


def pairs_in(name: str) -> dict[str, str]:
    """Return option → value of a name such as `level=9,input=text`; parts without `=` are left out."""
    matches = (_PAIR.fullmatch(part.strip()) for part in re.split(r"[,;&]|__", name))
    return {pair[1]: pair[2] for pair in matches if pair is not None}


def options_of_commands(commands: Sequence[str]) -> list[dict[str, str]]:
    """Return the options of each command: the words in which the commands differ.

    Of commands with equally many words, each place with different words is an option, which has the name that the
    words state (`--level=9`, or `--level` before `9`), else `word3`. Otherwise each word that only some commands have
    is a binary option, or the value of the option that it names.
    """
    split = [_words(command) for command in commands]
    if len({len(words) for words in split}) == 1:
        option_rows: list[dict[str, str]] = [{} for _ in split]
        for at, column in enumerate(zip(*split, strict=True)):
            if len(set(column)) == 1:
                continue
            previous_word = split[0][at - 1] if at and len({words[at - 1] for words in split}) == 1 else ""
            name, values = _name_and_values(column, previous_word, f"word{at + 1}")
            for options, value in zip(option_rows, values, strict=True):
                options[name] = value
        return option_rows
    common = set(split[0]).intersection(*split[1:])
    switches = dict.fromkeys(word for words in split for word in words if word not in common)
    valued = {word: pair for word in switches if (pair := _PAIR.fullmatch(word.lstrip("-")))}
    rows = []
    for words in split:
        row = {valued[word][1]: valued[word][2] for word in words if word in valued}
        rows.append(row | {_identifier(word): "1" if word in words else "0" for word in switches if word not in valued})
    return rows


def _name_and_values(column: Sequence[str], previous_word: str, default_name: str) -> tuple[str, list[str]]:
    """Return the name of an option and its values."""
    pairs = [_PAIR.fullmatch(word.lstrip("-")) for word in column]
    names = {pair[1] for pair in pairs if pair is not None}
    if len(names) == 1 and None not in pairs:
        return names.pop(), [pair[2] for pair in pairs if pair is not None]
    if previous_word.startswith("-") and not any(word.startswith("-") for word in column):
        return _identifier(previous_word), list(column)
    letters = {re.sub(r"[0-9.]+$", "", word) for word in column}
    if len(letters) == 1 and (prefix := letters.pop()) and all(word != prefix for word in column):
        # `-j1`, `-j2`; and `-1`, `-9`, which are numbers.
        name = _identifier(prefix)
        return name or default_name, [word.removeprefix(prefix) for word in column]
    return default_name, list(column)


def _identifier(word: str) -> str:
    return re.sub(r"[^\w.]+", "_", word.strip("-")).strip("_")


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def without_units(rows: Iterable[Mapping[str, str]], base: int = 1024) -> list[dict[str, str]]:
    """Return options whose values are sizes (`4k`, `1M`) as numbers of bytes, where all values of an option are such.

    `base`: the number of bytes of `1k`.
    """
    byte_rows = [dict(row) for row in rows]
    for name in dict.fromkeys(name for row in byte_rows for name in row):
        sizes = [_SIZE.fullmatch(row[name]) for row in byte_rows if not row.get(name, "0").isdigit()]
        if sizes and all(sizes):
            for row in byte_rows:
                if size := _SIZE.fullmatch(row.get(name, "")):
                    row[name] = str(int(size[1]) * base ** _POWERS[size[2].casefold()])
    return byte_rows


def differing(rows: Sequence[Mapping[str, str]], missing: str = "") -> list[dict[str, str]]:
    """Return of each row the entries that are not the same in all rows; `missing` is the value of a missing one."""
    names = dict.fromkeys(name for row in rows for name in row)
    differing_names = [name for name in names if len({row.get(name, missing) for row in rows}) > 1]
    return [{name: row.get(name, missing) for name in differing_names} for row in rows]
