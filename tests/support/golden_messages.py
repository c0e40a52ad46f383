"""Messages about wrong texts, as golden files in `tests/golden/messages`.

A file has each text after a prompt, as Python writes it between quotes, and below it the message. A new case is a new
line with a prompt: `make golden` writes its message, and the difference is reviewed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from splc.errors import SplcError
from tests.support.golden import FOLDER, PROMPT

REWRITE = "SPLC_GOLDEN"


def check_messages(name: str, reject: Callable[[str], Any]) -> None:
    """Check the messages of a file; `reject` raises the error for a text."""
    file = FOLDER / "messages" / f"{name}.messages"
    expected = file.read_text(encoding="utf-8")
    lines: list[str] = []
    for prompt in (line for line in expected.splitlines() if line.startswith(PROMPT)):
        text = prompt.removeprefix(PROMPT).encode("ascii").decode("unicode_escape")
        with pytest.raises(SplcError) as caught:
            reject(text)
        lines += [prompt, *str(caught.value).splitlines()]
    found = "\n".join([*lines, ""])
    if os.environ.get(REWRITE):
        file.write_text(found, encoding="utf-8")
    assert found == expected or os.environ.get(REWRITE), "make golden"
