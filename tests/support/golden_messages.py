"""Messages about wrong texts, and what right ones give, as golden files in `tests/golden/messages`.

A file has each text after a prompt, as Python writes it between quotes, and below it the message. A new case is a new
line with a prompt: `make golden` writes its message, and the difference is reviewed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from splc.errors import SplcError
from tests.support.golden import FOLDER, PROMPT

REWRITE = "SPLC_GOLDEN"


class Lines(str):
    """A text that is shown as it is, for calls whose result has several lines."""

    __repr__ = str.__str__


def printed(work: Callable[[], object]) -> Lines:
    """Return what a function prints."""
    with redirect_stdout(StringIO()) as shown:
        work()
    return Lines(shown.getvalue())


def check_messages(name: str, reject: Callable[[str], Any]) -> None:
    """Check the messages of a file; `reject` raises the error for a text."""

    def message(text: str) -> list[str]:
        with pytest.raises(SplcError) as caught:
            reject(text)
        return str(caught.value).splitlines()

    check_cases(name, message)


def check_cases(name: str, outcome: Callable[[str], Iterable[str]]) -> None:
    """Check the lines that the texts of a file give."""
    lines: list[str] = []
    for prompt in (line for line in _file(name).read_text("utf-8").splitlines() if line.startswith(PROMPT)):
        lines += [prompt, *outcome(prompt.removeprefix(PROMPT).encode("ascii").decode("unicode_escape"))]
    check_lines(name, lines)


def check_lines(name: str, lines: Sequence[str]) -> None:
    """Check the lines of a file."""
    found = "\n".join([*lines, ""])
    if os.environ.get(REWRITE):
        _file(name).write_text(found, encoding="utf-8")
    assert found == _file(name).read_text(encoding="utf-8"), "make golden"


def _file(name: str) -> Path:
    return FOLDER / "messages" / f"{name}.messages"


def check_calls(name: str, *functions: Callable[..., Any], **names: Any) -> None:
    """Check what the calls in a file give, as Python shows it, or their message; lines with `#` say what these show.

    `functions`: the functions that are called, by their names. `names`: other names in the calls.
    """
    known = {"inf": math.inf, "nan": math.nan, **{each.__name__: each for each in functions}, **names}
    lines: list[str] = []
    for line in _file(name).read_text("utf-8").splitlines():
        if line.startswith("# "):
            lines += ["", line] if lines else [line]
        elif line.startswith(PROMPT):
            try:
                shown = repr(eval(line.removeprefix(PROMPT), known))  # noqa: S307
            except SplcError as error:
                shown = str(error)
            lines += [line, *shown.splitlines()]
    check_lines(name, lines)
