"""Messages of readers, for tests of their whole text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from splc.errors import SplcError
from splc.io.files import Source

# The suffix of a file, and its reader.
Reader = tuple[str, Callable[[Source], Any]]


def message_of(reader: Reader, text: str) -> list[str]:
    """Return the lines of the message about a file `f` with this text."""
    suffix, read = reader
    with pytest.raises(SplcError) as caught:
        read(Source(f"f.{suffix}", text.encode()))
    return [line.strip() for line in str(caught.value).splitlines()]
