"""TOML files: content, line numbers of keys for messages, and values to write."""

from __future__ import annotations

import datetime
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from splc.errors import InputError, OutputError, Problem, Problems
from splc.io.files import Source

_PLACE = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")
_DEEP = re.compile(r"(?<![\"'\w-])(?:[\"'\w-]++[ \t]*+\.[ \t]*+){200}")  # a key of more parts takes quadratic time
# A value that begins with a letter is not a number (except inf and nan).
_BARE_TEXT = re.compile(r"=\s*([A-Za-z][^#\"',\[\]{}]*[^#\"',\[\]{}\s])")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TABLE = re.compile(r"\s*\[++([^\[\]]*+)\]")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def parse_toml(source: Source) -> tuple[dict[str, Any], Mapping[str, int]]:
    """Return the content of a TOML file, and key (`nfp`, `learning.abortError`) → line, as far as it is found."""
    text = source.text()
    if long_key := _DEEP.search(text):
        lines_before = text.count("\n", 0, long_key.start())
        raise InputError(Problem("a key of too many parts", source.name, lines_before + 1, text=long_key[0]))
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        position = _PLACE.search(message)
        line, column = (int(n) for n in position.groups()) if position and position[1] else (None, None)
        reason = _PLACE.sub("", message).rstrip()
        if line is None and position:
            line, reason = text.count("\n") + 1, f"{reason} (at the end of the file)"
        bare_text = _BARE_TEXT.search(text.splitlines()[line - 1]) if line and reason == "Invalid value" else None
        hint = f'write texts in quotes: "{bare_text[1]}"' if bare_text else None
        raise InputError(Problem(f"not well-formed TOML: {reason}", source.name, line, column, hint=hint)) from None
    except (RecursionError, ValueError):
        # Python also refuses integers of thousands of digits.
        raise InputError(Problem("nested too deeply, or a number with too many digits", source.name)) from None
    lines = dict(_lines_of_keys(text))
    problems = Problems(source.name)
    for key in _large(content):
        problems.add(f"{key!r} has an integer that is too large", line_of(key, lines))
    problems.raise_if_any()
    return content, lines


def line_of(key: str, lines: Mapping[str, int]) -> int | None:
    """Return the line of a key, or of the table that it is in."""
    while key not in lines and "." in key:
        key = key.rpartition(".")[0]
    return lines.get(key)


def _large(value: Any, key: str = "") -> Iterator[str]:
    """Yield the key of each integer that no float can hold, as `0xfff…` can have more digits than Python writes."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _large(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for item in value:
            yield from _large(item, key)
    elif isinstance(value, int) and abs(value) > sys.float_info.max:
        yield key


def toml_value(value: Any) -> str:
    """Return a value of a TOML file as TOML writes it, in one line. Others become texts without quotes."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise OutputError(f"TOML cannot hold {value!r}, which is not UTF-8", hint="rename the file") from None
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(name)} = {toml_value(item)}' for name, item in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def plain_text(value: Any) -> str:
    """Return a text as it is, and another value as TOML: `true`, not Python's `True`."""
    return value if isinstance(value, str) else toml_value(value)


def toml_key(name: str) -> str:
    """Return a name as a key of TOML, in quotes if it needs them."""
    return name if _BARE.fullmatch(name) else toml_value(name)


def listed_texts(value: Any) -> list[str] | None:
    """Return the texts that a value of a TOML file is, one or a list; None if it is something else, or one is empty."""
    texts = value if isinstance(value, list) else [value]
    return texts if all(isinstance(text, str) and text.strip() for text in texts) else None


def finite_number(value: Any) -> float | None:
    """Return a value of a TOML file as a float, None if it is not a number or not finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= sys.float_info.max else None


def _lines_of_keys(text: str) -> Iterator[tuple[str, int]]:
    """Yield (dotted key or table, line) for every line that begins a key or a table; used for messages only."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = _unquoted(match[1])
            yield table, number
        elif match := _KEY.match(line):
            key = _unquoted(match[1])
            yield (f"{table}.{key}" if table else key), number
            if not table and "." in key:
                yield key.split(".")[0], number


def _unquoted(key: str) -> str:
    return ".".join(part.strip() for part in re.sub(r"[\"']", "", key).split("."))
