"""Files that scripts name: relative to the folder of the script, also with backslashes."""

from __future__ import annotations

import os
from pathlib import Path


def located(script: str, text: str) -> str:
    """Return the path of a file that a script names.

    Args:
        script: the file of the script.
        text: the name in the script; scripts of Windows have backslashes.
    """
    path = Path(script).parent / text
    if "\\" in text and not path.exists():
        path = Path(script).parent / text.replace("\\", "/")
    return str(path)


def identity(path: str) -> str:
    """Return one text for all names of a file."""
    return os.path.realpath(path)
