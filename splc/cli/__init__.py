"""The command line: one short file per subcommand, which reads, calls one verb, and writes."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `splc` with the arguments of the process."""
    try:
        from splc.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.exit(130)
