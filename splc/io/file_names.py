"""File names that are valid on every file system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from splc.io.files import sha256_of

K = TypeVar("K")

# File systems allow 255 bytes in a name.
_LONGEST = 80


def file_name(*parts: str) -> str:
    """Return a name that is valid on every file system: lower case letters of ASCII, digits, `-`, `_`, `.`."""
    words = [re.sub(r"[^a-z0-9_.]+", "-", word.casefold()).strip("-.") for word in parts]
    return "-".join(word for word in words if word)[:_LONGEST].strip("-.") or "unnamed"


def distinct_names(made: Mapping[K, str]) -> dict[K, str]:
    """Return keys → file names, with a hash of the key added to equal names.

    `random:5` with seed 3 and `random:5,seed=3` have equal names. No name depends on the order of the others.
    """
    count = Counter(made.values())
    return {key: name if count[name] == 1 else f"{name}-{sha256_of(repr(key))[:8]}" for key, name in made.items()}
