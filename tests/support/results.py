"""The content of results folders, to compare them."""

from __future__ import annotations

import json
from pathlib import Path

TIMES = {"manifest.json": "times", "tasks": "seconds"}


def contents(folder: Path) -> dict[str, bytes]:
    """Return path → content of all files of a results folder, without the times in the manifest and the records."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for name, data in found.items():
        key = TIMES.get(name.partition("/")[0])
        if key is not None:
            content = json.loads(data)
            del content[key]
            found[name] = json.dumps(content).encode()
    return found
