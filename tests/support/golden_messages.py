"""Messages about wrong texts, and what right ones give, as golden files in `tests/golden/messages`.

A file has each text after a prompt, as Python writes it between quotes, or each call, and below it the message, or what
the call gives. A new case is a new line with a prompt: `make golden` writes its outcome, and the difference is
reviewed. Lines with `#` say what the cases below them show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import MISSING, fields, is_dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.errors import SplcError
from tests.support.golden import FOLDER, PROMPT, check_file


class Lines(str):
    """What a call gives, if that is shown as lines of text."""

    __slots__ = ()
    __repr__ = str.__str__


def shown(value: Any) -> str:
    """Return a value as text: numbers with five digits, the ends of long sequences, fields that are not defaults."""
    if is_dataclass(value):
        entries = [(each.name, getattr(value, each.name), each) for each in fields(value)]
        given = [
            f"{name}={shown(own)}"
            for name, own, each in entries
            if own is not each.default and name != "table" and (each.default_factory is MISSING or own)
        ]
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, np.ndarray | tuple | list):
        texts = [*map(shown, value.tolist() if isinstance(value, np.ndarray) else value)]
        return f"[{', '.join(texts if len(texts) <= 12 else [*texts[:6], '…', *texts[-3:], f'{len(texts)} in all'])}]"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    return f"{value + 0.0:.5g}" if isinstance(value, float) else repr(value)


def printed(work: Callable[[], object]) -> Lines:
    """Return what a function prints."""
    with redirect_stdout(StringIO()) as output:
        work()
    return Lines(output.getvalue())


def check_messages(name: str, reject: Callable[[str], Any]) -> None:
    """Check the messages of a file; `reject` raises the error for a text."""

    def message(text: str) -> list[str]:
        with pytest.raises(SplcError) as caught:
            reject(text)
        return str(caught.value).splitlines()

    check_cases(name, message)


def check_cases(name: str, outcome: Callable[[str], Iterable[str]]) -> None:
    """Check the lines that the texts of a file give."""
    check_prompts(name, lambda text: outcome(text.encode("ascii").decode("unicode_escape")))


def check_prompts(name: str, outcome: Callable[[str], Iterable[str]]) -> None:
    """Check the lines that the cases of a file give as they are written; lines with `#` say what these show."""
    lines: list[str] = []
    for line in _file(name).read_text("utf-8").splitlines():
        if line.startswith("# "):
            lines += ["", line] if lines else [line]
        elif line.startswith(PROMPT):
            lines += [line, *outcome(line.removeprefix(PROMPT))]
    check_lines(name, lines)


def prompts(name: str) -> list[str]:
    """Return the cases of a file."""
    lines = _file(name).read_text("utf-8").splitlines()
    return [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]


def check_lines(name: str, lines: Sequence[str]) -> None:
    """Check the lines of a file."""
    check_file(_file(name), "\n".join([*lines, ""]))


def _file(name: str) -> Path:
    return FOLDER / "messages" / f"{name}.messages"


def check_calls(name: str, *functions: Callable[..., Any], **names: Any) -> None:
    """Check what the calls in a file give, as Python shows it, or their message.

    `functions`: the functions that are called, by their names. `names`: other names in the calls.
    """
    known = {"inf": math.inf, "nan": math.nan, **{each.__name__: each for each in functions}, **names}

    def outcome(call: str) -> list[str]:
        try:
            return repr(eval(call, known)).splitlines()  # noqa: S307
        except SplcError as error:
            return str(error).splitlines()

    check_prompts(name, outcome)
