"""The command line: a file per subcommand, which makes a request, runs its workflow and shows the result."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Run `splc` with the arguments of the process."""
    try:
        if shadows := _shadows():
            hint = "    rename it, or run the command 'splc' instead of 'python -m splc'"
            print("\n".join([*shadows, hint]), file=sys.stderr)
            sys.exit(2)
        from splc.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.exit(130)


def _shadows() -> list[str]:
    """Return a message for each file that Python imports instead of a package of this project."""
    found = []
    root = Path(__file__).parents[2]
    for name in ("sampling", "comparison"):
        spec = find_spec(name)
        if spec is not None and spec.origin is not None and Path(spec.origin).parents[1] != root:
            found.append(f"{spec.origin}: this file shadows the package '{name}' that belongs to splc")
    return found
