"""Options of commands that contradict each other."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("corpus logs --table nothing", "Invalid value for --table: unknown table 'nothing'"),
        (
            "corpus logs --json --csv",
            "Invalid value for --json, --csv, --markdown, --latex: there is one output format",
        ),
        ("corpus logs --csv", "Invalid value for --csv: CSV has one table"),
        ("corpus logs --csv --table logs --table errors", "Invalid value for --csv: CSV has one table"),
        ("compare a b --table nothing", "Invalid value for --table: unknown table 'nothing'"),
        ("compare a b --csv --table sets --table terms", "Invalid value for --csv, --table: CSV is one table"),
        ("compare a b --json --latex", "Invalid value for --json, --latex: only one form of output"),
        ("compare a b --view terms", "Invalid value for --view: there is no picture; add --plot FILE"),
        ("compare a b --round first", "'--round': 'first' is neither 'last' nor 'best' nor a number"),
        ("compare a b --learning 0", "'--learning': '0' is neither 'all' nor a positive number"),
        ("compare a b --round 1234567890", "Invalid value for '--round': '1234567890' is neither"),
        ("compare a b --round 123456789012", "Invalid value for '--round': '123456789012' is neither"),
        ("describe a --system b", "Invalid value for --system: the system description is given twice"),
        ("describe --depth 2", "Invalid value for --depth: only a tree has a depth: add --tree"),
        ("run a --check --to-study", "Invalid value for --check, --to-study: choose one of them"),
        ("run a -o s.toml", "Invalid value for --output: only a study has one, add --to-study"),
        ("run a --to-study --json -o -", "Invalid value for --output: standard output has the JSON object already"),
        ("learn --json -o -", "Invalid value for --output: standard output has the JSON object already"),
        ("sample --prefix a", "Invalid value for --prefix, --postfix: only command lines have one, add --command"),
        ("sample --postfix a", "Invalid value for --prefix, --postfix: only command lines have one, add --command"),
        ("study --scheduler a", "Invalid value for --scheduler: a scheduler needs --backend dask"),
        ("study --scheduler a --backend dask -j 2", "Invalid value for --jobs, --scheduler: the number of processes"),
    ],
)
def test_contradictions(line: str, message: str, run: Run) -> None:
    """Options that contradict each other are named in the message."""
    result = run(*line.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())
