"""What any input leads to: it is read, or refused by an error of this project."""

from __future__ import annotations

from collections.abc import Callable

from splc.errors import SplcError


def check_read_or_refused(read: Callable[[], object], error: type[SplcError] = SplcError) -> None:
    """Check that something is read and not empty, or refused by an error whose text can be shown."""
    try:
        found = read()
    except error as refusal:
        found = str(refusal).encode()
    assert found
